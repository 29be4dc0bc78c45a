#pragma once
// An answer body together with its share of the memory budget.

#include <memory>

#include "lake/engine/memory_budget.h"
#include "queen/types.h"

namespace tidemark::lake {

// The body; `reservation` is given back when the last copy of the pointer goes.
std::shared_ptr<const queen::AnswerBody> Hold(std::shared_ptr<const queen::AnswerBody> body,
                                              Reservation reservation);

}  // namespace tidemark::lake
