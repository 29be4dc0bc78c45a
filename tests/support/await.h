#pragma once
// Runs one coroutine to its end while others on the loop go on for ever (a lease that refreshes
// itself).

#include <optional>
#include <utility>

#include "base/check.h"
#include "io/async.h"
#include "io/sim_loop.h"

namespace tidemark::test {

namespace internal {

template <typename T>
io::Task<void> KeepValue(io::Task<T> task, std::optional<T>& kept) {
  kept.emplace(co_await task);
}

inline io::Task<void> KeepEnd(io::Task<void> task, std::optional<bool>& kept) {
  co_await task;
  kept = true;
}

}  // namespace internal

// Moves virtual time on in steps of ten milliseconds while `pending()`; a day at most.
inline void RunWhile(io::SimLoop& loop, const auto& pending) {
  constexpr io::Duration kStep = std::chrono::milliseconds(10);
  const io::Duration end = loop.Now() + std::chrono::hours(24);
  loop.RunUntil(loop.Now());
  while (pending()) {
    TIDEMARK_CHECK(loop.Now() < end, "the task did not end within a day");
    loop.RunUntil(loop.Now() + kStep);
  }
}

template <typename T>
T Await(io::SimLoop& loop, io::Task<T> task) {
  std::optional<T> kept;
  io::Spawn(loop, internal::KeepValue(std::move(task), kept));
  RunWhile(loop, [&] { return !kept.has_value(); });
  return std::move(*kept);
}

inline void Await(io::SimLoop& loop, io::Task<void> task) {
  std::optional<bool> kept;
  io::Spawn(loop, internal::KeepEnd(std::move(task), kept));
  RunWhile(loop, [&] { return !kept.has_value(); });
}

}  // namespace tidemark::test
