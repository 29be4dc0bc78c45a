#include "io/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "io/lossy_file_system.h"
#include "tests/support/temp_folder.h"

namespace tidemark::io {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

// What FileSystem promises, on the disk and on the disk that can lose power.
struct Disk {
  test::TempFolder folder;
  PosixFileSystem posix;
  LossyFileSystem lossy;
};

class FileSystemTest : public testing::TestWithParam<bool> {
 protected:
  FileSystemTest() {
    if (!GetParam()) return;
    // The fake begins empty: it needs the way to the same folder.
    for (std::size_t at = 1; at < root_.size();) {
      const std::size_t end = std::min(root_.find('/', at), root_.size());
      IgnoreError(fs_.MakeFolder(root_.substr(0, end)), "setting up");
      at = end + 1;
    }
  }

  Status Write(const std::string& name, const std::string& bytes) {
    TIDEMARK_TRY(const auto file, fs_.CreateLocked(Path(name)));
    return file->WriteAt(0, bytes);
  }

  std::string Path(const std::string& name) const { return root_ + "/" + name; }

  ErrorCode CodeOf(const Status& status) { return status ? ErrorCode{-1} : status.error().code; }

  Disk disk_;
  FileSystem& fs_ = GetParam() ? static_cast<FileSystem&>(disk_.lossy) : disk_.posix;
  std::string root_ = disk_.folder.path();
};

TEST_P(FileSystemTest, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(Write("f", "0123456789"));
  EXPECT_EQ(*fs_.Read(Path("f"), 0, INT64_MAX), "0123456789");
  EXPECT_EQ(*fs_.Read(Path("f"), 8, 5), "89");
  EXPECT_EQ(*fs_.Read(Path("f"), 20, 5), "");
  EXPECT_EQ(*fs_.SizeOf(Path("f")), 10);
}

TEST_P(FileSystemTest, WritesAtAnyPlaceAndTruncates) {
  {
    const auto file = std::move(*fs_.CreateLocked(Path("f")));
    ASSERT_TRUE(file->WriteAt(0, "abcdef"));
    ASSERT_TRUE(file->WriteAt(2, "XY"));
    ASSERT_TRUE(file->Truncate(5));
    ASSERT_TRUE(file->Sync());
  }
  EXPECT_EQ(*fs_.Read(Path("f"), 0, 100), "abXYe");
}

TEST_P(FileSystemTest, AFileIsGoneOnWithByOneAtATime) {
  ASSERT_TRUE(Write("f", "abcdef"));
  {
    const auto file = std::move(*fs_.OpenLocked(Path("f")));
    EXPECT_EQ(fs_.OpenLocked(Path("f")).error().code, ErrorCode::kUnavailable);
    ASSERT_TRUE(file->Truncate(3));
    ASSERT_TRUE(file->WriteAt(3, "XY"));
    ASSERT_TRUE(file->Sync());
  }
  EXPECT_TRUE(fs_.OpenLocked(Path("f")));
  EXPECT_EQ(*fs_.Read(Path("f"), 0, 100), "abcXY");
}

TEST_P(FileSystemTest, AnOpenFileIsReadOnWhateverItIsCalled) {
  const auto file = std::move(*fs_.CreateLocked(Path("f")));
  ASSERT_TRUE(file->WriteAt(0, "abc"));
  const auto reader = std::move(*fs_.OpenToRead(Path("f")));
  ASSERT_TRUE(fs_.Rename(Path("f"), Path("g")));
  EXPECT_EQ((*fs_.OpenToRead(Path("g")))->identity(), reader->identity());
  EXPECT_TRUE(*reader->HasName());
  ASSERT_TRUE(fs_.Remove(Path("g")));
  EXPECT_FALSE(*reader->HasName());
  ASSERT_TRUE(file->WriteAt(3, "def"));
  EXPECT_EQ(*reader->Size(), 6);
  EXPECT_EQ(*reader->Read(2, 9), "cdef");
}

TEST_P(FileSystemTest, TwoFilesAreNotTheSame) {
  ASSERT_TRUE(Write("f", "bytes"));
  ASSERT_TRUE(Write("g", "bytes"));
  EXPECT_NE((*fs_.OpenToRead(Path("f")))->identity(), (*fs_.OpenToRead(Path("g")))->identity());
}

TEST_P(FileSystemTest, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(fs_.OpenToRead(Path("none")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.OpenLocked(Path("none")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.Read(Path("none"), 0, 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.Read(Path("none/none"), 0, 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*fs_.SizeOf(Path("none")), std::nullopt);
  EXPECT_TRUE(fs_.Remove(Path("none")));
  EXPECT_TRUE(*fs_.RemoveUnlocked(Path("none")));
  EXPECT_TRUE(fs_.VisitFolder(Path("none"), [](std::string_view, bool) { FAIL(); }));
}

TEST_P(FileSystemTest, AFolderIsNoFile) {
  ASSERT_TRUE(fs_.MakeFolder(Path("d")));
  ASSERT_TRUE(fs_.MakeFolder(Path("d")));
  EXPECT_EQ(*fs_.SizeOf(Path("d")), std::nullopt);
  EXPECT_EQ(fs_.Read(Path("d"), 0, 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.OpenLocked(Path("d")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.OpenToRead(Path("d")).error().code, ErrorCode::kNotFound);
}

TEST_P(FileSystemTest, AFileIsNoFolder) {
  ASSERT_TRUE(Write("f", ""));
  EXPECT_EQ(CodeOf(fs_.MakeFolder(Path("f"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(fs_.MakeFolder(Path("f/d"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(Write("f/g", "")), ErrorCode::kInvalidArgument);
}

TEST_P(FileSystemTest, AFileIsCreatedOnce) {
  ASSERT_TRUE(Write("f", ""));
  EXPECT_EQ(CodeOf(Write("f", "")), ErrorCode::kAlreadyExists);
  EXPECT_EQ(CodeOf(Write("none/f", "")), ErrorCode::kNotFound);
}

TEST_P(FileSystemTest, RenameReplacesAFileAndNeverAFolder) {
  ASSERT_TRUE(Write("new", "new"));
  ASSERT_TRUE(Write("old", "old"));
  ASSERT_TRUE(fs_.MakeFolder(Path("d")));
  ASSERT_TRUE(fs_.Rename(Path("new"), Path("old")));
  EXPECT_EQ(*fs_.Read(Path("old"), 0, 9), "new");
  EXPECT_EQ(*fs_.SizeOf(Path("new")), std::nullopt);
  EXPECT_EQ(CodeOf(fs_.Rename(Path("old"), Path("d"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(fs_.Rename(Path("new"), Path("old"))), ErrorCode::kNotFound);
}

TEST_P(FileSystemTest, AFileBeingWrittenIsSparedUntilItsWriterIsGone) {
  auto file = std::move(*fs_.CreateLocked(Path("f")));
  EXPECT_FALSE(*fs_.RemoveUnlocked(Path("f")));
  file.reset();
  EXPECT_TRUE(*fs_.RemoveUnlocked(Path("f")));
  EXPECT_EQ(*fs_.SizeOf(Path("f")), std::nullopt);
}

TEST_P(FileSystemTest, VisitsFilesAndFolders) {
  ASSERT_TRUE(Write("f", ""));
  ASSERT_TRUE(fs_.MakeFolder(Path("d")));
  std::vector<std::pair<std::string, bool>> seen;
  const auto keep = [&](std::string_view name, bool is_folder) {
    seen.emplace_back(name, is_folder);
  };
  ASSERT_TRUE(fs_.VisitFolder(root_, keep));
  EXPECT_THAT(seen, UnorderedElementsAre(std::pair("f", false), std::pair("d", true)));
}

INSTANTIATE_TEST_SUITE_P(FileSystems, FileSystemTest, testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "lossy" : "posix");
});

TEST(LossyFileSystem, ForgetsAFileThatWasNotSynced) {
  int lost = 0;
  SeededRandom random(3);
  for (int round = 0; round < 50; ++round) {
    LossyFileSystem fs;
    auto file = std::move(*fs.CreateLocked("/f"));
    ASSERT_TRUE(file->WriteAt(0, "bytes"));
    ASSERT_TRUE(fs.SyncFolder("/"));
    fs.LosePower(random);
    lost += *fs.Read("/f", 0, 9) != "bytes";
  }
  EXPECT_GT(lost, 10);
}

TEST(LossyFileSystem, KeepsWhatWasSyncedBeforeALaterWrite) {
  SeededRandom random(3);
  for (int round = 0; round < 50; ++round) {
    LossyFileSystem fs;
    auto file = std::move(*fs.CreateLocked("/f"));
    ASSERT_TRUE(fs.SyncFolder("/"));
    ASSERT_TRUE(file->WriteAt(0, "synced "));
    ASSERT_TRUE(file->Sync());
    ASSERT_TRUE(file->WriteAt(7, std::string(2000, 'x')));
    fs.LosePower(random);
    EXPECT_EQ(*fs.Read("/f", 0, 7), "synced ");
  }
}

TEST(LossyFileSystem, AnUnsyncedWriteCanKeepItsEndAndLoseItsMiddle) {
  int holed = 0;
  SeededRandom random(3);
  for (int round = 0; round < 50; ++round) {
    LossyFileSystem fs;
    auto file = std::move(*fs.CreateLocked("/f"));
    ASSERT_TRUE(fs.SyncFolder("/"));
    ASSERT_TRUE(file->WriteAt(0, std::string(2000, 'x')));
    fs.LosePower(random);
    const std::string left = *fs.Read("/f", 0, 2000);
    holed += left.ends_with('x') && left.contains('\0');
  }
  EXPECT_GT(holed, 10);
}

TEST(LossyFileSystem, AFailedSyncLosesWhatItShowsAndALaterOneDoesNotHelp) {
  LossyFileSystem fs;
  SeededRandom random(3);
  auto file = std::move(*fs.CreateLocked("/f"));
  ASSERT_TRUE(fs.SyncFolder("/"));
  ASSERT_TRUE(file->WriteAt(0, "bytes"));
  fs.FailNextSync();
  EXPECT_EQ(file->Sync().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(*fs.Read("/f", 0, 9), "bytes");
  EXPECT_TRUE(file->Sync());
  fs.LosePower(random);
  EXPECT_EQ(*fs.Read("/f", 0, 9), "");
}

TEST(LossyFileSystem, ForgetsANameThatWasNotSynced) {
  int lost = 0;
  SeededRandom random(3);
  for (int round = 0; round < 50; ++round) {
    LossyFileSystem fs;
    auto file = std::move(*fs.CreateLocked("/f"));
    ASSERT_TRUE(file->Sync());
    fs.LosePower(random);
    lost += !fs.SizeOf("/f")->has_value();
  }
  EXPECT_GT(lost, 10);
  EXPECT_LT(lost, 40);
}

TEST(FileError, SaysWhatTheCallerCanDo) {
  EXPECT_EQ(FileError("write", "/f", ENOSPC).code, ErrorCode::kExhausted);
  EXPECT_EQ(FileError("write", "/f", EDQUOT).code, ErrorCode::kExhausted);
  EXPECT_EQ(FileError("open", "/f", EROFS).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(FileError("open", "/f", ENAMETOOLONG).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(FileError("write", "/f", EIO).code, ErrorCode::kUnavailable);
  EXPECT_THAT(FileError("write", "/f", ENOSPC).message, HasSubstr("write /f: No space"));
}

}  // namespace
}  // namespace tidemark::io
