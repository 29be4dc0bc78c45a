#include "lake/engine/discovery_pass.h"

#include <gtest/gtest.h>

namespace tidemark::lake {
namespace {

constexpr Micros kSafe{1'788'516'000'000'000};
constexpr std::int64_t kSlack = 2 * kMicrosPerSecond;

// One pass of one page; what it asked with.
queen::DiscoveryEntry OnePage(DiscoveryPass& pass, Micros t_prev) {
  pass.MakeDue();
  const auto entry = pass.NextPage("orders", t_prev);
  EXPECT_TRUE(entry.has_value());
  EXPECT_TRUE(pass.OnPage(kSafe, ""));
  return *entry;
}

TEST(DiscoveryPass, TheFirstIsFullAndTheRestAreIncremental) {
  DiscoveryPass pass;
  EXPECT_EQ(OnePage(pass, kSafe).since, std::nullopt);
  EXPECT_EQ(OnePage(pass, kSafe).since, kSafe - kSlack);
}

TEST(DiscoveryPass, EveryThirtiethIsFull) {
  DiscoveryPass pass;
  for (int n = 0; n <= 60; ++n) {
    EXPECT_EQ(OnePage(pass, kSafe).since.has_value(), n % 30 != 0) << n;
  }
}

TEST(DiscoveryPass, WithoutACommittedEndEveryPassIsFull) {
  DiscoveryPass pass;
  for (int n = 0; n < 3; ++n) EXPECT_EQ(OnePage(pass, kMinusInfinity).since, std::nullopt);
}

TEST(DiscoveryPass, PagesGoOnToTheEndAndTheLowestSafeTimeCounts) {
  DiscoveryPass pass;
  EXPECT_EQ(pass.NextPage("orders", kSafe)->after, "");
  EXPECT_EQ(pass.NextPage("orders", kSafe), std::nullopt) << "one page at a time";
  EXPECT_FALSE(pass.OnPage(kSafe, "n|a"));
  EXPECT_EQ(pass.complete_safe(), std::nullopt);
  EXPECT_EQ(pass.NextPage("orders", kSafe)->after, "n|a");
  EXPECT_FALSE(pass.OnPage(kSafe - 7, "n|b"));
  EXPECT_EQ(pass.NextPage("orders", kSafe)->after, "n|b");
  EXPECT_TRUE(pass.OnPage(kSafe + 9, ""));
  EXPECT_EQ(pass.complete_safe(), kSafe - 7);
  EXPECT_EQ(pass.NextPage("orders", kSafe), std::nullopt) << "the next pass is not due";
}

TEST(DiscoveryPass, AFailureBeginsAgainAtTheFirstPage) {
  DiscoveryPass pass;
  pass.NextPage("orders", kSafe);
  pass.OnPage(kSafe - 7, "n|a");
  pass.NextPage("orders", kSafe);
  pass.OnFailure();
  const auto again = pass.NextPage("orders", kSafe);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->after, "");
  EXPECT_EQ(again->since, std::nullopt);
  pass.OnPage(kSafe, "");
  EXPECT_EQ(pass.complete_safe(), kSafe) << "what the broken pass heard does not count";
}

}  // namespace
}  // namespace tidemark::lake
