#include "broker/retention.h"

#include <gtest/gtest.h>

namespace tidemark::broker {
namespace {

constexpr std::int64_t kSecond = kMicrosPerSecond;
constexpr Micros kNow{1'000'000 * kSecond};

QueueOptions Retained(std::int64_t seconds) {
  return {.retention_enabled = true, .retention_seconds = seconds};
}

QueueOptions Held(std::int64_t seconds, std::int64_t max_seconds) {
  QueueOptions options = Retained(seconds);
  options.retention_sink_hold = "lake";
  options.retention_sink_hold_max_seconds = max_seconds;
  return options;
}

TEST(RetentionCutoff, NothingGoesUnlessAsked) {
  EXPECT_EQ(RetentionCutoff({}, kNow, std::nullopt), kMinusInfinity);
  EXPECT_EQ(RetentionCutoff({.retention_seconds = 60}, kNow, std::nullopt), kMinusInfinity);
  EXPECT_EQ(RetentionCutoff({.retention_enabled = true}, kNow, std::nullopt), kMinusInfinity);
}

TEST(RetentionCutoff, IsTheAgeAskedFor) {
  EXPECT_EQ(RetentionCutoff(Retained(60), kNow, std::nullopt), kNow - 60 * kSecond);
}

TEST(RetentionCutoff, AHoldKeepsSixtySecondsBeforeTheCommittedEnd) {
  const Micros committed = kNow - 500 * kSecond;
  EXPECT_EQ(RetentionCutoff(Held(60, 10'000), kNow, committed), committed - 60 * kSecond);
}

TEST(RetentionCutoff, AHoldThatIsAheadChangesNothing) {
  EXPECT_EQ(RetentionCutoff(Held(300, 10'000), kNow, kNow), kNow - 300 * kSecond);
}

TEST(RetentionCutoff, AHoldKeepsNothingOlderThanItsCap) {
  EXPECT_EQ(RetentionCutoff(Held(60, 1'000), kNow, kNow - 5'000 * kSecond), kNow - 1'000 * kSecond);
}

TEST(RetentionCutoff, AHoldWithoutPointerWorksByItsCap) {
  EXPECT_EQ(RetentionCutoff(Held(60, 1'000), kNow, std::nullopt), kNow - 1'000 * kSecond);
}

TEST(RetentionCutoff, TheMaxWaitEvictionIgnoresTheHold) {
  QueueOptions options = Held(60, 10'000);
  options.max_wait_seconds = 100;
  EXPECT_EQ(RetentionCutoff(options, kNow, kNow - 5'000 * kSecond), kNow - 100 * kSecond);
}

TEST(CommittedEnd, IsReadInItsIsoFormOnly) {
  EXPECT_EQ(CommittedEnd(R"({"k":8,"tEnd":"2026-09-04T10:05:00Z","bytes":1})"),
            Micros(1'788'516'300'000'000));
  EXPECT_EQ(CommittedEnd(R"({"k":8,"tEnd":1788516300000000})"), std::nullopt);
  EXPECT_EQ(CommittedEnd(R"({"k":8,"tEnd":"2026-09-04T10:05:00+00:00"})"), std::nullopt);
  EXPECT_EQ(CommittedEnd(R"({"k":8})"), std::nullopt);
  EXPECT_EQ(CommittedEnd("[]"), std::nullopt);
}

}  // namespace
}  // namespace tidemark::broker
