#include "lake/engine/held_body.h"

#include <utility>

namespace tidemark::lake {

namespace {

struct Held {
  std::shared_ptr<const queen::AnswerBody> body;
  Reservation reservation;
};

}  // namespace

std::shared_ptr<const queen::AnswerBody> Hold(std::shared_ptr<const queen::AnswerBody> body,
                                              Reservation reservation) {
  auto held = std::make_shared<Held>(std::move(body), std::move(reservation));
  const auto* text = held->body.get();
  return {std::move(held), text};
}

}  // namespace tidemark::lake
