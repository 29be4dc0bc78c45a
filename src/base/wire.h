#pragma once
// Numbers and texts in binary formats: little-endian fixed widths, varints (seven bits a byte,
// least significant first, as in Protocol Buffers), and bytes behind their length as a varint.
// Pure.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark {

// Each appends to `out`.
void PutU8(std::uint8_t value, std::string& out);
void PutU32(std::uint32_t value, std::string& out);
void PutU64(std::uint64_t value, std::string& out);
void PutI64(std::int64_t value, std::string& out);
void PutVarint(std::uint64_t value, std::string& out);
void PutBytes(std::string_view bytes, std::string& out);

// Overwrites four bytes of `out` at `offset`: for a length or a checksum that is known last.
void SetU32(std::uint32_t value, std::size_t offset, std::string& out);

// How many bytes PutVarint appends: 1 to 10.
inline std::size_t VarintSize(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Reads what was put, in the same order. A read beyond the end, a varint that does not fit 64 bits
// or is longer than it needs to be, and a flag that is neither 0 nor 1 are failures: it and every
// later one give 0 or nothing, and ok() is false. The texts are views into the bytes given.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t U8();
  // A byte that is 0 or 1.
  bool Flag();
  std::uint32_t U32();
  std::uint64_t U64();
  std::int64_t I64();
  std::uint64_t Varint();
  std::string_view Bytes();
  // The next `size` bytes as they are.
  std::string_view Take(std::size_t size);

  bool ok() const { return ok_; }

  // Everything was read, and nothing failed.
  bool AtEnd() const { return ok_ && rest_.empty(); }

  std::string_view rest() const { return rest_; }

 private:
  std::uint64_t Fixed(std::size_t size);
  std::uint64_t LongVarint();

  void Fail() {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

// Several of these are called for every record of a log: a call would take longer than they do.

inline std::string_view WireReader::Take(std::size_t size) {
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  const auto taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

inline std::uint64_t WireReader::Varint() {
  // One byte or two, mostly; the second of two is not 0, or one would have been enough.
  const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(rest_[i]); };
  if (!rest_.empty() && byte(0) < 0x80) {
    const std::uint64_t value = byte(0);
    rest_.remove_prefix(1);
    return value;
  }
  if (rest_.size() > 1 && byte(1) < 0x80 && byte(1) > 0) {
    const std::uint64_t value = (byte(0) & 0x7fU) | (std::uint64_t{byte(1)} << 7);
    rest_.remove_prefix(2);
    return value;
  }
  return LongVarint();
}

inline std::string_view WireReader::Bytes() {
  const std::uint64_t size = Varint();
  return ok_ ? Take(size) : std::string_view{};
}

}  // namespace tidemark
