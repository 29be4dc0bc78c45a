#include "broker/siphash.h"

#include <bit>
#include <cstring>

namespace tidemark::broker {

namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  explicit State(const SipKey& key)
      : v0(key[0] ^ 0x736f6d6570736575),
        v1(key[1] ^ 0x646f72616e646f6d ^ 0xee),
        v2(key[0] ^ 0x6c7967656e657261),
        v3(key[1] ^ 0x7465646279746573) {}

  void Round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }

  void Word(std::uint64_t m) {
    v3 ^= m;
    Round();
    Round();
    v0 ^= m;
  }

  void Bytes(std::string_view text, std::uint64_t total_size) {
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at, 8);
      Word(word);
    }
    std::uint64_t last = 0;
    std::memcpy(&last, text.data() + at, text.size() - at);
    Word(last | (total_size << 56));
  }

  std::uint64_t Fold() {
    for (int i = 0; i < 4; ++i) Round();
    return v0 ^ v1 ^ v2 ^ v3;
  }

  Hash128 Finish() {
    v2 ^= 0xee;
    Hash128 hash;
    hash.low = Fold();
    v1 ^= 0xdd;
    hash.high = Fold();
    return hash;
  }
};

}  // namespace

Hash128 SipHash(const SipKey& key, std::uint64_t prefix, std::string_view text) {
  State state(key);
  state.Word(prefix);
  state.Bytes(text, 8 + text.size());
  return state.Finish();
}

Hash128 SipHash(const SipKey& key, std::string_view text) {
  State state(key);
  state.Bytes(text, text.size());
  return state.Finish();
}

}  // namespace tidemark::broker
