#include "store/upload.h"

#include <gtest/gtest.h>

#include "store/checked_store.h"
#include "store/faulty_store.h"
#include "store/memory_store.h"
#include "tests/support/run_task.h"

namespace tidemark::store {
namespace {

using test::RunTask;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class UploadTest : public testing::Test {
 protected:
  Upload Start(std::int64_t threshold_mib) {
    UploadOptions options;
    options.multipart_threshold_bytes = threshold_mib * kMiB;
    options.between_parts = [this] { ++hooks_; };
    return Upload(checked_, "k", "text/plain", std::move(options));
  }

  // Appends `mib` MiB of changing bytes, one MiB a call, and finishes.
  Status Write(Upload& upload, int mib) {
    for (int i = 0; i < mib; ++i) {
      std::string chunk(kMiB, static_cast<char>('a' + i % 26));
      expected_ += chunk;
      Status appended = RunTask(loop_, upload.Append(std::move(chunk)));
      most_held_ = std::max(most_held_, upload.buffered_bytes());
      if (!appended) return appended;
    }
    return RunTask(loop_, upload.Finish());
  }

  io::SimLoop loop_;
  MemoryStore memory_{loop_};
  FaultyStore faulty_{loop_, memory_};
  CheckedStore checked_{faulty_};
  std::string expected_;
  std::int64_t most_held_ = 0;
  int hooks_ = 0;
};

TEST_F(UploadTest, UpToTheThresholdIsOnePut) {
  Upload upload = Start(20);
  ASSERT_TRUE(Write(upload, 20).has_value());
  EXPECT_EQ(*memory_.objects().at("k").bytes, expected_);
  EXPECT_EQ(faulty_.calls(Operation::kPut), 1);
  EXPECT_EQ(faulty_.calls(Operation::kCreateUpload), 0);
}

TEST_F(UploadTest, AboveTheThresholdGoesInPartsWithTheHookBetweenThem) {
  Upload upload = Start(20);
  ASSERT_TRUE(Write(upload, 48).has_value());
  EXPECT_EQ(*memory_.objects().at("k").bytes, expected_);
  EXPECT_EQ(memory_.objects().at("k").content_type, "text/plain");
  EXPECT_EQ(faulty_.calls(Operation::kPutPart), 3);
  EXPECT_EQ(hooks_, 2);
  EXPECT_EQ(faulty_.calls(Operation::kPut), 0);
  EXPECT_LE(most_held_, 20 * kMiB);
}

TEST_F(UploadTest, OneLargeAppendIsCutIntoPartsAndLeavesNoMoreThanOne) {
  Upload upload = Start(20);
  expected_ = std::string(30 * kMiB, 'a') + std::string(50 * kMiB, 'b');
  ASSERT_TRUE(RunTask(loop_, upload.Append(expected_.substr(0, 18 * kMiB))).has_value());
  EXPECT_EQ(upload.buffered_bytes(), 18 * kMiB);
  ASSERT_TRUE(RunTask(loop_, upload.Append(expected_.substr(18 * kMiB))).has_value());
  EXPECT_EQ(upload.buffered_bytes(), 16 * kMiB);  // the last part, as far as anybody knows
  EXPECT_EQ(hooks_, 4);
  ASSERT_TRUE(RunTask(loop_, upload.Finish()).has_value());
  EXPECT_EQ(*memory_.objects().at("k").bytes, expected_);
  EXPECT_EQ(faulty_.calls(Operation::kPutPart), 5);
}

TEST_F(UploadTest, AnEmptyObjectIsStored) {
  Upload upload = Start(20);
  ASSERT_TRUE(Write(upload, 0).has_value());
  EXPECT_EQ(*memory_.objects().at("k").bytes, "");
}

TEST_F(UploadTest, AFailedPartAbortsAndLeavesNothing) {
  Upload upload = Start(5);
  faulty_.Plant({.operation = Operation::kPutPart});
  EXPECT_EQ(Write(upload, 40).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(memory_.open_uploads(), 0u);
  EXPECT_TRUE(memory_.objects().empty());
}

TEST_F(UploadTest, AFailedCompletionAborts) {
  Upload upload = Start(5);
  faulty_.Plant({.operation = Operation::kCompleteUpload});
  EXPECT_FALSE(Write(upload, 17).has_value());
  EXPECT_EQ(memory_.open_uploads(), 0u);
}

TEST_F(UploadTest, AbortGivesUpWhatWasBegun) {
  Upload upload = Start(5);
  ASSERT_TRUE(RunTask(loop_, upload.Append(std::string(40 * kMiB, 'x'))).has_value());
  RunTask(loop_, [](Upload& begun) -> io::Task<bool> {
    co_await begun.Abort();
    co_return true;
  }(upload));
  EXPECT_EQ(memory_.open_uploads(), 0u);
  EXPECT_TRUE(memory_.objects().empty());
}

}  // namespace
}  // namespace tidemark::store
