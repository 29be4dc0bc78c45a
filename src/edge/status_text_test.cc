#include "edge/status_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

using ::testing::HasSubstr;

PipelineStatus Running() {
  PipelineStatus status;
  status.now = Micros(10'000'000);
  status.sources = {{.id = "drop", .counters = {.records = 7, .bytes = 70}}};
  SinkStatus sink;
  sink.counters.rows = 5;
  sink.counters.rejects = {{"decode.json", 2}};
  sink.watermark = Position(3);
  sink.oldest_open = Micros(8'500'000);
  status.sinks = {{.id = "local", .status = sink}};
  status.synced_through = Position(7);
  status.wal_bytes = 10;
  status.wal_bytes_max = 100;
  return status;
}

TEST(MetricsText, HasAFamilyForEachFigure) {
  const std::string text = MetricsText(Running());
  for (const char* line : {"tidemark_edge_records_taken_total{source=\"drop\"} 7\n",
                           "tidemark_edge_rows_total{sink=\"local\"} 5\n",
                           "tidemark_edge_rejects_total{sink=\"local\",reason=\"decode.json\"} 2\n",
                           "tidemark_edge_watermark{sink=\"local\"} 3\n",
                           "tidemark_edge_lag_records{sink=\"local\"} 4\n",
                           "tidemark_edge_oldest_open_seconds{sink=\"local\"} 1.5\n",
                           "tidemark_edge_wal_bytes 10\n",
                           "# TYPE tidemark_edge_wal_bytes gauge\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Health, IsGreenWhileItRuns) {
  EXPECT_EQ(HealthOf(Running()).status, 200);
  EXPECT_EQ(HealthOf(Running()).body, "{\"ok\":true,\"sources\":1,\"sinks\":1}\n");
}

TEST(Health, IsRedWhenASinkHasNoRoom) {
  PipelineStatus status = Running();
  status.sinks[0].status.stuck = "its disk budget is used up";
  EXPECT_EQ(HealthOf(status).status, 503);
  EXPECT_THAT(HealthOf(status).body, HasSubstr("sink local"));
}

TEST(Health, IsRedWhenIntakeIsWithheld) {
  PipelineStatus status = Running();
  status.wal_withheld = "the disk of the log is full";
  EXPECT_EQ(HealthOf(status).status, 503);
}

TEST(Health, IsRedAfterAFailureAndSaysWhich) {
  PipelineStatus status = Running();
  status.failure = "fsync: no";
  EXPECT_EQ(HealthOf(status).body, "{\"ok\":false,\"reason\":\"fsync: no\"}\n");
}

}  // namespace
}  // namespace tidemark::edge
