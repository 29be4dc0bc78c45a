#pragma once
// CRC-32C (Castagnoli; RFC 3720, B.4): the checksum of everything Tidemark appends to a log of its
// own. By the processor's instruction where it has one.

#include <cstdint>
#include <string_view>

namespace tidemark {

// Of the bytes of `before` followed by `bytes`, when `before_crc` is Crc32c(before).
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before_crc = 0);

namespace internal {

// Without the instruction; for machines that lack it.
std::uint32_t PortableCrc32c(std::string_view bytes, std::uint32_t before_crc);

}  // namespace internal

}  // namespace tidemark
