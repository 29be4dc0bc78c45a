#pragma once
// Reading JSONL objects back, through a JSON parser that shares nothing with the writer.

#include <string>
#include <string_view>

#include "base/result.h"
#include "datafile/reader.h"

namespace tidemark::datafile {

// `text` is the decompressed object. Every line, the last included, must end with a line feed and
// be an object of exactly the five fields in their order. kCorruption names the line.
Result<ReadSummary> ReadJsonl(std::string text, const RecordVisitor& visit);

}  // namespace tidemark::datafile
