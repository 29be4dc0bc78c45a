#pragma once
// LZ4 for what stays in memory: at 700 MB/s and more it costs little beside the work that it makes
// room for. What is stored or sent is compressed otherwise (base/compress.h): these bytes depend on
// the library's version.

#include <span>
#include <string>
#include <string_view>

namespace tidemark {

// Appends `bytes`, compressed, when that saves at least a quarter; else appends nothing and returns
// false. Below 2 GiB.
bool AppendLz4(std::string_view bytes, std::string& out);

// Fills `out`, which has the size of what was packed. `packed` is AppendLz4's: anything else breaks
// an invariant.
void UnpackLz4(std::string_view packed, std::span<char> out);

}  // namespace tidemark
