#pragma once
// Texts of JSON strings, between their quotes. Pure.

#include <string>
#include <string_view>

namespace tidemark::edge {

// Every escape is one of RFC 8259.
bool HasValidEscapes(std::string_view raw);

// Appends what the escapes stand for; the rest is copied. `raw` has valid escapes. False when half
// of a surrogate pair stands alone: there is no UTF-8 for it.
bool AppendUnescaped(std::string_view raw, std::string& out);

// Standard base64 with padding; false for anything else, unused bits that are not zero included.
bool AppendBase64Decoded(std::string_view text, std::string& out);

}  // namespace tidemark::edge
