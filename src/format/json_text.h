#pragma once
// Writing JSON text by hand where bytes are pinned or speed matters.

#include <string>
#include <string_view>

namespace tidemark::format {

// Appends `"text"` with the escapes of the envelope (queen-interface 8): \" \\ \b \f \n \r \t,
// other bytes below 0x20 as \u00xx in lower case, nothing else.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace tidemark::format
