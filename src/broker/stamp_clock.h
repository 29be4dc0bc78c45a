#pragma once
// Gives every push its stamp and every discovery its safe time, so that no stamp is ever below a
// safe time that was answered: not by concurrency, not by a clock that steps, not across a restart.
//
// Why that holds:
//  - within the process, a stamp is at least the highest safe time answered (`answered_`) and a
//    safe time is at most the first stamp of the transaction under way (`pending_`): whichever of
//    the two comes first binds the other, under one mutex;
//  - a transaction counts as under way until its records are visible (Published comes after the
//    catalog's update), so what a discovery does not list is stamped at or above the safe time it
//    answers;
//  - across restarts, a safe time is answered only up to a ceiling that is on disk, and a process
//    starts with its stamps at or above everything on disk: the ceiling and the last stamp (the
//    floor). The ceiling is raised kReserve ahead, so idle polling costs one small commit per
//    kReserve, and stamps run at most that far ahead of the wall clock after a crash (a clean stop
//    writes the exact floor);
//  - a clock that jumps back leaves both where they were until it has caught up; one that jumps
//    forward takes both along.
//
// Thread-safe.

#include <mutex>
#include <optional>

#include "base/time.h"
#include "io/clock.h"

namespace tidemark::broker {

class StampClock {
 public:
  static constexpr std::int64_t kReserve = kMicrosPerSecond;

  // `clock` must outlive this. `floor`: what the last process left on disk. `lag` (>= 0):
  // microseconds a safe time stays behind the clock.
  StampClock(const io::Clock& clock, Micros floor, std::int64_t lag);

  // The stamp of one push: at or above every earlier stamp and every safe time answered. Holds safe
  // time back until Published. Writer thread.
  Micros Stamp();

  // The transaction under way is visible, or was abandoned. `ceiling`: the floor it put on disk, if
  // it was committed.
  void Published(std::optional<Micros> ceiling);

  // No record with a smaller ts can still become visible. Never falls. nullopt: nothing newer than
  // what was answered before may be promised until a higher ceiling is on disk; write WantedFloor()
  // and call Published with it.
  // After Close: always nullopt.
  std::optional<Micros> SafeTime();

  // What must be on disk at the end of a transaction: covers its stamps and the ceiling. With
  // `reserve`, also safe times of the next kReserve.
  Micros WantedFloor(bool reserve) const;

  // Ends the promises: no safe time is answered any more. Returns the lowest floor the next process
  // may start from.
  Micros Close();

 private:
  const io::Clock& clock_;
  const std::int64_t lag_;

  mutable std::mutex mutex_;
  Micros answered_;                // highest safe time answered
  Micros last_stamp_;              // highest stamp given
  Micros ceiling_;                 // on disk: no safe time above it is answered
  std::optional<Micros> pending_;  // first stamp of the transaction under way
  bool closed_ = false;
};

}  // namespace tidemark::broker
