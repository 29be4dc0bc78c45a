#pragma once
// The pipeline file's JSON Schema, for editors: what the parser asks for, as it asks.

#include <string>

namespace tidemark::edge {

// Draft 2020-12. It knows every key, its type and its range; what holds between keys only the
// parser knows.
std::string PipelineSchemaText();

}  // namespace tidemark::edge
