#include "lake/service/sink_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tidemark::lake {

namespace {

using ::testing::HasSubstr;

constexpr Micros kTen(1788516000000000);  // 2026-09-04T10:00:00Z

class SinkReporterTest : public ::testing::Test {
 protected:
  static CommittedWindow Window(std::vector<format::LostRange> lost) {
    CommittedWindow window;
    window.manifest.window = {
        .k = format::WindowNumber(1), .start = kTen, .end = kTen + kMicrosPerSecond};
    window.manifest.lost = std::move(lost);
    return window;
  }

  std::string Rendered() const { return metrics_.Render(); }

  io::ManualClock clock_{kTen};
  obs::Metrics metrics_;
  obs::Health health_{clock_, 300'000};
  std::string logged_;
  obs::Log log_{clock_, {}, [this](std::string_view line) { logged_ += line; }};
  StatusBoard board_{clock_, health_, {}};
  SinkReporter reporter_{metrics_, health_, log_, board_, clock_};
};

TEST_F(SinkReporterTest, CountsWhatRetentionTookApartFromTheHoles) {
  auto window = Window({{.partition = "a", .from = Offset(0), .to = Offset(6)}});
  window.holes = 3;
  reporter_.OnCommitted("orders", window);
  EXPECT_THAT(Rendered(), HasSubstr("queen_s3_records_lost_total{queue=\"orders\"} 4\n"));
  EXPECT_THAT(Rendered(), HasSubstr("tidemark_log_holes_total{queue=\"orders\"} 3\n"));
}

TEST_F(SinkReporterTest, CountsAndLogsPartitionsCreatedAnew) {
  reporter_.OnRecreated("orders", "cust-7");
  EXPECT_THAT(Rendered(), HasSubstr("tidemark_partitions_recreated_total{queue=\"orders\"} 1\n"));
  EXPECT_THAT(logged_, HasSubstr("cust-7"));
}

TEST_F(SinkReporterTest, HasNoLagBeforeTheFirstRecord) {
  SinkProgress progress{.newest_safe_time = kTen + 60 * kMicrosPerSecond, .complete_through = kTen};
  reporter_.OnProgress("orders", progress);
  EXPECT_THAT(Rendered(), HasSubstr("queen_s3_lag_seconds{queue=\"orders\"} 0\n"));

  progress.buffered_bytes = 100;
  reporter_.OnProgress("orders", progress);
  EXPECT_THAT(Rendered(), HasSubstr("queen_s3_lag_seconds{queue=\"orders\"} 60\n"));
}

TEST_F(SinkReporterTest, AQueueWhoseFirstPassNeverEndsStandsStill) {
  reporter_.OnProgress("orders", {});
  clock_.Set(clock_.Now() + 900 * kMicrosPerSecond);
  reporter_.OnProgress("orders", {});
  EXPECT_EQ(health_.Check().status, 200);
  clock_.Set(clock_.Now() + kMicrosPerMilli);
  EXPECT_EQ(health_.Check().status, 503);
}

TEST_F(SinkReporterTest, LogsOneLineForTheFaultsOfAKind) {
  const Error refused{.code = ErrorCode::kUnavailable, .message = "refused"};
  reporter_.OnFault("orders", "put queen/queue=orders/a", refused);
  reporter_.OnFault("audit", "put queen/queue=audit/b", refused);
  reporter_.OnFault("audit", "fetch", refused);
  EXPECT_EQ(std::ranges::count(logged_, '\n'), 2) << logged_;
  clock_.Set(clock_.Now() + 5 * kMicrosPerSecond);
  reporter_.OnFault("orders", "put queen/queue=orders/c", refused);
  EXPECT_THAT(logged_, HasSubstr("suppressed=1"));
}

TEST_F(SinkReporterTest, AddsUpWhatAllQueuesHold) {
  reporter_.OnProgress("orders", {.buffered_bytes = 100});
  reporter_.OnProgress("audit", {.buffered_bytes = 20});
  reporter_.OnProgress("orders", {.buffered_bytes = 30});
  EXPECT_THAT(Rendered(), HasSubstr("queen_s3_buffer_bytes 50\n"));
}

}  // namespace

}  // namespace tidemark::lake
