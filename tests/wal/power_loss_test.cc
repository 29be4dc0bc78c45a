// A log that loses power at any change it makes, again and again, while producers append, readers
// read, segments go, the disk fills and syncs fail. Judged record by record: what was acknowledged
// is there, at its position, once; what was seen stays; an append is there whole or not at all.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "format/source_token.h"
#include "tests/support/wal_rig.h"

namespace tidemark {
namespace {

using test::WalLife;

// One append, and what became of it.
struct Attempt {
  std::vector<std::string> payloads;
  std::string stream;
  std::string place;
  std::optional<format::PositionRange> acknowledged;
};

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : random_(seed) {}

  void Run() {
    for (int life = 0; life < 6 && !::testing::Test::HasFatalFailure(); ++life) Live();
    disk_.SetCapacity(INT64_MAX);
    disk_.FailNextSync(false);
    WalLife last(disk_, options_);
    const Status opened = last.Open();
    ASSERT_TRUE(opened) << opened.error().message;
    Judge(last);
  }

  std::size_t acknowledged = 0;
  std::size_t deaths = 0;
  std::size_t unacknowledged_kept = 0;

 private:
  bool Chance(std::uint64_t one_in) { return random_.Next() % one_in == 0; }

  int Up(std::uint64_t below) { return static_cast<int>(random_.Next() % below); }

  void Live() {
    options_.segment_bytes = 200 + Up(3000);
    options_.group_max_bytes = 100 + Up(2000);
    {
      WalLife life(disk_, options_);
      if (!Chance(4)) life.disk().CutAfter(Up(120), Chance(2));
      const Status opened = life.Open();
      if (opened) {
        Judge(life);
        for (int i = 0; i < 3; ++i) io::Spawn(life.loop, Produce(life, i));
        life.Idle();
        if (Chance(2)) RemoveSome(life);
        for (int i = 0; i < 3; ++i) io::Spawn(life.loop, Produce(life, i));
        life.Idle();
      } else {
        ASSERT_NE(opened.error().code, ErrorCode::kCorruption) << opened.error().message;
      }
      if (life.disk().dead()) ++deaths;
      if (Chance(2)) life.disk().CutAfter(0, false);
    }
    disk_.SetCapacity(INT64_MAX);
    if (Chance(2)) disk_.LosePower(random_);
  }

  io::Task<void> Produce(WalLife& life, int producer) {
    const std::string stream = "stream " + std::to_string(producer);
    for (int round = Up(8); round > 0; --round) {
      if (Chance(12)) disk_.SetCapacity(life.wal().bytes() + Up(400));
      if (Chance(12)) disk_.SetCapacity(INT64_MAX);
      if (Chance(40)) disk_.FailNextSync();
      Attempt attempt{.payloads = {}, .stream = stream, .place = {}, .acknowledged = {}};
      for (int i = Up(4); i >= 0; --i) {
        attempt.payloads.push_back(std::to_string(next_id_++) +
                                   std::string(random_.Next() % 700, 'x'));
      }
      attempt.place = std::to_string(next_id_);
      attempts_.push_back(attempt);
      const std::size_t index = attempts_.size() - 1;
      const std::string token =
          format::EncodeSourceToken({.stream = attempt.stream, .place = attempt.place});
      const auto range = co_await life.AppendTask(attempt.payloads, token);
      if (!range) continue;
      attempts_[index].acknowledged = *range;
      ++acknowledged;
    }
  }

  void RemoveSome(WalLife& life) {
    const Position to(life.wal().synced_through().value() / 2);
    IgnoreError(test::Await(life.loop, life.wal().RemoveThrough(to)), "it may be dead");
    removed_ = std::max(removed_, to);
  }

  // Compares the log with what was acknowledged and with what was seen before.
  void Judge(WalLife& life) {
    const Position from = life.wal().segments().front().first;
    ASSERT_LE(from, removed_ + 1);
    const auto payloads = life.Payloads(from);
    ASSERT_EQ(life.wal().synced_through(), from + static_cast<std::int64_t>(payloads.size()) - 1);
    std::map<std::string, Position> at;
    for (std::size_t i = 0; i < payloads.size(); ++i) {
      const Position position = from + static_cast<std::int64_t>(i);
      ASSERT_TRUE(at.emplace(payloads[i], position).second) << "twice: " << payloads[i];
      const auto [seen, is_new] = seen_.emplace(position, payloads[i]);
      ASSERT_EQ(seen->second, payloads[i]) << "changed since it was seen: " << position.value();
    }
    ASSERT_TRUE(seen_.empty() || seen_.rbegin()->first <= life.wal().synced_through());
    for (const Attempt& attempt : attempts_) JudgeAttempt(attempt, at, from);
    JudgePlaces(life, at);
  }

  void JudgeAttempt(const Attempt& attempt,
                    const std::map<std::string, Position>& at,
                    Position from) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < attempt.payloads.size(); ++i) {
      const auto entry = at.find(attempt.payloads[i]);
      if (entry != at.end()) ++found;
      if (!attempt.acknowledged) continue;
      const Position position = attempt.acknowledged->first + static_cast<std::int64_t>(i);
      if (position < from) continue;
      ASSERT_NE(entry, at.end()) << "acknowledged and gone: " << position.value();
      ASSERT_EQ(entry->second, position);
    }
    if (attempt.acknowledged) return;
    if (found > 0) ++unacknowledged_kept;
    // Its first records may be in a segment that went.
    const bool whole =
        found == 0 || found == attempt.payloads.size() || at.at(attempt.payloads.back()) - from < 4;
    ASSERT_TRUE(whole) << "half an append: " << attempt.payloads.front();
  }

  // The latest place is that of the last record in the log, or of one that went with its segment.
  void JudgePlaces(WalLife& life, const std::map<std::string, Position>& at) {
    std::map<std::string, std::pair<Position, std::string>> latest;
    for (const Attempt& attempt : attempts_) {
      const auto entry = at.find(attempt.payloads.back());
      if (entry == at.end()) continue;
      auto& known = latest[attempt.stream];
      if (entry->second > known.first) known = {entry->second, attempt.place};
    }
    for (const auto& [stream, place] : latest) {
      ASSERT_EQ(life.wal().LatestPlace("drop", stream), place.second) << stream;
    }
    for (const Attempt& attempt : attempts_) {
      if (attempt.acknowledged) {
        ASSERT_TRUE(life.wal().LatestPlace("drop", attempt.stream).has_value());
      }
    }
  }

  io::SeededRandom random_;
  io::LossyFileSystem disk_;
  edge::WalOptions options_;
  std::vector<Attempt> attempts_;
  std::map<Position, std::string> seen_;
  Position removed_;
  int next_id_ = 0;
};

TEST(WalPowerLoss, NothingAcknowledgedIsMissingAndNothingIsTwice) {
  std::size_t acknowledged = 0;
  std::size_t deaths = 0;
  std::size_t kept = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trial trial(seed);
    trial.Run();
    if (HasFatalFailure()) return;
    acknowledged += trial.acknowledged;
    deaths += trial.deaths;
    kept += trial.unacknowledged_kept;
  }
  // The trials reach what they are for.
  EXPECT_GT(acknowledged, 10'000u);
  EXPECT_GT(deaths, 500u);
  EXPECT_GT(kept, 100u);
}

}  // namespace
}  // namespace tidemark
