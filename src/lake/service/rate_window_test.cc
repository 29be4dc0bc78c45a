#include "lake/service/rate_window.h"

#include <gtest/gtest.h>

namespace tidemark::lake {
namespace {

// Seconds after a whole minute.
Micros At(std::int64_t seconds) { return Micros((60'000'000 + seconds) * kMicrosPerSecond); }

TEST(RateWindow, IsOverTheTimeSinceTheBeginningAtFirst) {
  RateWindow rate;
  rate.Add(At(10), 300);
  EXPECT_DOUBLE_EQ(rate.PerSecond(At(30), At(0)), 10);
  EXPECT_DOUBLE_EQ(rate.PerSecond(At(10), At(10)), 300) << "over a second at least";
}

TEST(RateWindow, ForgetsWhatIsTenMinutesOld) {
  RateWindow rate;
  rate.Add(At(0), 1000);
  rate.Add(At(300), 540);
  EXPECT_DOUBLE_EQ(rate.PerSecond(At(599), At(0)), 1540.0 / 599);
  EXPECT_DOUBLE_EQ(rate.PerSecond(At(600), At(0)), 540.0 / 540);
  EXPECT_DOUBLE_EQ(rate.PerSecond(At(6000), At(0)), 0);
}

TEST(RateWindow, ASlotIsUsedAnewTenMinutesLater) {
  RateWindow rate;
  rate.Add(At(0), 1000);
  rate.Add(At(600), 54);
  EXPECT_DOUBLE_EQ(rate.PerSecond(At(600), At(0)), 54.0 / 540);
}

}  // namespace
}  // namespace tidemark::lake
