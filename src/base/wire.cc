#include "base/wire.h"

#include <bit>
#include <cstring>

namespace tidemark {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

template <typename Number>
void PutFixed(Number value, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

}  // namespace

void PutU8(std::uint8_t value, std::string& out) { PutFixed(value, out); }

void PutU32(std::uint32_t value, std::string& out) { PutFixed(value, out); }

void PutU64(std::uint64_t value, std::string& out) { PutFixed(value, out); }

void PutI64(std::int64_t value, std::string& out) { PutFixed(value, out); }

void PutVarint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void PutBytes(std::string_view bytes, std::string& out) {
  PutVarint(bytes.size(), out);
  out.append(bytes);
}

void SetU32(std::uint32_t value, std::size_t offset, std::string& out) {
  std::memcpy(out.data() + offset, &value, sizeof value);
}

std::uint64_t WireReader::Fixed(std::size_t size) {
  const auto bytes = Take(size);
  std::uint64_t value = 0;
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

std::uint8_t WireReader::U8() { return static_cast<std::uint8_t>(Fixed(1)); }

bool WireReader::Flag() {
  const std::uint8_t value = U8();
  if (value > 1) Fail();
  return value == 1;
}

std::uint32_t WireReader::U32() { return static_cast<std::uint32_t>(Fixed(4)); }

std::uint64_t WireReader::U64() { return Fixed(8); }

std::int64_t WireReader::I64() { return static_cast<std::int64_t>(Fixed(8)); }

std::uint64_t WireReader::LongVarint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = U8();
    const bool last = (byte & 0x80) == 0;
    const bool overflows = shift == 63 && byte > 1;
    const bool padded = last && byte == 0 && shift > 0;
    if (!ok_ || overflows || padded) break;
    value |= (byte & 0x7f) << shift;
    if (last) return value;
  }
  Fail();
  return 0;
}

}  // namespace tidemark
