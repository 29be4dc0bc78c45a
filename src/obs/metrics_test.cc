#include "obs/metrics.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace tidemark::obs {
namespace {

// The lines of `text` that begin with `start`, joined by line feeds.
std::string LinesOf(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) found += line + "\n";
  }
  return found;
}

TEST(Metrics, EveryFamilyIsDeclaredInOrderBeforeAnythingHappened) {
  const std::string declared = LinesOf(Metrics().Render(), "# TYPE ");
  EXPECT_EQ(declared,
            "# TYPE queen_s3_lag_seconds gauge\n"
            "# TYPE queen_s3_safe_lag_seconds gauge\n"
            "# TYPE queen_s3_windows_committed_total counter\n"
            "# TYPE queen_s3_records_written_total counter\n"
            "# TYPE queen_s3_bytes_written_total counter\n"
            "# TYPE queen_s3_records_lost_total counter\n"
            "# TYPE queen_s3_window_records histogram\n"
            "# TYPE queen_s3_window_bytes histogram\n"
            "# TYPE queen_s3_buffer_bytes gauge\n"
            "# TYPE queen_s3_fetch_calls_total counter\n"
            "# TYPE queen_s3_discovery_partitions gauge\n"
            "# TYPE queen_s3_s3_requests_total counter\n"
            "# TYPE queen_s3_commit_precondition_lost_total counter\n"
            "# TYPE queen_s3_checkpoint_age_windows gauge\n"
            "# TYPE tidemark_log_holes_total counter\n"
            "# TYPE tidemark_payload_newlines_total counter\n"
            "# TYPE tidemark_partitions_recreated_total counter\n"
            "# TYPE tidemark_complete_through_seconds gauge\n"
            "# TYPE tidemark_memory_limit_bytes gauge\n"
            "# TYPE tidemark_memory_used_bytes gauge\n"
            "# TYPE tidemark_memory_room_bytes gauge\n"
            "# TYPE tidemark_queues_given_back_total counter\n");
}

TEST(Metrics, EveryFamilyHasHelp) {
  const std::string help = LinesOf(Metrics().Render(), "# HELP ");
  EXPECT_EQ(std::count(help.begin(), help.end(), '\n'), 22);
  EXPECT_NE(help.find("# HELP queen_s3_records_lost_total Offsets that"), std::string::npos);
}

TEST(Metrics, AGaugeKeepsTheLastValueAndACounterTheSum) {
  Metrics metrics;
  metrics.Set(Metric::kBufferBytes, {}, 7);
  metrics.Set(Metric::kBufferBytes, {}, 5);
  metrics.Add(Metric::kWindowsCommitted, {"orders"});
  metrics.Add(Metric::kWindowsCommitted, {"orders"}, 2);
  EXPECT_EQ(metrics.Value(Metric::kBufferBytes, {}), 5);
  EXPECT_EQ(metrics.Value(Metric::kWindowsCommitted, {"orders"}), 3);
  EXPECT_EQ(metrics.Value(Metric::kWindowsCommitted, {"clicks"}), 0);
}

TEST(Metrics, ASeriesThatIsKeptIsTheOneOfItsLabels) {
  Metrics metrics;
  const Gauge lag = metrics.GaugeOf(Metric::kLagSeconds, {"orders"});
  const Counter calls = metrics.CounterOf(Metric::kFetchCalls, {"orders", "ok"});
  lag.Set(5);
  calls.Add();
  metrics.Add(Metric::kFetchCalls, {"orders", "ok"}, 2);
  EXPECT_EQ(metrics.Value(Metric::kLagSeconds, {"orders"}), 5);
  EXPECT_EQ(metrics.Value(Metric::kFetchCalls, {"orders", "ok"}), 3);
}

TEST(Metrics, ASeriesThatIsKeptIsExposedFromItsFirstValueOn) {
  Metrics metrics;
  const Gauge lag = metrics.GaugeOf(Metric::kLagSeconds, {"orders"});
  EXPECT_EQ(LinesOf(metrics.Render(), "queen_s3_lag_seconds"), "");
  lag.Set(0);
  EXPECT_EQ(LinesOf(metrics.Render(), "queen_s3_lag_seconds"),
            "queen_s3_lag_seconds{queue=\"orders\"} 0\n");
}

TEST(Metrics, LabelsKeepTheirOrderAndSeriesAreSortedByThem) {
  Metrics metrics;
  metrics.Add(Metric::kS3Requests, {"put", "503"});
  metrics.Add(Metric::kS3Requests, {"head", "404"});
  metrics.Add(Metric::kS3Requests, {"put", "200"}, 4);
  EXPECT_EQ(LinesOf(metrics.Render(), "queen_s3_s3_requests_total"),
            "queen_s3_s3_requests_total{op=\"head\",code=\"404\"} 1\n"
            "queen_s3_s3_requests_total{op=\"put\",code=\"200\"} 4\n"
            "queen_s3_s3_requests_total{op=\"put\",code=\"503\"} 1\n");
}

TEST(Metrics, QuotesBackslashesAndLineFeedsOfALabelAreEscaped) {
  Metrics metrics;
  metrics.Add(Metric::kLogHoles, {"a\"b\\c\nd"});
  EXPECT_EQ(LinesOf(metrics.Render(), "tidemark_log_holes_total"),
            "tidemark_log_holes_total{queue=\"a\\\"b\\\\c\\nd\"} 1\n");
}

TEST(Metrics, WholeNumbersHaveNoPointAndFractionsAreExact) {
  Metrics metrics;
  metrics.Set(Metric::kLagSeconds, {"a"}, 999'999'999'999'999);
  metrics.Set(Metric::kLagSeconds, {"b"}, 0.25);
  metrics.Set(Metric::kLagSeconds, {"c"}, 1788516000.123456);
  EXPECT_EQ(LinesOf(metrics.Render(), "queen_s3_lag_seconds"),
            "queen_s3_lag_seconds{queue=\"a\"} 999999999999999\n"
            "queen_s3_lag_seconds{queue=\"b\"} 0.25\n"
            "queen_s3_lag_seconds{queue=\"c\"} 1788516000.123456\n");
}

TEST(Metrics, BucketsAreCumulativeAndHoldTheirUpperBound) {
  Metrics metrics;
  for (const double records : {5.0, 500.0}) metrics.Observe(Metric::kWindowRecords, records);
  EXPECT_EQ(LinesOf(metrics.Render(), "queen_s3_window_records"),
            "queen_s3_window_records_bucket{le=\"1\"} 0\n"
            "queen_s3_window_records_bucket{le=\"10\"} 1\n"
            "queen_s3_window_records_bucket{le=\"100\"} 1\n"
            "queen_s3_window_records_bucket{le=\"1000\"} 2\n"
            "queen_s3_window_records_bucket{le=\"10000\"} 2\n"
            "queen_s3_window_records_bucket{le=\"100000\"} 2\n"
            "queen_s3_window_records_bucket{le=\"1000000\"} 2\n"
            "queen_s3_window_records_bucket{le=\"10000000\"} 2\n"
            "queen_s3_window_records_bucket{le=\"+Inf\"} 2\n"
            "queen_s3_window_records_sum 505\n"
            "queen_s3_window_records_count 2\n");
  metrics.Observe(Metric::kWindowBytes, 1'048'576);
  EXPECT_EQ(LinesOf(metrics.Render(), "queen_s3_window_bytes_bucket{le=\"1048576\""),
            "queen_s3_window_bytes_bucket{le=\"1048576\"} 1\n");
}

TEST(Metrics, AnUnlabelledCounterStandsAtZero) {
  EXPECT_EQ(LinesOf(Metrics().Render(), "queen_s3_commit_precondition_lost_total"),
            "queen_s3_commit_precondition_lost_total 0\n");
}

TEST(Metrics, AWrongNumberOfLabelsIsABug) {
  Metrics metrics;
  EXPECT_DEATH(metrics.Add(Metric::kFetchCalls, {"orders"}), "queen_s3_fetch_calls_total");
  EXPECT_DEATH(metrics.CounterOf(Metric::kFetchCalls, {"orders"}), "queen_s3_fetch_calls_total");
}

}  // namespace
}  // namespace tidemark::obs
