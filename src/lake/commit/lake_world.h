#pragma once
// The outside world as every part of the lake borrows it.

#include "io/clock.h"
#include "io/loop.h"
#include "io/random.h"
#include "io/worker_pool.h"
#include "queen/broker.h"
#include "store/object_store.h"

namespace tidemark::lake {

// All of it outlives every borrower. Structs that need more derive from it.
struct LakeWorld {
  io::Loop& loop;
  io::WorkerPool& pool;
  queen::Broker& broker;
  store::ObjectStore& store;
  const io::Clock& clock;
  io::Random& random;

  // For a world that adds to this one and hands on this much of itself.
  const LakeWorld& lake() const { return *this; }
};

}  // namespace tidemark::lake
