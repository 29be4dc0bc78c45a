#pragma once
// What one object of a lake, or a sink's log of rejects, holds, in words. Pure.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::verify {

// `name` is the object's key or file name: its end says what it is, and as much of the key as is
// there is explained. Shows at most `rows_max` rows, positions or objects. kInvalidArgument when
// the name is of neither, kCorruption when the bytes are not what the name says.
Result<std::string> Inspect(std::string_view name, std::string_view bytes, std::int64_t rows_max);

}  // namespace tidemark::verify
