#pragma once
// The escapes of a JSON string (RFC 8259 section 7), for those that read one themselves.

#include <cstdint>
#include <string>

namespace tidemark::format {

// What `\` before `letter` stands for, `\u` aside; '\0' when it stands for nothing.
char UnescapedOf(char letter);

// Appends a Unicode scalar value, one that is no surrogate.
void AppendUtf8(std::uint32_t code_point, std::string& out);

}  // namespace tidemark::format
