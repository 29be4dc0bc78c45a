#pragma once
// A fetch answer that holds nothing but refusals.

#include <optional>

#include "base/result.h"
#include "queen/types.h"

namespace tidemark::lake {

// Why no partition of the call could be read, naming the `first` asked, when that is so: asked
// again at once, each would be refused again. nullopt as soon as one entry says something else; the
// offset of another one may be out of range.
std::optional<Error> RefusalOf(const queen::FetchEntry& first, const queen::FetchAnswer& answer);

}  // namespace tidemark::lake
