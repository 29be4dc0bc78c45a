#pragma once
// SipHash-2-4 with 128 bits of output: keyed, so that nobody can construct two transaction ids that
// collide; wide, so that none do by chance. Used for the dedup window, where a collision would drop
// a record. Pure.

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tidemark::broker {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Hash128&) const = default;
};

using SipKey = std::array<std::uint64_t, 2>;

// Of `prefix` (as eight little-endian bytes) followed by `text`.
Hash128 SipHash(const SipKey& key, std::uint64_t prefix, std::string_view text);

// Of `text` alone; the reference vectors hold for this one.
Hash128 SipHash(const SipKey& key, std::string_view text);

}  // namespace tidemark::broker

template <>
struct std::hash<tidemark::broker::Hash128> {
  std::size_t operator()(const tidemark::broker::Hash128& h) const { return h.low; }
};
