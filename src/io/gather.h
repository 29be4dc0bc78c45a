#pragma once
// Many small calls as few large ones: what is asked at about the same time goes out together.

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "io/async.h"

namespace tidemark::io {

struct GatherOptions {
  // Batches are sent at least this far apart, unless one is full: a call that comes alone goes out
  // at once, one of many waits no longer than this.
  Duration interval = std::chrono::milliseconds(100);
  std::size_t items_max = 64;  // of one batch
};

// Loop thread; outlives its calls.
template <typename Item, typename Answer>
class Gather {
 public:
  // As many answers as items, in their order.
  using Send = std::function<Task<Result<std::vector<Answer>>>(std::vector<Item>)>;

  Gather(Loop& loop, GatherOptions options, Send send)
      : loop_(loop), options_(options), send_(std::move(send)) {}

  // An error of a batch is every item's, but for kInvalidArgument: one item may be to blame, so
  // each is then sent by itself.
  Task<Result<Answer>> Call(Item item) {
    Waiting mine{.item = std::move(item), .answered = Signal(loop_)};
    queue_.push_back(&mine);
    if (queue_.size() >= options_.items_max) {
      co_await SendQueued();
    } else if (!std::exchange(someone_pauses_, true)) {
      co_await Pause();
      someone_pauses_ = false;
      co_await SendQueued();
    }
    if (!mine.answer) co_await mine.answered;
    co_return std::move(*mine.answer);
  }

 private:
  struct Waiting {
    Item item;
    Signal answered;
    std::optional<Result<Answer>> answer = std::nullopt;
  };

  Task<void> Pause() {
    const Duration wait = sent_ ? *sent_ + options_.interval - loop_.Now() : Duration(0);
    if (wait > Duration(0)) {
      co_await Sleep(loop_, wait, {});
    } else {
      const Yield pause{loop_};
      co_await pause;
    }
  }

  Task<void> SendQueued() {
    const std::vector<Waiting*> batch = std::exchange(queue_, {});
    if (batch.empty()) co_return;
    sent_ = loop_.Now();
    std::vector<Item> items;
    items.reserve(batch.size());
    for (const Waiting* waiting : batch) items.push_back(waiting->item);
    auto answers = co_await send_(std::move(items));
    const bool blame_one =
        !answers && answers.error().code == ErrorCode::kInvalidArgument && batch.size() > 1;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (blame_one) {
        co_await SendAlone(*batch[i]);
      } else {
        Deliver(*batch[i], answers, i);
      }
    }
  }

  Task<void> SendAlone(Waiting& waiting) {
    std::vector<Item> items{waiting.item};
    auto answers = co_await send_(std::move(items));
    Deliver(waiting, answers, 0);
  }

  static void Deliver(Waiting& waiting, Result<std::vector<Answer>>& answers, std::size_t index) {
    if (answers) {
      TIDEMARK_CHECK(index < answers->size(), "{} answers to a larger batch", answers->size());
      waiting.answer = std::move((*answers)[index]);
    } else {
      waiting.answer = std::unexpected(answers.error());
    }
    waiting.answered.Notify();
  }

  Loop& loop_;
  GatherOptions options_;
  Send send_;
  std::vector<Waiting*> queue_;  // each lives in the frame of its call
  bool someone_pauses_ = false;
  std::optional<Duration> sent_;
};

}  // namespace tidemark::io
