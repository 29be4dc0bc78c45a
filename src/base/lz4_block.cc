#include "base/lz4_block.h"

#include <lz4.h>

#include "base/check.h"

namespace tidemark {

bool AppendLz4(std::string_view bytes, std::string& out) {
  TIDEMARK_CHECK(bytes.size() <= LZ4_MAX_INPUT_SIZE, "{} bytes", bytes.size());
  const std::size_t before = out.size();
  const std::size_t most = bytes.size() - bytes.size() / 4;
  out.resize_and_overwrite(before + most, [&](char* at, std::size_t /*size*/) {
    const int packed = LZ4_compress_default(
        bytes.data(), at + before, static_cast<int>(bytes.size()), static_cast<int>(most));
    return before + static_cast<std::size_t>(packed);  // 0: it does not fit
  });
  return out.size() > before;
}

void UnpackLz4(std::string_view packed, std::span<char> out) {
  const int size = LZ4_decompress_safe(
      packed.data(), out.data(), static_cast<int>(packed.size()), static_cast<int>(out.size()));
  TIDEMARK_CHECK(size >= 0 && static_cast<std::size_t>(size) == out.size(),
                 "{} of {} bytes out of {}",
                 size,
                 out.size(),
                 packed.size());
}

}  // namespace tidemark
