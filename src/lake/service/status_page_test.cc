#include "lake/service/status_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::lake {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Micros kTen{1'788'516'000'000'000};

QueueStatus Serving(const std::string& name) {
  QueueStatus queue;
  queue.queue = name;
  queue.state = QueueState::kServing;
  queue.owner = "sink-0";
  queue.committed_k = 42;
  queue.complete_through = kTen;
  queue.lag_seconds = 3;
  return queue;
}

LakeStatus LakeOf(std::vector<QueueStatus> queues) {
  LakeStatus lake;
  lake.version = "1";
  lake.sink = "default";
  lake.instance = "sink-0";
  lake.bucket = "lake at file:///lake, prefix queen";
  lake.now = Micros(kTen.value() + 90 * kMicrosPerSecond);
  lake.started_at = kTen;
  lake.memory_bytes = std::int64_t{1} << 30;
  lake.queues = std::move(queues);
  return lake;
}

TEST(StatusPage, AQueueShowsWhereItStands) {
  auto queue = Serving("orders");
  queue.partitions = 5183;
  queue.records_per_second = 12.34;
  queue.bytes_per_second = 1536;
  queue.buffered_bytes = 3 << 20;
  const auto page = RenderStatusPage(LakeOf({queue}));
  EXPECT_THAT(page, HasSubstr("<h2>orders</h2>\n<p class=\"state\">serving</p>"));
  EXPECT_THAT(page, HasSubstr("<dt>lag</dt><dd>3 s</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>complete through</dt><dd>2026-09-04 10:00:00</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>last window</dt><dd>42</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>lost offsets</dt><dd>0</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>lease</dt><dd>sink-0 (this one)</dd>"));
  EXPECT_THAT(page, HasSubstr("<dd>12.3 records/s, 1.5 KiB/s</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>in memory</dt><dd>3.0 MiB of 1.0 GiB</dd>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"good\">0 of 1 queues need a look</p>"));
}

TEST(StatusPage, ShowsTheLastWindows) {
  auto queue = Serving("orders");
  queue.windows = {{.k = 42, .end = kTen, .records = 918'442, .bytes = 44'139'012, .lost = 7}};
  EXPECT_THAT(RenderStatusPage(LakeOf({queue})),
              HasSubstr("<tr><td>42</td><td>2026-09-04 10:00:00</td><td>918\u00A0442</td>"
                        "<td>42.1 MiB</td><td class=\"bad\">7</td></tr>"));
}

TEST(StatusPage, WhatNeedsALookComesFirst) {
  auto lossy = Serving("b-lossy");
  lossy.lost = 3;
  auto stopped = Serving("d-stopped");
  stopped.state = QueueState::kStopped;
  stopped.reason = "broker and bucket are out of step";
  auto stale = Serving("c-stale");
  stale.stale = obs::Stale{.queue = "c-stale", .stale_ms = 1'000'000, .limit_ms = 900'000};
  const auto page = RenderStatusPage(LakeOf({Serving("a-well"), lossy, stale, stopped}));
  EXPECT_LT(page.find("d-stopped"), page.find("c-stale"));
  EXPECT_LT(page.find("c-stale"), page.find("b-lossy"));
  EXPECT_LT(page.find("b-lossy"), page.find("a-well"));
  EXPECT_THAT(page, HasSubstr("3 of 4 queues need a look"));
  EXPECT_THAT(page, HasSubstr("stopped: broker and bucket are out of step"));
  EXPECT_THAT(page, HasSubstr("stands still for 16 min 40 s (allowed are 15 min 0 s)"));
  EXPECT_THAT(page, HasSubstr("<dt>lost offsets</dt><dd class=\"bad\">3</dd>"));
}

TEST(StatusPage, AWaitingQueueNamesTheHolderAndIsNoAlarm) {
  auto queue = Serving("orders");
  queue.state = QueueState::kWaiting;
  queue.owner = "sink-1";
  const auto page = RenderStatusPage(LakeOf({queue}));
  EXPECT_THAT(page, HasSubstr("<section class=\"wait\">"));
  EXPECT_THAT(page, HasSubstr("waits: sink-1 holds the lease"));
  EXPECT_THAT(page, HasSubstr("0 of 1 queues need a look"));
}

TEST(StatusPage, NamesCannotBecomeMarkup) {
  auto queue = Serving("<script>alert(1)</script>");
  queue.state = QueueState::kStopped;
  queue.reason = "<img src=x>";
  queue.last_fault = "put <a>";
  queue.last_fault_at = kTen;
  const auto page = RenderStatusPage(LakeOf({queue}));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("last failed call, 1 min 30 s ago: put &lt;a&gt;"));
}

TEST(StatusPage, BeforeTheFirstWordOfTheBrokerNothingIsInvented) {
  QueueStatus queue;
  queue.queue = "orders";
  const auto page = RenderStatusPage(LakeOf({queue}));
  EXPECT_THAT(page, HasSubstr("<dd>not heard of</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>complete through</dt><dd>never</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>last window</dt><dd>not known</dd>"));
}

}  // namespace
}  // namespace tidemark::lake
