#pragma once
// Numbers and texts in binary formats: little-endian fixed widths, varints (seven bits a byte,
// least significant first, as in Protocol Buffers), and bytes behind their length as a varint.
// Pure.

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
std::size_t VarintSize(std::uint64_t value);

// Reads what was put, in the same order. A read beyond the end, and a varint that does not fit 64
// bits or is longer than it needs to be, is a failure: it and every later one give 0 or nothing,
// and ok() is false. The texts are views into the bytes given.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t U8();
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
  void Fail();

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace tidemark
