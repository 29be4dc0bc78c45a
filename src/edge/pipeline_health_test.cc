#include "edge/pipeline_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// Up to position 3 of 7, at `ticks` of the loop.
PipelineStatus At(io::Duration ticks) {
  PipelineStatus status;
  status.now = Micros(100 * kMicrosPerSecond);
  status.ticks = seconds(1000) + ticks;
  status.sources = {{.id = "in"}};
  SinkReport sink{.id = "local", .max_age_us = 10 * kMicrosPerSecond};
  sink.status.read = Position(3);
  status.sinks = {sink};
  status.wal.synced_through = Position(7);
  return status;
}

TEST(PipelineHealth, IsGreenWhileItRuns) {
  PipelineHealth health;
  health.Observe(At({}));
  EXPECT_EQ(health.Check(At({})).status, 200);
  EXPECT_EQ(health.Check(At({})).body, "{\"ok\":true,\"sources\":1,\"sinks\":1}\n");
}

// Complaint C31: the process is up and collects nothing.
TEST(PipelineHealth, IsRedWhenASinkReadsNothingOfWhatIsThere) {
  PipelineHealth health;
  health.Observe(At({}));
  health.Observe(At(seconds(50)));
  EXPECT_EQ(health.Check(At(seconds(60))).status, 200);
  EXPECT_EQ(health.Check(At(seconds(61))).status, 503);
  EXPECT_THAT(health.Check(At(seconds(61))).body, HasSubstr("sink local: it has read nothing"));
}

TEST(PipelineHealth, ASinkThatGetsFurtherIsWell) {
  PipelineHealth health;
  health.Observe(At({}));
  PipelineStatus further = At(seconds(50));
  further.sinks[0].status.read = Position(4);
  health.Observe(further);
  further.ticks += seconds(60);
  EXPECT_EQ(health.Check(further).status, 200);
}

TEST(PipelineHealth, AnIdleSinkIsWellAndItsPatienceBeginsWithTheNextRecord) {
  PipelineHealth health;
  PipelineStatus idle = At({});
  idle.sinks[0].status.read = idle.wal.synced_through;
  health.Observe(idle);
  idle.ticks += seconds(1000);
  EXPECT_EQ(health.Check(idle).status, 200);
  health.Observe(idle);
  idle.wal.synced_through = Position(8);
  idle.ticks += seconds(60);
  EXPECT_EQ(health.Check(idle).status, 200);
  idle.ticks += seconds(1);
  EXPECT_EQ(health.Check(idle).status, 503);
}

TEST(PipelineHealth, IsRedWhenAFileIsNotFinalizedInTime) {
  PipelineHealth health;
  PipelineStatus status = At({});
  health.Observe(status);
  status.sinks[0].status.oldest_open = status.now - 70 * kMicrosPerSecond;
  EXPECT_EQ(health.Check(status).status, 200);
  status.now = status.now + 1;
  EXPECT_THAT(health.Check(status).body, HasSubstr("was to be finished after 10 s"));
}

TEST(PipelineHealth, IsRedWhenASinkHasNoRoom) {
  PipelineStatus status = At({});
  status.sinks[0].status.stuck = "its disk budget is used up";
  EXPECT_EQ(PipelineHealth().Check(status).body,
            "{\"ok\":false,\"reason\":\"sink local: its disk budget is used up\"}\n");
}

TEST(PipelineHealth, IsRedWhenIntakeIsWithheld) {
  PipelineStatus status = At({});
  status.wal.withheld = "the disk of the log is full";
  EXPECT_THAT(PipelineHealth().Check(status).body, HasSubstr("withheld: the disk of the log"));
}

TEST(PipelineHealth, IsRedWhenTheDiskDoesNotFinishAGroup) {
  PipelineStatus status = At({});
  status.wal.writing_for = seconds(60);
  EXPECT_EQ(PipelineHealth().Check(status).status, 200);
  status.wal.writing_for = seconds(61);
  EXPECT_THAT(PipelineHealth().Check(status).body,
              HasSubstr("writing a group of the log for 61 s"));
}

TEST(PipelineHealth, IsRedWhenASourceCannotRead) {
  PipelineStatus status = At({});
  status.sources[0].stuck = "open /in/a: Permission denied";
  EXPECT_THAT(PipelineHealth().Check(status).body, HasSubstr("source in: open /in/a"));
}

TEST(PipelineHealth, IsRedAfterAFailureAndSaysWhich) {
  PipelineStatus status = At({});
  status.failure = "fsync: no";
  EXPECT_EQ(PipelineHealth().Check(status).body, "{\"ok\":false,\"reason\":\"fsync: no\"}\n");
}

}  // namespace
}  // namespace tidemark::edge
