#include "broker/long_polls.h"

#include <gtest/gtest.h>

#include "io/sim_loop.h"

namespace tidemark::broker {
namespace {

constexpr auto kSecond = std::chrono::seconds(1);

class LongPollsTest : public ::testing::Test {
 protected:
  LongPollsTest() {
    Catalog::Update update(catalog_);
    update.PutQueue("q", QueueId(1), {});
    update.PutPartition(At(0));
  }

  static Partition At(std::int64_t payload_total) {
    PartitionState state;
    state.next = Offset(payload_total);
    state.payload_total = payload_total;
    return {.id = PartitionId(1), .queue = "q", .name = "a", .state = state};
  }

  void Grow(std::int64_t payload_total) {
    Catalog::Update(catalog_).PutPartition(At(payload_total));
    polls_.OnNews({{.queue = "q", .partition = "a", .payload_total = payload_total}});
  }

  // Parks a poll on q/a; its resumption is noted with the time.
  void Park(std::int64_t wanted, io::Duration wait, std::int64_t seen = 0) {
    polls_.Park({.lanes = {{"q", "a"}},
                 .seen = {seen},
                 .ready = 0,
                 .wanted = wanted,
                 .wait = wait,
                 .resume = [this] { resumed_.push_back(loop_.Now() - start_); }});
  }

  void At(io::Duration when, std::function<void()> what) {
    loop_.Post(
        [this, when, what = std::move(what)]() mutable { loop_.Schedule(when, std::move(what)); });
  }

  io::SimLoop loop_;
  const io::Duration start_ = loop_.Now();
  Catalog catalog_;
  LongPolls polls_{loop_, catalog_};
  std::vector<io::Duration> resumed_;
};

using Times = std::vector<io::Duration>;

TEST_F(LongPollsTest, WaitsItsTimeWhenNothingComes) {
  Park(1, 5 * kSecond);
  loop_.Run();
  EXPECT_EQ(resumed_, Times{5 * kSecond});
  EXPECT_EQ(polls_.parked(), 0u);
}

TEST_F(LongPollsTest, EndsWhenARecordComes) {
  Park(1, 5 * kSecond);
  At(2 * kSecond, [this] { Grow(3); });
  loop_.Run();
  EXPECT_EQ(resumed_, Times{2 * kSecond});
}

TEST_F(LongPollsTest, WaitsForAsManyBytesAsAsked) {
  Park(10, 5 * kSecond);
  At(1 * kSecond, [this] { Grow(9); });
  At(2 * kSecond, [this] { Grow(10); });
  loop_.Run();
  EXPECT_EQ(resumed_, Times{2 * kSecond});
}

TEST_F(LongPollsTest, CountsWhatCameBeforeItWasParked) {
  Grow(7);
  Park(5, 5 * kSecond, 2);
  loop_.Run();
  EXPECT_EQ(resumed_, Times{io::Duration(0)});
}

TEST_F(LongPollsTest, TheSameNewsTwiceCountOnce) {
  Park(10, 5 * kSecond);
  At(1 * kSecond, [this] { Grow(6); });
  At(2 * kSecond, [this] { Grow(6); });
  loop_.Run();
  EXPECT_EQ(resumed_, Times{5 * kSecond});
}

TEST_F(LongPollsTest, EndsWhenItsQueueIsRemoved) {
  Park(1, 5 * kSecond);
  At(1 * kSecond, [this] {
    Catalog::Update(catalog_).RemoveQueue("q");
    polls_.OnQueueRemoved("q");
  });
  loop_.Run();
  EXPECT_EQ(resumed_, Times{1 * kSecond});
}

TEST_F(LongPollsTest, ADrainEndsAllAndLaterOnesAtOnce) {
  Park(1, 5 * kSecond);
  Park(1, 5 * kSecond);
  At(1 * kSecond, [this] {
    polls_.Drain();
    Park(1, 5 * kSecond);
  });
  loop_.Run();
  EXPECT_EQ(resumed_, Times(3, 1 * kSecond));
}

}  // namespace
}  // namespace tidemark::broker
