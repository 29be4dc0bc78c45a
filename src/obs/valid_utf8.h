#pragma once
// Log lines and pages hold other people's bytes; whoever reads them expects UTF-8. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::obs {

// What stands for bytes that cannot be shown: U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Bytes of the UTF-8 character (RFC 3629) that `text`, which is not empty, begins with; 0: it
// begins with none.
std::size_t CharacterLength(std::string_view text);

// `text` with U+FFFD for each byte that begins no UTF-8 character.
std::string ValidUtf8(std::string text);

}  // namespace tidemark::obs
