#pragma once
// An answer body together with its share of the memory budget.

#include <cstdint>
#include <memory>

#include "lake/engine/memory_budget.h"
#include "queen/types.h"

namespace tidemark::lake {

// What an answer takes as long as any record of it is held, when its records are those of `runs`
// lanes: text, index, and what the lanes and a plan keep of each run.
std::int64_t HeldBytes(const queen::AnswerBody& body, std::int64_t runs);

// The body; `reservation` is given back when the last copy of the pointer goes.
std::shared_ptr<const queen::AnswerBody> Hold(std::shared_ptr<const queen::AnswerBody> body,
                                              Reservation reservation);

}  // namespace tidemark::lake
