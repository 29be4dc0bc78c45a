#include "obs/health.h"

#include <gtest/gtest.h>

namespace tidemark::obs {
namespace {

constexpr Micros kNow{1'788'516'000'000'000};
constexpr Micros kSafe{1'788'515'900'000'000};

class HealthTest : public ::testing::Test {
 protected:
  void Pass(std::int64_t ms) { clock_.Set(clock_.Now() + ms * kMicrosPerMilli); }

  io::ManualClock clock_{kNow};
  Health health_{clock_, 300'000};
};

TEST_F(HealthTest, CountsTheQueuesThatAreWell) {
  health_.Track("orders");
  health_.Report("clicks", kSafe, kSafe);
  EXPECT_EQ(health_.Check().status, 200);
  EXPECT_EQ(health_.Check().body, R"({"ok":true,"queues":2})");
}

TEST_F(HealthTest, IsStaleOnlyAboveTheLimit) {
  health_.Report("orders", kSafe - 1, kSafe);
  Pass(900'000);
  EXPECT_EQ(health_.Check().status, 200);
  Pass(1);
  EXPECT_EQ(health_.Check().status, 503);
  EXPECT_EQ(health_.Check().body,
            R"({"ok":false,"queue":"orders","staleMs":900001,"limitMs":900000})");
}

TEST_F(HealthTest, TheLimitIsThreeWindowsButAtLeastThirtySeconds) {
  const auto limit_of = [this](std::int64_t max_window_ms) {
    Health health(clock_, max_window_ms);
    health.Report("q", kSafe - 1, kSafe);
    Pass(10'000'000);
    return health.Check().body;
  };
  EXPECT_NE(limit_of(1'000).find("\"limitMs\":30000}"), std::string::npos);
  EXPECT_NE(limit_of(60'000).find("\"limitMs\":180000}"), std::string::npos);
}

TEST_F(HealthTest, MovingOnIsProgressAndStandingStillIsNot) {
  health_.Report("orders", kSafe - 9, kSafe);
  Pass(900'000);
  health_.Report("orders", kSafe - 8, kSafe);
  Pass(900'000);
  EXPECT_EQ(health_.Check().status, 200);
  health_.Report("orders", kSafe - 8, kSafe);
  Pass(1);
  EXPECT_EQ(health_.Check().status, 503);
}

TEST_F(HealthTest, AnIdleQueueThatKeepsUpWithTheSafeTimeStaysGreen) {
  health_.Report("orders", kSafe, kSafe);
  Pass(900'000);
  health_.Report("orders", kSafe, kSafe);
  Pass(900'000);
  EXPECT_EQ(health_.Check().status, 200);
}

TEST_F(HealthTest, AQueueThatNeverReportedIsWell) {
  health_.Track("orders");
  Pass(10'000'000);
  EXPECT_EQ(health_.Check().status, 200);
}

TEST_F(HealthTest, AQueueThatFailsBeforeItsFirstReportStandsStillFromThenOn) {
  health_.Track("orders");
  Pass(10'000'000);
  health_.Fail("orders");
  Pass(900'000);
  health_.Fail("orders");
  EXPECT_EQ(health_.Check().status, 200);
  Pass(1);
  EXPECT_EQ(health_.Check().status, 503);
}

TEST_F(HealthTest, AFailureAfterAReportChangesNothing) {
  health_.Report("orders", kSafe - 1, kSafe);
  Pass(900'000);
  health_.Fail("orders");
  Pass(1);
  EXPECT_EQ(health_.Check().status, 503);
}

TEST_F(HealthTest, TheFirstStaleQueueByNameIsNamed) {
  health_.Report("b", kSafe - 1, kSafe);
  health_.Report("a\"", kSafe - 1, kSafe);
  Pass(1'000'000);
  EXPECT_NE(health_.Check().body.find(R"("queue":"a\"")"), std::string::npos);
}

TEST_F(HealthTest, AQueueGivenUpIsForgotten) {
  health_.Report("orders", kSafe - 1, kSafe);
  Pass(1'000'000);
  health_.Forget("orders");
  EXPECT_EQ(health_.Check().body, R"({"ok":true,"queues":0})");
}

TEST_F(HealthTest, AClockThatStepsBackTakesNoProgressAway) {
  health_.Report("orders", kSafe - 9, kSafe);
  Pass(-5'000'000);
  health_.Report("orders", kSafe - 8, kSafe);
  EXPECT_EQ(health_.Check().status, 200);
  Pass(5'900'000);
  EXPECT_EQ(health_.Check().status, 200);
}

}  // namespace
}  // namespace tidemark::obs
