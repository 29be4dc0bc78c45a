#include "store/directory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/lossy_file_system.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_folder.h"

namespace tidemark::store {
namespace {

using test::RunTask;
using testing::ElementsAre;
using testing::HasSubstr;

Bytes Text(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

std::vector<std::string> FilesIn(io::FileSystem& fs, const std::string& folder) {
  std::vector<std::string> names;
  const Status visited =
      fs.VisitFolder(folder, [&](std::string_view name, bool) { names.emplace_back(name); });
  TIDEMARK_CHECK(visited.has_value());
  return names;
}

class DirectoryStoreTest : public testing::Test {
 protected:
  std::unique_ptr<DirectoryStore> Open(io::FileSystem& fs, const std::string& dir) {
    return std::move(*DirectoryStore::Open(loop_, *pool_, fs, random_, dir, "lake"));
  }

  io::SimLoop loop_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewInlinePool(loop_);
  io::SeededRandom random_{7};
};

class OnDisk : public DirectoryStoreTest {
 protected:
  Status Put(std::string key, std::string bytes) {
    return RunTask(loop_, store_->Put(std::move(key), "text/plain", Text(std::move(bytes))));
  }

  std::string Path(const std::string& key) { return folder_.path() + "/lake/" + key; }

  std::vector<std::string> Temporaries() {
    return FilesIn(disk_, folder_.path() + "/.tidemark-tmp");
  }

  test::TempFolder folder_;
  io::PosixFileSystem disk_;
  std::unique_ptr<DirectoryStore> store_ = Open(disk_, folder_.path());
};

TEST_F(OnDisk, AnObjectIsAFileOfItsKeyAndNothingElseIsLeft) {
  ASSERT_TRUE(Put("queen/queue=a/x.jsonl", "line\n").has_value());
  std::ifstream file(Path("queen/queue=a/x.jsonl"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "line\n");
  EXPECT_THAT(Temporaries(), ElementsAre());
}

TEST_F(OnDisk, ASegmentThatIsTooLongIsRefusedWithTheReason) {
  const Status put = Put("a/" + std::string(256, 'x'), "1");
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(put.error().message, HasSubstr("a path segment has 256 bytes"));
  EXPECT_TRUE(Put("a/" + std::string(255, 'x'), "1").has_value());
}

TEST_F(OnDisk, AKeyCannotLeaveTheBucket) {
  for (const std::string key : {"../out", "a/../../out", "/etc/x", "a//b", "", "a/", "."}) {
    EXPECT_EQ(Put(key, "1").error().code, ErrorCode::kInvalidArgument) << key;
    EXPECT_EQ(RunTask(loop_, store_->Get(key))->has_value(), false) << key;
    EXPECT_TRUE(RunTask(loop_, store_->Delete(key)).has_value()) << key;
  }
  EXPECT_THAT(FilesIn(disk_, folder_.path() + "/lake"), ElementsAre());
}

TEST_F(OnDisk, AFileInThePlaceOfAFolderIsNamed) {
  ASSERT_TRUE(Put("a", "1").has_value());
  const Status put = Put("a/b", "2");
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(put.error().message, HasSubstr("Not a directory"));
  EXPECT_THAT(Temporaries(), ElementsAre());
}

TEST_F(OnDisk, AFolderRemovedUnderUsIsMadeAnew) {
  ASSERT_TRUE(Put("a/1", "1").has_value());
  std::filesystem::remove_all(folder_.path() + "/lake");
  std::filesystem::remove_all(folder_.path() + "/.tidemark-tmp");
  EXPECT_TRUE(Put("a/2", "2").has_value());
  EXPECT_TRUE(std::filesystem::exists(Path("a/2")));
}

TEST_F(OnDisk, AStartRemovesTheTemporariesOfTheDeadOnly) {
  const std::string dead = folder_.path() + "/.tidemark-tmp/0000000000000000-1";
  std::ofstream(dead) << "half";
  const auto upload = *RunTask(loop_, store_->CreateUpload("big", "text/plain"));
  const auto second = Open(disk_, folder_.path());
  EXPECT_FALSE(std::filesystem::exists(dead));
  ASSERT_TRUE(RunTask(loop_, store_->PutPart(upload, 1, Text("alive"))).has_value());
  ASSERT_TRUE(RunTask(loop_, store_->CompleteUpload(upload, {"part-1"})).has_value());
  EXPECT_EQ(**RunTask(loop_, second->Get("big")), "alive");
}

TEST_F(OnDisk, TheStoreTakesItsOpenUploadsAlong) {
  const auto upload = *RunTask(loop_, store_->CreateUpload("big", "text/plain"));
  store_.reset();
  EXPECT_THAT(Temporaries(), ElementsAre());
}

TEST_F(OnDisk, APartOutOfOrderIsRefusedAndTheLastOneMayComeAgain) {
  const auto upload = *RunTask(loop_, store_->CreateUpload("big", "text/plain"));
  EXPECT_FALSE(RunTask(loop_, store_->PutPart(upload, 2, Text("x"))).has_value());
  ASSERT_TRUE(RunTask(loop_, store_->PutPart(upload, 1, Text("longer"))).has_value());
  ASSERT_TRUE(RunTask(loop_, store_->PutPart(upload, 1, Text("one"))).has_value());
  ASSERT_TRUE(RunTask(loop_, store_->PutPart(upload, 2, Text("two"))).has_value());
  EXPECT_FALSE(RunTask(loop_, store_->PutPart(upload, 1, Text("one"))).has_value());
  ASSERT_TRUE(RunTask(loop_, store_->CompleteUpload(upload, {"part-1", "part-2"})).has_value());
  EXPECT_EQ(**RunTask(loop_, store_->Get("big")), "onetwo");
}

TEST_F(OnDisk, ABucketThatIsNoFolderNameIsRefused) {
  for (const std::string bucket : {"a/b", "..", "", ".tidemark-tmp"}) {
    const auto opened = DirectoryStore::Open(loop_, *pool_, disk_, random_, folder_.path(), bucket);
    ASSERT_FALSE(opened.has_value()) << bucket;
    EXPECT_EQ(opened.error().code, ErrorCode::kInvalidArgument);
  }
}

class OnLossyDisk : public DirectoryStoreTest {
 protected:
  io::LossyFileSystem disk_;
};

TEST_F(OnLossyDisk, WhatWasAcknowledgedSurvivesEveryPowerLoss) {
  for (int round = 0; round < 50; ++round) {
    io::LossyFileSystem disk;
    const auto store = Open(disk, "/data/new");
    ASSERT_TRUE(RunTask(loop_, store->Put("q/dt=1/hour=2/w", "t", Text("bytes"))).has_value());
    const auto upload = *RunTask(loop_, store->CreateUpload("q/dt=1/big", "t"));
    ASSERT_TRUE(RunTask(loop_, store->PutPart(upload, 1, Text("big"))).has_value());
    ASSERT_TRUE(RunTask(loop_, store->CompleteUpload(upload, {"part-1"})).has_value());
    disk.LosePower(random_);
    const auto again = Open(disk, "/data/new");
    const auto small = *RunTask(loop_, again->Get("q/dt=1/hour=2/w"));
    const auto big = *RunTask(loop_, again->Get("q/dt=1/big"));
    ASSERT_EQ(small.value_or("lost"), "bytes") << "round " << round;
    ASSERT_EQ(big.value_or("lost"), "big") << "round " << round;
    ASSERT_THAT(FilesIn(disk, "/data/new/.tidemark-tmp"), ElementsAre());
  }
}

TEST_F(OnLossyDisk, AFolderMadeButNotSyncedByAnotherProcessIsSynced) {
  for (int round = 0; round < 50; ++round) {
    io::LossyFileSystem disk;
    const auto store = Open(disk, "/data");
    ASSERT_TRUE(disk.MakeFolder("/data/lake/q").has_value());
    ASSERT_TRUE(RunTask(loop_, store->Put("q/w", "t", Text("bytes"))).has_value());
    disk.LosePower(random_);
    ASSERT_TRUE(RunTask(loop_, Open(disk, "/data")->Get("q/w"))->has_value()) << round;
  }
}

TEST_F(OnLossyDisk, AFullDiskLeavesNothingVisible) {
  const auto store = Open(disk_, "/data");
  disk_.SetCapacity(10);
  const Status put = RunTask(loop_, store->Put("a", "t", Text("eleven byte")));
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kExhausted);
  EXPECT_FALSE(RunTask(loop_, store->Head("a"))->has_value());
  EXPECT_TRUE(RunTask(loop_, store->Put("a", "t", Text("ten bytes!"))).has_value());
}

TEST_F(OnLossyDisk, ListsInKeyOrderThoughFoldersSortDifferently) {
  const auto store = Open(disk_, "/data");
  for (const std::string key : {"a/z", "a-b", "a0", "a.c/1", "a/b/c", "b"}) {
    ASSERT_TRUE(RunTask(loop_, store->Put(key, "t", Text(key))).has_value());
  }
  std::vector<std::string> keys;
  std::string after;
  while (true) {
    const auto page = *RunTask(loop_, store->List("", after, 1));
    for (const auto& object : page.objects) keys.push_back(object.key);
    if (!page.truncated) break;
    after = keys.back();
  }
  EXPECT_THAT(keys, ElementsAre("a-b", "a.c/1", "a/b/c", "a/z", "a0", "b"));
}

TEST_F(OnLossyDisk, EmptyFoldersDoNotCutAListingShort) {
  const auto store = Open(disk_, "/data");
  for (const std::string name : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(disk_.MakeFolder("/data/lake/" + name).has_value());
  }
  ASSERT_TRUE(RunTask(loop_, store->Put("e", "t", Text("1"))).has_value());
  const auto page = *RunTask(loop_, store->List("", "", 1));
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_FALSE(page.truncated);
}

TEST_F(OnLossyDisk, OpenedToReadItShowsWhatIsThere) {
  ASSERT_TRUE(RunTask(loop_, Open(disk_, "/data")->Put("q/w", "t", Text("bytes"))).has_value());
  const auto reader = DirectoryStore::OpenToRead(loop_, *pool_, disk_, "/data/lake");
  EXPECT_EQ(*RunTask(loop_, reader->Get("q/w")), "bytes");
  EXPECT_EQ(RunTask(loop_, reader->List("", "", 9))->objects.size(), 1u);
}

TEST_F(OnLossyDisk, OpenedToReadItChangesNothing) {
  const auto reader = DirectoryStore::OpenToRead(loop_, *pool_, disk_, "/data/lake");
  EXPECT_TRUE(RunTask(loop_, reader->List("", "", 9))->objects.empty());
  const Status put = RunTask(loop_, reader->Put("q/w", "t", Text("bytes")));
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kPermissionDenied);
  EXPECT_FALSE(RunTask(loop_, reader->Delete("q/w")).has_value());
  EXPECT_THAT(FilesIn(disk_, "/data"), ElementsAre());
}

TEST_F(OnLossyDisk, APrefixThatIsNoPathListsNothing) {
  const auto store = Open(disk_, "/data");
  ASSERT_TRUE(RunTask(loop_, store->Put(".x/1", "t", Text("1"))).has_value());
  EXPECT_TRUE(RunTask(loop_, store->List("/", "", 9))->objects.empty());
  EXPECT_TRUE(RunTask(loop_, store->List("../", "", 9))->objects.empty());
  EXPECT_EQ(RunTask(loop_, store->List(".", "", 9))->objects.size(), 1u);
}

}  // namespace
}  // namespace tidemark::store
