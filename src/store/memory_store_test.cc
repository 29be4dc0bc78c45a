#include "store/memory_store.h"

#include <gtest/gtest.h>

#include "store/checked_store.h"
#include "store/faulty_store.h"
#include "tests/support/run_task.h"

namespace tidemark::store {
namespace {

using test::RunTask;

Bytes Text(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

constexpr char kManifest[] = "queen/_queen/orders/windows/0000000001.json";

class CheckedMemory : public testing::Test {
 protected:
  Status Put(ObjectStore& to, std::string key, std::string bytes) {
    return RunTask(loop_, to.Put(std::move(key), "text/plain", Text(std::move(bytes))));
  }

  io::SimLoop loop_;
  MemoryStore memory_{loop_};
  FaultyStore faulty_{loop_, memory_};
  CheckedStore checked_{faulty_};
};

TEST_F(CheckedMemory, TheSameBytesTwiceAreFine) {
  ASSERT_TRUE(Put(checked_, "a", "1").has_value());
  ASSERT_TRUE(Put(checked_, "a", "1").has_value());
  EXPECT_TRUE(checked_.TakeViolations().empty());
}

TEST_F(CheckedMemory, OtherBytesAreAViolationThatNamesTheKey) {
  ASSERT_TRUE(Put(checked_, "queen/a", "same 1").has_value());
  ASSERT_TRUE(Put(checked_, "queen/a", "same 2").has_value());
  const auto violations = checked_.TakeViolations();
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0],
            "queen/a was written with other bytes: 6 then, 6 now, first difference at 5");
}

TEST_F(CheckedMemory, AWriteWhoseAnswerWasLostCounts) {
  faulty_.Plant({.kind = Fault::Kind::kLoseReply,
                 .error = {.code = ErrorCode::kOutcomeUnknown, .message = "lost"}});
  EXPECT_EQ(Put(checked_, "a", "1").error().code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(*memory_.objects().at("a").bytes, "1");
  ASSERT_TRUE(Put(checked_, "a", "2").has_value());
  EXPECT_EQ(checked_.TakeViolations().size(), 1u);
}

TEST_F(CheckedMemory, AWriteThatFailedWithoutActingDoesNotCount) {
  faulty_.Plant({});
  EXPECT_EQ(Put(checked_, "a", "1").error().code, ErrorCode::kUnavailable);
  ASSERT_TRUE(Put(checked_, "a", "2").has_value());
  EXPECT_TRUE(checked_.TakeViolations().empty());
}

TEST_F(CheckedMemory, AManifestMayDifferInCommittedAtOnly) {
  ASSERT_TRUE(Put(checked_, kManifest, R"({"k":1,"committedAt":"2026-01-01"})").has_value());
  ASSERT_TRUE(Put(checked_, kManifest, R"({"k":1,"committedAt":"2026-01-02"})").has_value());
  EXPECT_TRUE(checked_.TakeViolations().empty());
  ASSERT_TRUE(Put(checked_, kManifest, R"({"k":2,"committedAt":"2026-01-01"})").has_value());
  EXPECT_EQ(checked_.TakeViolations().size(), 1u);
}

TEST_F(CheckedMemory, CachesMayChange) {
  for (const std::string key :
       {"q/_queen/orders/complete.json", "_queen/a/checkpoint/1.json.zst"}) {
    ASSERT_TRUE(Put(checked_, key, "1").has_value());
    ASSERT_TRUE(Put(checked_, key, "2").has_value());
  }
  EXPECT_TRUE(checked_.TakeViolations().empty());
}

TEST_F(CheckedMemory, PartsOfAnUploadAreComparedAsOneObject) {
  ASSERT_TRUE(Put(checked_, "a", "12").has_value());
  const auto upload = *RunTask(loop_, checked_.CreateUpload("a", "text/plain"));
  std::vector<std::string> tags;
  tags.push_back(*RunTask(loop_, checked_.PutPart(upload, 1, Text("1"))));
  tags.push_back(*RunTask(loop_, checked_.PutPart(upload, 2, Text("3"))));
  ASSERT_TRUE(RunTask(loop_, checked_.CompleteUpload(upload, tags)).has_value());
  EXPECT_EQ(checked_.TakeViolations().size(), 1u);
}

using CheckedMemoryDeathTest = CheckedMemory;

TEST_F(CheckedMemoryDeathTest, AViolationNobodyLooksAtEndsTheProcess) {
  const auto forget = [&] {
    CheckedStore forgotten(memory_);
    IgnoreError(Put(forgotten, "a", "1"), "setting up");
    IgnoreError(Put(forgotten, "a", "2"), "setting up");
  };
  EXPECT_DEATH(forget(), "a was written with other bytes");
}

TEST_F(CheckedMemory, AFaultHitsOnlyItsOperationAndKeyAndEnds) {
  faulty_.Plant({.operation = Operation::kGet, .key_part = "orders", .times = 2});
  EXPECT_TRUE(RunTask(loop_, faulty_.Get("audit")).has_value());
  EXPECT_TRUE(RunTask(loop_, faulty_.Head("orders")).has_value());
  EXPECT_FALSE(RunTask(loop_, faulty_.Get("orders")).has_value());
  EXPECT_FALSE(RunTask(loop_, faulty_.GetRange("orders", 0, 1)).has_value());
  EXPECT_TRUE(RunTask(loop_, faulty_.Get("orders")).has_value());
  EXPECT_EQ(faulty_.calls(Operation::kGet), 4);
}

TEST_F(CheckedMemory, ADelayPassesInVirtualTime) {
  faulty_.Plant({.kind = Fault::Kind::kDelay, .delay = std::chrono::minutes(5)});
  ASSERT_TRUE(Put(faulty_, "a", "1").has_value());
  EXPECT_EQ(loop_.Now(), std::chrono::minutes(5));
}

}  // namespace
}  // namespace tidemark::store
