#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/report_json.h"
#include "verify/report_text.h"

namespace tidemark::verify {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

QueueReport Flights() {
  QueueReport queue;
  queue.queue = "flights";
  queue.first = format::WindowNumber(1);
  queue.last = format::WindowNumber(2);
  queue.windows = 2;
  queue.start = Micros(1788516000000000);
  queue.end = Micros(1788519600000000);
  queue.align = "hour";
  queue.objects = 2;
  queue.records = 7;
  queue.bytes = 4096;
  queue.partitions = 3;
  queue.min_ts = Micros(1788516000000001);
  queue.max_ts = Micros(1788519599999999);
  return queue;
}

Report Sound() {
  Report report;
  report.queues = {Flights()};
  return report;
}

Report WithLoss() {
  auto report = Sound();
  report.queues[0].lost = {{format::WindowNumber(2), {"N1", Offset(3), Offset(5)}}};
  report.queues[0].lost_offsets = 3;
  return report;
}

Report Damaged() {
  auto report = WithLoss();
  report.findings.Add({.kind = FindingKind::kWrongBytes,
                       .queue = "flights",
                       .k = format::WindowNumber(2),
                       .key = "queen/x",
                       .message = "its bytes are others"});
  return report;
}

TEST(RenderText, SaysWhatWasRead) {
  EXPECT_EQ(RenderText(Sound()),
            "queue flights: 2 windows (1 to 2), 2026-09-04T10:00:00.000000Z to "
            "2026-09-04T11:00:00.000000Z\n"
            "  7 records of 3 partitions in 2 objects, 4096 bytes; 0 checkpoints\n"
            "complete: 7 records in 2 windows, every one exactly once\n");
}

TEST(RenderText, ListsLosses) {
  const auto text = RenderText(WithLoss());
  EXPECT_THAT(text, HasSubstr("window 2: partition \"N1\", offsets 3 to 5\n"));
  EXPECT_THAT(text, HasSubstr("HOLES: 3 offsets lost"));
}

TEST(RenderText, NamesEachFindingAndDamageComesFirst) {
  const auto text = RenderText(Damaged());
  EXPECT_THAT(text,
              HasSubstr("wrong-bytes: queue flights window 2: its bytes are others\n"
                        "  at queen/x\n"));
  EXPECT_THAT(text, EndsWith("DAMAGED: 1 finding\n"));
}

TEST(RenderText, AFindingOfNoQueueHasOneColon) {
  Report report;
  report.findings.Add({.kind = FindingKind::kStray,
                       .queue = "",
                       .k = std::nullopt,
                       .key = "queen/x",
                       .message = "it is no key"});
  EXPECT_THAT(RenderText(report), HasSubstr("stray: it is no key\n  at queen/x\n"));
}

TEST(RenderText, ALakeBelowAMebibyteIsToldInKibibytes) {
  auto report = Sound();
  report.queues[0].bytes = 20'480;
  EXPECT_THAT(RenderText(report), HasSubstr(", 20.0 KiB;"));
}

TEST(RenderText, NamesAWindowInFlight) {
  auto report = Sound();
  report.queues[0].pending =
      Pending{{format::WindowNumber(3), Micros(1788519600000000), Micros(1788519700000000)}, 1, 9};
  EXPECT_THAT(RenderText(report), HasSubstr("pending: window 3 "));
}

TEST(RenderText, SaysHowManyFindingsWereNotKept) {
  Report report;
  for (std::size_t i = 0; i < Findings::kKept + 2; ++i) report.findings.Add({});
  EXPECT_THAT(RenderText(report), HasSubstr("and 2 more findings, not kept\n"));
}

TEST(RenderJson, HoldsEverything) {
  EXPECT_EQ(RenderJson(Damaged()),
            R"({
  "verdict": "damaged",
  "queues": [
    {
      "queue": "flights",
      "windows": 2,
      "firstWindow": 1,
      "lastWindow": 2,
      "tStart": 1788516000000000,
      "tEnd": 1788519600000000,
      "align": "hour",
      "objects": 2,
      "records": 7,
      "bytes": 4096,
      "partitions": 3,
      "partitionsRecreated": 0,
      "checkpoints": 0,
      "minTs": 1788516000000001,
      "maxTs": 1788519599999999,
      "lostOffsets": 3,
      "lost": [
        {
          "k": 2,
          "partition": "N1",
          "from": 3,
          "to": 5
        }
      ],
      "committedMeanwhile": 0
    }
  ],
  "findings": [
    {
      "kind": "wrong-bytes",
      "queue": "flights",
      "k": 2,
      "key": "queen/x",
      "message": "its bytes are others"
    }
  ],
  "findingsTotal": 1
}
)");
}

TEST(RenderJson, HasThreeVerdicts) {
  EXPECT_THAT(RenderJson(Sound()), HasSubstr(R"("verdict": "complete")"));
  EXPECT_THAT(RenderJson(WithLoss()), HasSubstr(R"("verdict": "holes")"));
}

TEST(RenderJson, AListedLossIsAHoleWhateverItsSum) {
  auto report = WithLoss();
  report.queues[0].lost_offsets = 0;
  EXPECT_THAT(RenderJson(report), HasSubstr(R"("verdict": "holes")"));
  EXPECT_THAT(RenderText(report), HasSubstr("HOLES"));
}

TEST(RenderJson, SurvivesNamesThatAreNoUtf8) {
  auto report = Sound();
  report.queues[0].queue = "\xff";
  EXPECT_THAT(RenderJson(report), Not(HasSubstr("\xff")));
}

}  // namespace
}  // namespace tidemark::verify
