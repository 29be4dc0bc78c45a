#pragma once
// A window engine, a log in memory, and the wire between them: the test decides what is answered
// when.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "lake/engine/engine.h"
#include "tests/support/day_time.h"
#include "tests/support/memory_log.h"

namespace tidemark::testing {

// partition, offset, ts in microseconds
using Row = std::tuple<std::string, std::int64_t, std::int64_t>;

struct RigWindow {
  format::Window window;
  std::vector<Row> rows;
  std::vector<format::LostRange> lost;
  std::int64_t holes = 0;
  bool from_log = false;

  bool operator==(const RigWindow&) const = default;
};

// The default rules, but a window may close at the safe time itself.
lake::ClosingRules NoGuard();

class EngineRig {
 public:
  explicit EngineRig(lake::EngineStart start = {},
                     lake::ClosingRules rules = {},
                     lake::FetchLimits fetch = {},
                     std::int64_t budget_bytes = std::int64_t{1} << 30);

  MemoryLog& log() { return log_; }

  lake::WindowEngine& engine() { return *engine_; }

  lake::MemoryBudget& budget() { return budget_; }

  // Polls and puts what comes out among the pending calls; a plan is committed at once.
  void Poll();
  // Answers the pending call at `index`.
  void Answer(std::size_t index);

  std::size_t pending() const { return pending_.size(); }

  // The discovery interval passes, then everything is answered until nothing is pending. `pick`
  // chooses which call is answered next; default: the oldest.
  void Settle(const std::function<std::size_t(std::size_t pending)>& pick = {});

  // Answers are packed before the engine sees them.
  void PackAnswers() { packing_ = true; }

  // A pending fetch is answered by a failure instead.
  void FailFetches() { failing_ = true; }

  void HealFetches() { failing_ = false; }

  // Every entry of that partition is answered with an error; nullopt: of none.
  void Refuse(std::optional<std::string> partition,
              queen::EntryError error = queen::EntryError::kOther) {
    refused_ = std::move(partition);
    refusal_ = error;
  }

  // What audits find in the windows since the checkpoint; default: nothing.
  void SetShipped(std::vector<format::Checkpoint::Position> shipped) {
    shipped_ = std::move(shipped);
  }

  // What a call is answered is settled when it is made (late answers), not when Answer is called.
  void AnswerAsIssued(bool as_issued) { as_issued_ = as_issued; }

  // Partitions found created anew, in that order.
  const std::vector<std::string>& recreated() const { return recreated_; }

  // Partitions asked about so far.
  const std::vector<std::string>& audited() const { return audited_; }

  const std::vector<RigWindow>& windows() const { return windows_; }

  // All rows of all windows, in commit order.
  std::vector<Row> rows() const;

  int fetches() const { return fetches_; }

  // Records that came in answers, those that came again included.
  std::size_t records_answered() const { return records_answered_; }

  std::int64_t peak_bytes() const { return peak_; }

  std::size_t entries_max() const { return entries_max_; }

 private:
  // Each puts the call among the pending ones.
  void AskForPage(const queen::DiscoveryEntry& entry);
  void AskFor(const lake::FetchCall& call);
  void AskForAudit(const std::vector<std::string>& partitions);
  void AnswerFetch(const lake::FetchCall& call, queen::FetchAnswer answer);
  void Commit(lake::Plan plan);
  std::vector<Row> ReadBack(const lake::Plan& plan,
                            std::vector<format::Checkpoint::Position>& positions);

  MemoryLog log_;
  lake::MemoryBudget budget_;
  std::unique_ptr<lake::WindowEngine> engine_;
  std::vector<std::function<void()>> pending_;
  std::vector<RigWindow> windows_;
  std::vector<format::Checkpoint::Position> shipped_;
  std::vector<std::string> audited_;
  std::vector<std::string> recreated_;
  bool as_issued_ = false;
  bool packing_ = false;
  bool failing_ = false;
  std::optional<std::string> refused_;
  queen::EntryError refusal_ = queen::EntryError::kOther;
  int fetches_ = 0;
  std::size_t records_answered_ = 0;
  std::int64_t peak_ = 0;
  std::size_t entries_max_ = 0;
};

}  // namespace tidemark::testing
