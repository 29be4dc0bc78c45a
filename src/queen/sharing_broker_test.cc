#include "queen/sharing_broker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/async.h"
#include "io/sim_loop.h"
#include "tests/support/memory_broker.h"

namespace tidemark::queen {
namespace {

using testing::Call;

class SharingBrokerTest : public ::testing::Test {
 public:
  SharingBrokerTest() {
    for (int i = 0; i < kQueues; ++i) {
      inner_.log().Append(Queue(i), "lane", inner_.Now(), {"1"});
    }
  }

  static constexpr int kQueues = 100;

  static std::string Queue(int i) { return fmt::format("q{}", i); }

  io::Task<void> DiscoverOne(std::string queue) {
    std::vector<DiscoveryEntry> entries{{.queue = queue}};
    auto answer = co_await broker_.Discover(std::move(entries));
    if (!answer || answer->entries.size() != 1 || answer->entries[0].queue != queue) co_return;
    known_ += answer->entries[0].error == EntryError::kNone;
    unknown_ += answer->entries[0].error == EntryError::kUnknownPartition;
  }

  io::Task<void> Refresh(int i, std::int64_t expect) {
    std::vector<KvPut> puts{{fmt::format("lease {}", i), "1", 30, expect}};
    auto result = co_await broker_.KvPutAll(std::move(puts));
    if (!result) {
      ++failed_;
    } else if (result->applied) {
      applied_ += result->versions.size() == 1;
    } else {
      lost_ += result->failed_index == 0u;
    }
  }

 protected:
  io::SimLoop loop_;
  testing::MemoryBroker inner_{loop_};
  SharingBroker broker_{loop_, inner_, {}};
  int known_ = 0, unknown_ = 0, applied_ = 0, lost_ = 0, failed_ = 0;
};

TEST_F(SharingBrokerTest, QueuesShareDiscoveryCallsAndEachHasItsOwnAnswer) {
  for (int i = 0; i < kQueues; ++i) io::Spawn(loop_, DiscoverOne(Queue(i)));
  io::Spawn(loop_, DiscoverOne("nobody pushed here"));
  loop_.Run();
  EXPECT_EQ(known_, kQueues);
  EXPECT_EQ(unknown_, 1);
  EXPECT_EQ(inner_.calls(Call::kDiscover), 2);
}

TEST_F(SharingBrokerTest, LaterPagesAreNotHeldUp) {
  std::vector<DiscoveryEntry> page{{.queue = Queue(0), .after = "n|lane"}};
  for (int i = 0; i < 3; ++i) {
    auto ask = [this, page]() -> io::Task<void> { co_await broker_.Discover(page); };
    io::Spawn(loop_, ask());
    loop_.Run();
  }
  EXPECT_EQ(inner_.calls(Call::kDiscover), 3);
  EXPECT_EQ(loop_.Now(), io::Duration(0));
}

TEST_F(SharingBrokerTest, RefreshesShareCallsAndEachIsJudgedByItself) {
  for (int i = 0; i < 50; ++i) io::Spawn(loop_, Refresh(i, i == 7 ? 99 : 0));
  loop_.Run();
  EXPECT_EQ(applied_, 49);
  EXPECT_EQ(lost_, 1);
  EXPECT_EQ(inner_.calls(Call::kKvPutEach), 1);
  EXPECT_EQ(inner_.calls(Call::kKvPutAll), 0);
}

TEST_F(SharingBrokerTest, AnOutcomeNobodyToldIsUnknownToEach) {
  inner_.LoseReply(Call::kKvPutEach);
  for (int i = 0; i < 5; ++i) io::Spawn(loop_, Refresh(i, 0));
  loop_.Run();
  EXPECT_EQ(failed_, 5);
}

// A fenced write is two puts that stand or fall together.
TEST_F(SharingBrokerTest, WhatIsAllOrNothingStaysSo) {
  std::vector<KvPut> puts{{"lease", "1", 30, 0}, {"document", "1", std::nullopt, 99}};
  bool applied = true;
  auto write = [&]() -> io::Task<void> {
    auto result = co_await broker_.KvPutAll(puts);
    applied = result.value().applied;
  };
  io::Spawn(loop_, write());
  loop_.Run();
  EXPECT_FALSE(applied);
  EXPECT_EQ(inner_.calls(Call::kKvPutAll), 1);
  EXPECT_EQ(inner_.calls(Call::kKvPutEach), 0);
}

}  // namespace
}  // namespace tidemark::queen
