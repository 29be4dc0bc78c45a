#include "io/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/sim_loop.h"

namespace tidemark::io {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Doubles numbers; keeps what was sent together, and when.
class GatherTest : public ::testing::Test {
 public:
  void Ask(int item, milliseconds at) { Spawn(loop_, AskAt(item, at)); }

 protected:
  static constexpr milliseconds kTravel{30};

  Task<void> AskAt(int item, milliseconds at) {
    if (at > milliseconds(0)) co_await Sleep(loop_, at, {});
    auto answer = co_await gather_.Call(item);
    answers_.push_back(answer ? *answer : -item);
    answered_at_.push_back(std::chrono::duration_cast<milliseconds>(loop_.Now()).count());
  }

  Task<Result<std::vector<int>>> Send(std::vector<int> items) {
    sent_.push_back(items);
    sent_at_.push_back(std::chrono::duration_cast<milliseconds>(loop_.Now()).count());
    co_await Sleep(loop_, kTravel, {});
    if (std::ranges::find(items, broken_) != items.end()) co_return Fail(broken_code_, "broken");
    for (int& item : items) item *= 2;
    co_return items;
  }

  SimLoop loop_;
  std::vector<std::vector<int>> sent_;
  std::vector<std::int64_t> sent_at_;
  std::vector<int> answers_;
  std::vector<std::int64_t> answered_at_;
  int broken_ = -1;
  ErrorCode broken_code_ = ErrorCode::kUnavailable;
  Gather<int, int> gather_{loop_,
                           {.interval = milliseconds(100), .items_max = 4},
                           [this](std::vector<int> items) { return Send(std::move(items)); }};
};

TEST_F(GatherTest, ACallThatComesAloneGoesOutAtOnce) {
  Ask(1, milliseconds(0));
  Ask(2, milliseconds(100));
  Ask(3, milliseconds(250));
  loop_.Run();
  EXPECT_THAT(sent_at_, ElementsAre(0, 100, 250));
  EXPECT_THAT(answers_, ElementsAre(2, 4, 6));
  EXPECT_THAT(answered_at_, ElementsAre(30, 130, 280));
}

TEST_F(GatherTest, CallsOfOneMomentGoTogether) {
  for (const int item : {1, 2, 3}) Ask(item, milliseconds(0));
  loop_.Run();
  EXPECT_THAT(sent_, ElementsAre(ElementsAre(1, 2, 3)));
  EXPECT_THAT(answers_, ElementsAre(2, 4, 6));
}

TEST_F(GatherTest, WhatComesSoonAfterABatchWaitsForTheNext) {
  Ask(1, milliseconds(0));
  Ask(2, milliseconds(10));
  Ask(3, milliseconds(90));
  Ask(4, milliseconds(101));
  loop_.Run();
  EXPECT_THAT(sent_, ElementsAre(ElementsAre(1), ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_THAT(sent_at_, ElementsAre(0, 100, 200));
}

TEST_F(GatherTest, AFullBatchDoesNotWait) {
  for (int item = 0; item < 10; ++item) Ask(item, milliseconds(item));
  loop_.Run();
  EXPECT_THAT(
      sent_,
      ElementsAre(
          ElementsAre(0), ElementsAre(1, 2, 3, 4), ElementsAre(5, 6, 7, 8), ElementsAre(9)));
  EXPECT_THAT(sent_at_, ElementsAre(0, 4, 8, 100));
  EXPECT_EQ(answers_.size(), 10u);
}

TEST_F(GatherTest, AnErrorOfABatchIsEveryItems) {
  broken_ = 2;
  for (const int item : {1, 2, 3}) Ask(item, milliseconds(0));
  loop_.Run();
  EXPECT_EQ(sent_.size(), 1u);
  EXPECT_THAT(answers_, ElementsAre(-1, -2, -3));
}

TEST_F(GatherTest, AnItemThatIsRefusedTakesNoOtherWithIt) {
  broken_ = 2;
  broken_code_ = ErrorCode::kInvalidArgument;
  for (const int item : {1, 2, 3}) Ask(item, milliseconds(0));
  loop_.Run();
  EXPECT_THAT(answers_, UnorderedElementsAre(2, -2, 6));
  EXPECT_THAT(sent_,
              ElementsAre(ElementsAre(1, 2, 3), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
}

}  // namespace
}  // namespace tidemark::io
