#pragma once
// The discovery state machine (queen-interface 2.2): a pass is one `since` and all its pages; its
// safe time is the lowest of its pages, and only a complete pass may anchor a window's end.

#include <optional>
#include <string>

#include "base/time.h"
#include "queen/types.h"

namespace tidemark::lake {

inline constexpr std::int64_t kDiscoverySlack =
    2 * kMicrosPerSecond;                   // above the one-second quantisation
inline constexpr int kFullSweepEvery = 30;  // completed passes

class DiscoveryPass {
 public:
  // A new pass may start when none is open.
  void MakeDue() { due_ = true; }

  // The page to ask for now; nullopt while one is under way or nothing is due. `t_prev` is the end
  // of the last window: what was written before it is known already.
  std::optional<queen::DiscoveryEntry> NextPage(const std::string& queue, Micros t_prev);

  // A page came. True when it ended the pass.
  bool OnPage(Micros safe_time, const std::string& next);
  // The pass is thrown away and begins again at its first page.
  void OnFailure();

  // Complete passes so far.
  int completed() const { return completed_; }

  // Safe time of the last complete pass.
  std::optional<Micros> complete_safe() const { return complete_safe_; }

 private:
  bool due_ = true;
  bool open_ = false;
  bool outstanding_ = false;
  std::optional<Micros> since_;
  std::string after_;
  Micros lowest_ = kPlusInfinity;
  int completed_ = 0;
  std::optional<Micros> complete_safe_;
};

}  // namespace tidemark::lake
