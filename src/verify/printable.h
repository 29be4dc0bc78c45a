#pragma once
// Names and payloads made fit for a terminal: they are somebody else's bytes. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::verify {

// Control bytes become \xNN; text over `bytes_max` is cut between UTF-8 characters and ends in "…".
std::string Printable(std::string_view text, std::size_t bytes_max = 1000);

}  // namespace tidemark::verify
