#pragma once
// Texts that are used again for each record: what a long one needed is given back, so that of many
// data sets none keeps it for good.

#include <cstddef>
#include <string>

namespace tidemark::edge {

// What such a text may hold on to.
inline constexpr std::size_t kKeptTextBytes = 8 << 10;

inline void ForgetIfLong(std::string& text) {
  if (text.capacity() > kKeptTextBytes) std::string().swap(text);
}

}  // namespace tidemark::edge
