#include "format/log_frame.h"

#include <cstdint>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/wire.h"

namespace tidemark::format {

namespace {

constexpr std::size_t kBodyBytesMax = (std::size_t{1} << 31) - 1;

}  // namespace

void AppendLogFrame(std::string_view body, std::string& out) {
  TIDEMARK_CHECK(!body.empty() && body.size() <= kBodyBytesMax, "a frame of {} bytes", body.size());
  PutU32(static_cast<std::uint32_t>(body.size()), out);
  PutU32(Crc32c(body), out);
  out.append(body);
}

std::optional<std::string_view> TakeLogFrame(std::string_view& rest) {
  WireReader reader(rest);
  const std::uint32_t size = reader.U32();
  const std::uint32_t crc = reader.U32();
  const std::string_view body = reader.Take(size);
  if (!reader.ok() || body.empty() || Crc32c(body) != crc) return std::nullopt;
  rest = reader.rest();
  return body;
}

}  // namespace tidemark::format
