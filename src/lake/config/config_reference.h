#pragma once
// docs/configuration.md, made from the declarations.

#include <string>

namespace tidemark::lake {

// The whole page, Markdown with a final line feed. Says nothing of this machine or this process.
std::string ConfigReference();

}  // namespace tidemark::lake
