#include "edge/clock_state.h"

#include <gtest/gtest.h>
#include <sys/timex.h>

namespace tidemark::edge {
namespace {

TEST(ClockSynced, SaysWhatItIsTold) {
  EXPECT_TRUE(ClockSynced("true")());
  EXPECT_FALSE(ClockSynced("false")());
}

TEST(ClockSynced, AutoIsWhatTheKernelSays) {
  timex state{};
  const int answer = adjtimex(&state);
  ASSERT_GE(answer, 0);
  EXPECT_EQ(ClockSynced("auto")(), KernelSaysSynced(answer, state.status));
}

TEST(KernelSaysSynced, WantsAClockInOrder) {
  EXPECT_TRUE(KernelSaysSynced(TIME_OK, STA_PLL));
  EXPECT_TRUE(KernelSaysSynced(TIME_INS, 0));
  EXPECT_FALSE(KernelSaysSynced(TIME_OK, STA_UNSYNC));
  EXPECT_FALSE(KernelSaysSynced(TIME_ERROR, 0));
  EXPECT_FALSE(KernelSaysSynced(-1, 0));
}

}  // namespace
}  // namespace tidemark::edge
