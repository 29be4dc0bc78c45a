#pragma once
// Log lines hold other people's bytes; whoever reads them expects UTF-8. Pure.

#include <string>

namespace tidemark::obs {

// `text` with U+FFFD for each byte that begins no UTF-8 character (RFC 3629).
std::string ValidUtf8(std::string text);

}  // namespace tidemark::obs
