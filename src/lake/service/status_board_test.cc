#include "lake/service/status_board.h"

#include <gtest/gtest.h>

namespace tidemark::lake {
namespace {

constexpr Micros kTen{1'788'516'000'000'000};

struct Rig {
  io::ManualClock clock{kTen};
  obs::Health health{clock, 1000};
  StatusBoard board{clock,
                    health,
                    {.version = "1",
                     .sink = "default",
                     .instance = "sink-0",
                     .bucket = "lake",
                     .memory_bytes = 1 << 20}};

  QueueStatus Of(const std::string& queue) {
    for (auto& status : board.Snapshot().queues) {
      if (status.queue == queue) return status;
    }
    return {};
  }
};

format::Manifest WindowOf(std::int64_t k, std::int64_t records = 60) {
  format::Manifest manifest;
  manifest.window = {.k = format::WindowNumber(k), .start = kTen, .end = kTen};
  manifest.records = records;
  manifest.bytes = 10 * records;
  return manifest;
}

TEST(StatusBoard, AQueueStartsThenServesUnderOurLease) {
  Rig rig;
  rig.board.OnTracked("orders");
  EXPECT_EQ(rig.Of("orders").state, QueueState::kStarting);
  SinkProgress progress;
  progress.committed_k = 41;
  progress.complete_through = kTen;
  progress.buffered_bytes = 7;
  progress.committing_bytes = 5;
  progress.newest_safe_time = kTen;
  rig.board.OnProgress("orders", progress, 2.5);
  const auto status = rig.Of("orders");
  EXPECT_EQ(status.state, QueueState::kServing);
  EXPECT_EQ(status.owner, "sink-0");
  EXPECT_EQ(status.committed_k, 41);
  EXPECT_EQ(status.complete_through, kTen);
  EXPECT_EQ(status.lag_seconds, 2.5);
  EXPECT_EQ(status.buffered_bytes, 12);
  EXPECT_EQ(rig.board.Snapshot().newest_safe_time, kTen);
  EXPECT_EQ(rig.board.Snapshot().buffered_bytes(), 12);
}

TEST(StatusBoard, KeepsTheLastWindowsNewestFirstAndTheLossesOfAll) {
  Rig rig;
  for (std::int64_t k = 1; k <= 7; ++k) {
    auto window = WindowOf(k);
    if (k == 1) window.lost = {{.partition = "a", .from = Offset(3), .to = Offset(5)}};
    rig.board.OnCommitted("orders", window);
  }
  const auto status = rig.Of("orders");
  ASSERT_EQ(status.windows.size(), StatusBoard::kWindowsKept);
  EXPECT_EQ(status.windows.front().k, 7);
  EXPECT_EQ(status.windows.back().k, 3);
  EXPECT_EQ(status.lost, 3);
  EXPECT_EQ(status.committed_k, 7);
}

TEST(StatusBoard, ThroughputIsWhatWasCommitted) {
  Rig rig;
  rig.board.OnCommitted("orders", WindowOf(1, 60));
  rig.clock.Set(kTen + 30 * kMicrosPerSecond);
  EXPECT_DOUBLE_EQ(rig.Of("orders").records_per_second, 2);
  EXPECT_DOUBLE_EQ(rig.Of("orders").bytes_per_second, 20);
}

TEST(StatusBoard, WaitingNamesTheHolderAndServingEndsIt) {
  Rig rig;
  rig.board.OnHeldByOther("orders", "sink-1");
  EXPECT_EQ(rig.Of("orders").state, QueueState::kWaiting);
  EXPECT_EQ(rig.Of("orders").owner, "sink-1");
  rig.board.OnProgress("orders", {}, 0);
  EXPECT_EQ(rig.Of("orders").owner, "sink-0");
}

TEST(StatusBoard, AStoppedQueueSaysWhyUntilItServesAgain) {
  Rig rig;
  rig.board.OnProgress("orders", {}, 0);
  rig.board.OnStopped("orders", "the lease was lost");
  EXPECT_EQ(rig.Of("orders").state, QueueState::kStopped);
  EXPECT_EQ(rig.Of("orders").reason, "the lease was lost");
  EXPECT_EQ(rig.Of("orders").owner, "");
  rig.board.OnProgress("orders", {}, 0);
  EXPECT_EQ(rig.Of("orders").reason, "");
}

TEST(StatusBoard, KnowsWhatHealthSaysOfEachQueue) {
  Rig rig;
  rig.board.OnTracked("a");
  rig.board.OnTracked("b");
  rig.health.Report("b", kTen, kTen);
  rig.clock.Set(kTen + 31 * kMicrosPerSecond);
  EXPECT_FALSE(rig.Of("a").stale.has_value());
  ASSERT_TRUE(rig.Of("b").stale.has_value());
  EXPECT_EQ(rig.Of("b").stale->stale_ms, 31'000);
}

TEST(StatusBoard, RemembersTheLastFault) {
  Rig rig;
  rig.board.OnFault("orders", "fetch", {.code = ErrorCode::kUnavailable, .message = "no answer"});
  EXPECT_EQ(rig.Of("orders").last_fault, "fetch: no answer");
  EXPECT_EQ(rig.Of("orders").last_fault_at, kTen);
}

}  // namespace
}  // namespace tidemark::lake
