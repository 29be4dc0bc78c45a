#include "edge/status_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const PageFacts kFacts{.version = "1.2.3",
                       .node_id = "gw-01",
                       .data_dir = "/var/<lib>",
                       .config_hash = "0123456789abcdef",
                       .started_at = Micros(0)};

PipelineStatus Running() {
  PipelineStatus status;
  status.now = Micros(3'661 * kMicrosPerSecond);
  status.sources = {{.id = "in", .counters = {.records = 1'234, .answers = {{202, 9}}}}};
  SinkReport sink{.id = "local", .lag_records = 4, .oldest_age_us = 90 * kMicrosPerSecond};
  sink.status.counters.rejects = {{"decode.json", 2}, {"size", 1}};
  status.sinks = {sink};
  status.wal.bytes_max = 1 << 20;
  return status;
}

TEST(StatusPage, ShowsSourcesLogAndSinks) {
  const std::string page = RenderStatusPage(Running(), kFacts, "");
  for (const char* piece : {"<p class=\"good\">healthy</p>",
                            "<dt>up</dt><dd>1 h 1 min</dd>",
                            "<h2>source in</h2>",
                            "<dt>records taken in</dt><dd>1\u00A0234</dd>",
                            "<dt>answers 202</dt><dd>9</dd>",
                            "<dt>on disk</dt><dd>0 B of 1.0 MiB</dd>",
                            "<h2>sink local</h2>",
                            "<dt>behind intake</dt><dd>4 records</dd>",
                            "<dt>oldest not finalized</dt><dd>1 min 30 s</dd>",
                            "<dt>rejects</dt><dd class=\"bad\">3</dd>",
                            "<tr><td>2</td><td>decode.json</td></tr>",
                            "tidemark 1.2.3 at 1970-01-01 01:01:01 UTC"}) {
    EXPECT_THAT(page, HasSubstr(piece));
  }
}

TEST(StatusPage, SaysWhatStandsStill) {
  PipelineStatus status = Running();
  status.sinks[0].status.stuck = "its disk budget is used up";
  const std::string page =
      RenderStatusPage(status, kFacts, "sink local: its disk budget is used up");
  EXPECT_THAT(page, HasSubstr("<p class=\"bad\">sink local: its disk budget"));
  EXPECT_THAT(page, HasSubstr("<p class=\"state\">stands still: its disk budget"));
  EXPECT_THAT(page, Not(HasSubstr("healthy")));
}

TEST(StatusPage, NamesAreNoMarkup) {
  const std::string page = RenderStatusPage(Running(), kFacts, "<script>");
  EXPECT_THAT(page, HasSubstr("/var/&lt;lib&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace tidemark::edge
