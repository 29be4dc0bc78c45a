#include "edge/status_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PipelineStatus Running() {
  PipelineStatus status;
  status.sources = {
      {.id = "in",
       .counters = {
           .records = 7, .bytes = 70, .answers = {{202, 3}, {503, 1}}, .cut = {{"handshake", 4}}}}};
  SinkReport sink{.id = "local", .lag_records = 4, .oldest_age_us = 1'500'000};
  sink.status.counters = {.rows = 5, .files = 2, .rejects = {{"decode.json", 2}}};
  sink.status.watermark = Position(3);
  sink.status.open_files = 1;
  sink.disk_bytes_max = 1000;
  sink.status.reject_bytes = 20;
  sink.reject_bytes_max = 200;
  status.sinks = {sink};
  status.wal = {.synced_through = Position(7), .bytes = 10, .bytes_max = 100};
  status.wal.counters.groups = 6;
  return status;
}

TEST(StatusMetrics, HasASeriesForEachFigure) {
  obs::Metrics metrics(obs::Wing::kEdge);
  ReportStatus(Running(), true, metrics);
  const std::string text = metrics.Render();
  for (const char* line : {"tidemark_edge_healthy 1\n",
                           "tidemark_edge_records_taken_total{source=\"in\"} 7\n",
                           "tidemark_edge_bytes_taken_total{source=\"in\"} 70\n",
                           "tidemark_edge_requests_total{source=\"in\",code=\"202\"} 3\n",
                           "tidemark_edge_requests_total{source=\"in\",code=\"503\"} 1\n",
                           "tidemark_edge_requests_cut_total{source=\"in\",why=\"handshake\"} 4\n",
                           "tidemark_edge_wal_bytes 10\n",
                           "tidemark_edge_wal_limit_bytes 100\n",
                           "tidemark_edge_wal_position 7\n",
                           "tidemark_edge_wal_groups_total 6\n",
                           "# TYPE tidemark_edge_wal_sync_seconds histogram\n",
                           "tidemark_edge_rows_total{sink=\"local\"} 5\n",
                           "tidemark_edge_files_total{sink=\"local\"} 2\n",
                           "tidemark_edge_rejects_total{sink=\"local\",reason=\"decode.json\"} 2\n",
                           "tidemark_edge_watermark{sink=\"local\"} 3\n",
                           "tidemark_edge_lag_records{sink=\"local\"} 4\n",
                           "tidemark_edge_oldest_unfinalized_seconds{sink=\"local\"} 1.5\n",
                           "tidemark_edge_open_files{sink=\"local\"} 1\n",
                           "tidemark_edge_disk_limit_bytes{sink=\"local\"} 1000\n",
                           "tidemark_edge_quarantine_bytes{sink=\"local\"} 20\n",
                           "tidemark_edge_quarantine_limit_bytes{sink=\"local\"} 200\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("queen_s3")));
}

TEST(StatusMetrics, TotalsAreSetAndNotAdded) {
  obs::Metrics metrics(obs::Wing::kEdge);
  ReportStatus(Running(), true, metrics);
  ReportStatus(Running(), false, metrics);
  EXPECT_EQ(metrics.Value(obs::Metric::kEdgeRows, {"local"}), 5);
  EXPECT_EQ(metrics.Value(obs::Metric::kEdgeHealthy, {}), 0);
}

}  // namespace
}  // namespace tidemark::edge
