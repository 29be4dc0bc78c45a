#pragma once
// When positions were taken in, about: how old is what is not committed yet. Pure.

#include <deque>
#include <optional>

#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::edge {

class PositionTimes {
 public:
  // Every position up to `synced` was there at `now`; to be told every second or so. Positions
  // below an earlier one are passed over.
  void Note(Position synced, Micros now);

  // Positions up to here are asked for no more.
  void Forget(Position committed);

  // When the first position behind `committed` was there, at most a sample too late; of positions
  // from before the first note, the time of that. nullopt: nothing is behind it.
  std::optional<Micros> FirstAfter(Position committed) const;

 private:
  struct Sample {
    Position synced;
    Micros at;
  };

  // Above, every second one goes and only every second note is kept from then on: a backlog of days
  // is told to the minute.
  static constexpr std::size_t kSamplesMax = 4096;

  std::deque<Sample> samples_;
  Sample latest_;
  std::size_t stride_ = 1;  // one note in so many is a sample
  std::size_t passed_ = 0;  // notes since the last sample
};

}  // namespace tidemark::edge
