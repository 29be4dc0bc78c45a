#include "verify/complete_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::verify {
namespace {

using format::WindowNumber;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Windows 1 [0, 10) and 2 [10, 20), the second with its first record at 15 and two offsets lost.
CompleteCheck TwoWindows() {
  CompleteCheck check;
  format::Manifest manifest;
  manifest.window = {.k = WindowNumber(1), .start = Micros(0), .end = Micros(10)};
  manifest.min_ts = Micros(3);
  check.Enter(manifest);
  manifest.window = {.k = WindowNumber(2), .start = Micros(10), .end = Micros(20)};
  manifest.min_ts = Micros(15);
  manifest.lost = {{.partition = "a", .from = Offset(4), .to = Offset(5)}};
  check.Enter(manifest);
  return check;
}

format::Complete Saying(std::int64_t k, std::int64_t through, std::int64_t lost = 0) {
  return {.queue = "q",
          .k = WindowNumber(k),
          .complete_through = Micros(through),
          .lost = lost,
          .updated_at = {}};
}

TEST(CompleteCheck, HasNothingAgainstWhatTheManifestsBear) {
  EXPECT_THAT(TwoWindows().Contradictions(Saying(2, 20, 2)), IsEmpty());
  EXPECT_THAT(TwoWindows().Contradictions(Saying(2, 99, 0)), IsEmpty());
  EXPECT_THAT(TwoWindows().Contradictions(Saying(1, 15)), IsEmpty()) << "it is late";
  EXPECT_THAT(TwoWindows().Contradictions(Saying(0, 3)), IsEmpty());
}

TEST(CompleteCheck, ItReachesToTheEndOfItsOwnWindow) {
  EXPECT_THAT(TwoWindows().Contradictions(Saying(2, 19)),
              ElementsAre(HasSubstr("its window 2 ends at 1970-01-01T00:00:00.000020Z")));
}

TEST(CompleteCheck, NoLaterWindowHoldsAnOlderRecord) {
  EXPECT_THAT(TwoWindows().Contradictions(Saying(1, 16)),
              ElementsAre(HasSubstr("window 2 holds a record of 1970-01-01T00:00:00.000015Z")));
}

TEST(CompleteCheck, ItCountsNoLossThatNoWindowNames) {
  EXPECT_THAT(TwoWindows().Contradictions(Saying(2, 20, 3)),
              ElementsAre("it counts 3 lost offsets, the manifests up to window 2 name 2"));
  EXPECT_THAT(TwoWindows().Contradictions(Saying(1, 10, 1)),
              ElementsAre("it counts 1 lost offsets, the manifests up to window 1 name 0"));
}

TEST(CompleteCheck, TheGreatestLossesAddUpToTheGreatestNumber) {
  CompleteCheck check;
  format::Manifest manifest;
  manifest.window = {.k = WindowNumber(1), .start = Micros(0), .end = Micros(10)};
  manifest.lost = {{.partition = "a", .from = Offset(0), .to = Offset(INT64_MAX)},
                   {.partition = "b", .from = Offset(0), .to = Offset(INT64_MAX)},
                   {.partition = "c", .from = Offset(INT64_MIN), .to = Offset(INT64_MAX)}};
  check.Enter(manifest);
  EXPECT_THAT(check.Contradictions(Saying(1, 10, INT64_MAX)), IsEmpty());
}

}  // namespace
}  // namespace tidemark::verify
