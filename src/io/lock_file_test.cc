#include "io/lock_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace tidemark::io {
namespace {

using ::testing::HasSubstr;

class LockFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<File> Lock() {
    auto lock = LockFile(files_, path_);
    EXPECT_TRUE(lock) << lock.error().message;
    return std::move(*lock);
  }

  test::TempFolder folder_;
  PosixFileSystem files_;
  const std::string path_ = folder_.path() + "/lock";
};

TEST_F(LockFileTest, IsHeldByOne) {
  const auto lock = Lock();
  const auto second = LockFile(files_, path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(second.error().message, HasSubstr(path_));
}

TEST_F(LockFileTest, IsFreeOnceItsHolderIsGone) {
  Lock().reset();
  EXPECT_NE(Lock(), nullptr);
}

// Were it removed and made anew, one who has opened it just before would hold another lock.
TEST_F(LockFileTest, StaysTheSameFile) {
  Lock().reset();
  const auto opened = files_.OpenToRead(path_).value();
  const auto lock = Lock();
  EXPECT_TRUE(opened->HasName().value());
}

TEST_F(LockFileTest, AFolderThatIsNotThereIsNoFolderInUse) {
  EXPECT_EQ(LockFile(files_, path_ + "/none/lock").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tidemark::io
