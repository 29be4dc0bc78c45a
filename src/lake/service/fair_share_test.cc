#include "lake/service/fair_share.h"

#include <gtest/gtest.h>

#include "format/presence.h"
#include "tests/support/await.h"
#include "tests/support/memory_broker.h"

namespace tidemark::lake {
namespace {

using Appetite = FairShare::Appetite;
using std::chrono::seconds;
using test::Await;

class FairShareTest : public ::testing::Test {
 protected:
  FairShare Make(std::string instance, std::string queue_set = "*") {
    return FairShare(loop_,
                     broker_,
                     {.sink = "default",
                      .instance = std::move(instance),
                      .queue_set = std::move(queue_set),
                      .ttl = seconds(30)});
  }

  void Exchange(FairShare& share, std::int64_t held) { Await(loop_, share.Exchange(held)); }

  io::SimLoop loop_;
  testing::MemoryBroker broker_{loop_};
};

TEST_F(FairShareTest, AloneItWantsEverything) {
  FairShare share = Make("a");
  Exchange(share, 0);
  EXPECT_EQ(share.AppetiteFor(9, 10), Appetite::kHungry);
  EXPECT_EQ(share.AppetiteFor(10, 10), Appetite::kFull);
  EXPECT_EQ(share.TakeSurplus(10, 10), 0);
}

TEST_F(FairShareTest, TwoHearOfEachOther) {
  FairShare a = Make("a");
  FairShare b = Make("b");
  Exchange(a, 4);
  Exchange(b, 0);
  Exchange(a, 4);
  EXPECT_EQ(b.AppetiteFor(1, 4), Appetite::kHungry);
  EXPECT_EQ(b.AppetiteFor(2, 4), Appetite::kFull);
  EXPECT_EQ(a.TakeSurplus(4, 4), 1);
}

TEST_F(FairShareTest, WhatDoesNotDivideIsOneMoreForSome) {
  FairShare share = Make("a");
  share.OnPeers({3, 3});
  EXPECT_EQ(share.AppetiteFor(2, 10), Appetite::kHungry);
  EXPECT_EQ(share.AppetiteFor(3, 10), Appetite::kContent);
  EXPECT_EQ(share.AppetiteFor(4, 10), Appetite::kFull);
  EXPECT_EQ(share.TakeSurplus(4, 10), 0);
}

TEST_F(FairShareTest, ALargeSurplusGoesByQuarters) {
  FairShare share = Make("a");
  share.OnPeers({0});
  EXPECT_EQ(share.TakeSurplus(1000, 1000), 125);
}

TEST_F(FairShareTest, TheNextIsGivenWhenTheLastWasTaken) {
  FairShare share = Make("a");
  share.OnPeers({0});
  EXPECT_EQ(share.TakeSurplus(6, 6), 1);
  EXPECT_EQ(share.TakeSurplus(5, 6), 0);
  share.OnPeers({1});
  EXPECT_EQ(share.TakeSurplus(5, 6), 1);
}

TEST_F(FairShareTest, WhatNobodyTakesIsOfferedEverMoreSeldom) {
  FairShare share = Make("a");
  share.OnPeers({0});
  std::vector<int> offered;
  for (int minute = 0; minute < 20; ++minute) {
    if (share.TakeSurplus(6, 6) > 0) offered.push_back(minute);
    loop_.RunUntil(loop_.Now() + std::chrono::minutes(1));
  }
  EXPECT_EQ(offered, (std::vector<int>{0, 2, 6, 14}));
}

TEST_F(FairShareTest, ServersOfOtherQueuesDoNotCount) {
  FairShare all = Make("a");
  FairShare some = Make("b", QueueSetName({"orders"}));
  Exchange(some, 0);
  Exchange(all, 5);
  EXPECT_EQ(all.TakeSurplus(5, 5), 0);
}

TEST_F(FairShareTest, ADeadInstanceCountsUntilItsRowExpires) {
  FairShare a = Make("a");
  FairShare b = Make("b");
  Exchange(b, 0);
  Exchange(a, 2);
  EXPECT_EQ(a.AppetiteFor(2, 4), Appetite::kFull);
  loop_.RunUntil(loop_.Now() + seconds(31));
  Exchange(a, 2);
  EXPECT_EQ(a.AppetiteFor(2, 4), Appetite::kHungry);
}

TEST_F(FairShareTest, WhoLeavesIsForgottenAtOnce) {
  FairShare a = Make("a");
  FairShare b = Make("b");
  Exchange(b, 0);
  Await(loop_, b.Leave());
  Exchange(a, 2);
  EXPECT_EQ(a.AppetiteFor(2, 4), Appetite::kHungry);
}

TEST_F(FairShareTest, AnUnreachableBrokerChangesNothing) {
  FairShare a = Make("a");
  FairShare b = Make("b");
  Exchange(b, 0);
  Exchange(a, 2);
  broker_.FailBefore(testing::Call::kKvGetPrefix);
  Exchange(a, 2);
  EXPECT_EQ(a.AppetiteFor(2, 4), Appetite::kFull);
}

TEST(QueueSetName, IsOneForOneSetInAnyOrder) {
  EXPECT_EQ(QueueSetName({}), "*");
  EXPECT_EQ(QueueSetName({"a", "b"}), QueueSetName({"b", "a"}));
  EXPECT_NE(QueueSetName({"a", "b"}), QueueSetName({"a"}));
}

}  // namespace
}  // namespace tidemark::lake
