#include "verify/printable.h"

#include <fmt/format.h>

#include <iterator>

namespace tidemark::verify {

std::string Printable(std::string_view text, std::size_t bytes_max) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool begins_character = (byte & 0xC0) != 0x80;
    if (out.size() >= bytes_max && begins_character) return out + "…";
    if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace tidemark::verify
