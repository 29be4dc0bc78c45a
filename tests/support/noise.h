#pragma once
// Payloads that do not shrink, for tests of what holds or stores much.

#include <cstddef>
#include <random>
#include <string>

namespace tidemark::testing {

// A JSON string of so many random characters: LZ4 finds nothing in it, zstd a quarter.
inline std::string NoisyPayload(std::size_t characters, std::mt19937_64& random) {
  std::string text(characters, '"');
  for (char& c : text) c = static_cast<char>('#' + random() % 56);  // no quote, no backslash
  return '"' + text + '"';
}

}  // namespace tidemark::testing
