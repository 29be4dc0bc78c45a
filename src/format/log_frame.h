#pragma once
// The frame of a sink's append-only logs (docs/formats/catalog.md): `length u32, CRC-32C u32` over
// the body, then the body. Little-endian. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace tidemark::format {

inline constexpr std::size_t kLogFrameHeaderBytes = 8;

// Appends the frame of `body`, at least one byte and less than 2^31.
void AppendLogFrame(std::string_view body, std::string& out);

// Takes the first frame off `rest` and returns its body, a view into it. nullopt, `rest` untouched:
// what follows is no whole frame with the right checksum.
std::optional<std::string_view> TakeLogFrame(std::string_view& rest);

}  // namespace tidemark::format
