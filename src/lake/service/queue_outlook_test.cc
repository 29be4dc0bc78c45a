#include "lake/service/queue_outlook.h"

#include <gtest/gtest.h>

namespace tidemark::lake {
namespace {

using format::WindowNumber;

constexpr Micros kTen{1'788'516'000'000'000};  // 2026-09-04T10:00:00Z

Documents CommittedAt(std::int64_t k) {
  Documents documents;
  documents.committed = format::Committed{.k = WindowNumber(k), .t_end = kTen, .manifest = ""};
  return documents;
}

TEST(DescribeNext, WithoutDocumentsTheStartRuleDecides) {
  EXPECT_EQ(DescribeNext({}, {.kind = Start::Kind::kEarliest, .at = {}}),
            "starts with window 1, from the beginning of the log on");
  EXPECT_EQ(DescribeNext({}, {.kind = Start::Kind::kLatest, .at = {}}),
            "starts with window 1, from the moment of the start on");
  EXPECT_EQ(DescribeNext({}, {.kind = Start::Kind::kAt, .at = kTen}),
            "starts with window 1, from 2026-09-04T10:00:00.000000Z on");
}

TEST(DescribeNext, AStartThatIsFixedAlreadyWinsOverTheRule) {
  EXPECT_EQ(DescribeNext(CommittedAt(0), {.kind = Start::Kind::kEarliest, .at = {}}),
            "starts with window 1, from 2026-09-04T10:00:00.000000Z on");
}

TEST(DescribeNext, GoesOnAfterTheCommittedWindow) {
  EXPECT_EQ(DescribeNext(CommittedAt(41), {}),
            "resumes with window 42, from 2026-09-04T10:00:00.000000Z on");
}

TEST(DescribeNext, AnIntentOfTheNextWindowComesFirst) {
  Documents documents = CommittedAt(41);
  documents.intent = format::Intent{
      .window = {.k = WindowNumber(42), .start = kTen, .end = Micros(kTen.value() + 1'000'000)},
      .form = {},
      .writer = "tidemark/1 jsonl+zstd",
      .records = 7,
      .lost = {},
      .lost_sidecar = ""};
  EXPECT_EQ(DescribeNext(documents, {}),
            "redoes window 42, [2026-09-04T10:00:00.000000Z, 2026-09-04T10:00:01.000000Z), decided "
            "and not finished: tidemark/1 jsonl+zstd, 7 records");
}

TEST(DescribeNext, AnIntentOfTheCommittedWindowIsOver) {
  Documents documents = CommittedAt(42);
  documents.intent = format::Intent{};
  documents.intent->window.k = WindowNumber(42);
  EXPECT_TRUE(DescribeNext(documents, {}).starts_with("resumes with window 43"));
}

TEST(DescribeLease, SaysWhoHoldsItAndWhatAStartDoes) {
  const auto ttl = std::chrono::seconds(30);
  const format::Lease row{.instance = "sink-1", .incarnation = "00", .since_ms = 0};
  EXPECT_EQ(DescribeLease(std::nullopt, "sink-0", ttl), "free");
  EXPECT_EQ(DescribeLease(row, "sink-0", ttl),
            "held by sink-1 since 1970-01-01T00:00:00.000000Z: a start waits until it is released, "
            "or at most 30 s after its owner's last sign of life");
  EXPECT_EQ(DescribeLease(row, "sink-1", ttl),
            "held by sink-1 since 1970-01-01T00:00:00.000000Z: this instance's own name, a start "
            "takes it over");
}

}  // namespace
}  // namespace tidemark::lake
