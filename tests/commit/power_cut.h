#pragma once
// A process that dies in the middle, as its peers see it: from some call on nothing reaches broker
// or store any more.

#include "tests/support/relays.h"

namespace tidemark::test {

// Shared by the broker and the store of one process.
struct PowerCut {
  int calls_left = -1;  // the call after so many is the last; negative: never
  bool acts = false;    // the last call still arrives, only its answer does not
  bool dead = false;

  // What becomes of the call that begins now.
  enum class Fate { kWorks, kActsUnheard, kLost };

  Fate Next() {
    if (dead) return Fate::kLost;
    if (calls_left == 0) {
      dead = true;
      return acts ? Fate::kActsUnheard : Fate::kLost;
    }
    if (calls_left > 0) --calls_left;
    return Fate::kWorks;
  }

  // `call` as the process sees it.
  template <typename R>
  io::Task<R> Pass(io::Task<R> call) {
    const Fate fate = Next();
    if (fate == Fate::kWorks) co_return co_await call;
    if (fate == Fate::kActsUnheard) co_await call;
    co_return Fail(ErrorCode::kCancelled, "the process is dead");
  }
};

using CuttableBroker = testing::RelayedBroker<PowerCut>;
using CuttableStore = testing::RelayedStore<PowerCut>;

}  // namespace tidemark::test
