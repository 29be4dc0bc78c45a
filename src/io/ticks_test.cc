#include "io/ticks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "io/sim_loop.h"

namespace tidemark::io {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

class TicksTest : public ::testing::Test {
 protected:
  std::int64_t NowMs() const {
    return std::chrono::duration_cast<milliseconds>(loop_.Now()).count();
  }

  // Begins at `begin` and works for `work` after each of `count` ticks.
  Task<void> Count(milliseconds begin,
                   milliseconds work,
                   int count,
                   std::vector<std::int64_t>& at) {
    co_await Sleep(loop_, begin, {});
    Ticks ticks(loop_, milliseconds(2000));
    while (static_cast<int>(at.size()) < count && co_await ticks.Next(stop_.get_token())) {
      at.push_back(NowMs());
      co_await Sleep(loop_, work, {});
    }
  }

  SimLoop loop_;
  std::stop_source stop_;
};

TEST_F(TicksTest, ThoseOfOneIntervalFallTogetherWheneverTheyBegan) {
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
  Spawn(loop_, Count(milliseconds(1), milliseconds(3), 3, a));
  Spawn(loop_, Count(milliseconds(99), milliseconds(7), 3, b));
  loop_.Run();
  EXPECT_THAT(a, ElementsAre(2100, 4100, 6100));
  EXPECT_EQ(a, b);
}

TEST_F(TicksTest, ATickThatWasMissedIsNotMadeUpFor) {
  std::vector<std::int64_t> at;
  Spawn(loop_, Count(milliseconds(100), milliseconds(4950), 3, at));
  loop_.Run();
  EXPECT_THAT(at, ElementsAre(2100, 9100, 16'100));
}

TEST_F(TicksTest, AStopEndsTheWait) {
  std::vector<std::int64_t> at;
  Spawn(loop_, Count(milliseconds(100), milliseconds(0), 3, at));
  const auto stop = [this]() -> Task<void> {
    co_await Sleep(loop_, milliseconds(3000), {});
    stop_.request_stop();
  };
  Spawn(loop_, stop());
  loop_.Run();
  EXPECT_THAT(at, ElementsAre(2100));
  EXPECT_EQ(NowMs(), 3000);
}

}  // namespace
}  // namespace tidemark::io
