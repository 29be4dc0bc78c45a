#include "lake/engine/held_body.h"

#include <utility>

namespace tidemark::lake {

namespace {

struct Held {
  std::shared_ptr<const queen::AnswerBody> body;
  Reservation reservation;
};

// A run in its lane, the same run in a plan, and its lane's part of the plan, as the heap rounds
// them.
constexpr std::int64_t kRunBytes = 160;

}  // namespace

std::int64_t HeldBytes(const queen::AnswerBody& body, std::int64_t runs) {
  return static_cast<std::int64_t>(body.held_bytes()) + runs * kRunBytes;
}

std::shared_ptr<const queen::AnswerBody> Hold(std::shared_ptr<const queen::AnswerBody> body,
                                              Reservation reservation) {
  auto held = std::make_shared<Held>(std::move(body), std::move(reservation));
  const auto* text = held->body.get();
  return {std::move(held), text};
}

}  // namespace tidemark::lake
