#pragma once
// JSON pointers (RFC 6901) as lists of keys. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidemark::edge {

// The keys from the root on; none for the empty pointer, which is the whole document.
// kInvalidArgument: it does not begin with `/`, or a `~` is followed by neither 0 nor 1.
Result<std::vector<std::string>> ParsePointer(std::string_view pointer);

// Appends `/key` with the escapes of RFC 6901.
void AppendPointerKey(std::string_view key, std::string& out);

}  // namespace tidemark::edge
