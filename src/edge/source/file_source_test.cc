#include "edge/source/file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/forwarding_file_system.h"
#include "tests/support/wal_rig.h"

namespace tidemark::edge {
namespace {

using test::WalLife;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A file source over a log, both on one disk in memory.
class Rig {
 public:
  Rig() {
    for (const char* folder : {"/data", "/in"}) {
      EXPECT_TRUE(disk.MakeFolder(folder));
      EXPECT_TRUE(disk.SyncFolder("/"));
    }
    Restart();
  }

  ~Rig() { Stop(); }

  // As after kill -9, or a calm end.
  void Restart(bool killed = false) {
    Stop();
    if (killed && life) life->Kill();
    life.reset();
    life.emplace(disk, wal_options);
    ASSERT_TRUE(life->Open());
  }

  void Append(const std::string& path, std::string_view bytes) {
    auto& file = files[path];
    if (!file) file = std::move(*disk.CreateLocked(path));
    const auto size = disk.SizeOf(path);
    ASSERT_TRUE(file->WriteAt(size->value_or(0), bytes));
  }

  void Rename(const std::string& from, const std::string& to) {
    ASSERT_TRUE(disk.Rename(from, to));
    files[to] = std::move(files[from]);
    files.erase(from);
  }

  // Reads to the end of everything.
  Status Read() {
    auto source = NewSource();
    return test::Await(life->loop, source->Run({}));
  }

  // Of the first record, behind its source.
  std::string FirstTopic() {
    WalReader reader(life->wal(), *pool(), Position(1));
    const auto batch = test::Await(life->loop, reader.Next());
    const auto& record = (**batch).records.front();
    return std::string(record.source) + ": " + std::string(record.topic);
  }

  std::unique_ptr<FileSource> NewSource() {
    return std::make_unique<FileSource>(
        options, life->wal(), *seen, life->loop, *pool(), [this](const std::string& note) {
          notes.push_back(note);
        });
  }

  void Follow() {
    options.follow = true;
    following = NewSource();
    io::Spawn(life->loop, RunFollowing());
    Wait();
  }

  io::Task<void> RunFollowing() {
    const Status done = co_await following->Run(stop.get_token());
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    following.reset();
  }

  void Wait(io::Duration time = std::chrono::seconds(1)) {
    life->loop.RunUntil(life->loop.Now() + time);
  }

  void Stop() {
    if (!following) return;
    stop.request_stop();
    Wait();
    ASSERT_EQ(following, nullptr);
    stop = std::stop_source();
  }

  io::WorkerPool* pool() {
    pool_ = io::NewInlinePool(life->loop);
    pools_.push_back(std::move(pool_));
    return pools_.back().get();
  }

  io::LossyFileSystem disk;
  io::FileSystem* seen = &disk;  // by the source
  WalOptions wal_options;
  FileSourceOptions options{.id = "drop", .paths = {"/in/*.log"}, .topic = "files/{basename}"};
  std::optional<WalLife> life;
  std::map<std::string, std::unique_ptr<io::File>> files;
  std::vector<std::string> notes;
  std::unique_ptr<FileSource> following;
  std::stop_source stop;

 private:
  std::unique_ptr<io::WorkerPool> pool_;
  std::vector<std::unique_ptr<io::WorkerPool>> pools_;
};

TEST(FileSource, ReadsFilesToTheirEndInOrderOfTheirNames) {
  Rig rig;
  rig.Append("/in/b.log", "b1\nb2");
  rig.Append("/in/a.log", "a1\r\n\na2\n");
  rig.Append("/in/c.txt", "not named\n");
  ASSERT_TRUE(rig.Read());
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("a1", "a2", "b1", "b2"));
}

TEST(FileSource, TheTopicNamesTheFile) {
  Rig rig;
  rig.Append("/in/a.log", "x\n");
  ASSERT_TRUE(rig.Read());
  EXPECT_EQ(rig.FirstTopic(), "drop: files/a.log");
}

// C50: text columns that half of the readers refuse.
TEST(FileSource, ATopicIsUtf8WhateverTheFileIsCalled) {
  Rig rig;
  rig.Append("/in/a\xff-caf\xc3\xa9-\xed\xa0\x80-\xe2\x82.log", "x\n");
  ASSERT_TRUE(rig.Read());
  EXPECT_EQ(rig.FirstTopic(), "drop: files/a%FF-caf\xc3\xa9-%ED%A0%80-%E2%82.log");
}

TEST(FileSource, ReadsNothingTwiceAfterARestart) {
  Rig rig;
  rig.Append("/in/a.log", "1\n2\n");
  ASSERT_TRUE(rig.Read());
  rig.Restart();
  ASSERT_TRUE(rig.Read());
  rig.Append("/in/a.log", "3\n");
  rig.Restart(/*killed=*/true);
  ASSERT_TRUE(rig.Read());
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("1", "2", "3"));
}

TEST(FileSource, KnowsAFileAgainUnderAnotherName) {
  Rig rig;
  rig.Append("/in/a.log", "1\n");
  ASSERT_TRUE(rig.Read());
  rig.Rename("/in/a.log", "/in/z.log");
  rig.Append("/in/z.log", "2\n");
  rig.Append("/in/a.log", "another\n");
  rig.Restart();
  ASSERT_TRUE(rig.Read());
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("1", "another", "2"));
}

TEST(FileSource, TwoNamesOfOneFileAreOne) {
  Rig rig;
  rig.options.paths = {"/in/*.log", "/in/a.log"};
  rig.Append("/in/a.log", "1\n");
  ASSERT_TRUE(rig.Read());
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("1"));
}

TEST(FileSource, AFileThatIsNotThereIsNamed) {
  Rig rig;
  rig.options.paths = {"/in/none.log"};
  const Status read = rig.Read();
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(read.error().message, HasSubstr("source drop: no file /in/none.log"));
}

TEST(FileSource, FollowsWhatIsAppendedAndNewFiles) {
  Rig rig;
  rig.Append("/in/a.log", "1\nhalf");
  rig.Follow();
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("1"));
  rig.Append("/in/a.log", " a line\n");
  rig.Append("/in/b.log", "2\n");
  rig.Wait();
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("1", "half a line", "2"));
}

TEST(FileSource, FollowsThroughRotationByRename) {
  Rig rig;
  rig.Append("/in/a.log", "1\n");
  rig.Follow();
  rig.Rename("/in/a.log", "/in/a.log.1");
  rig.Append("/in/a.log", "new 1\n");
  rig.Wait();
  rig.Append("/in/a.log.1", "last of the old");
  rig.Wait(std::chrono::seconds(20));
  rig.Append("/in/a.log", "new 2\n");
  rig.Wait();
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("1", "new 1", "last of the old", "new 2"));
}

TEST(FileSource, ATruncatedFileIsReadAnew) {
  Rig rig;
  rig.Append("/in/a.log", "first\nsecond\n");
  rig.Follow();
  ASSERT_TRUE(rig.files["/in/a.log"]->Truncate(0));
  rig.Append("/in/a.log", "third\n");
  rig.Wait();
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("first", "second", "third"));
  EXPECT_THAT(rig.notes, ElementsAre(HasSubstr("truncated")));
}

// Between two looks the file was truncated and has grown beyond where we were.
TEST(FileSource, ARewrittenFileIsReadAnew) {
  Rig rig;
  rig.Append("/in/a.log", "first\n");
  rig.Follow();
  ASSERT_TRUE(rig.files["/in/a.log"]->Truncate(0));
  rig.Append("/in/a.log", "another first\nsecond\n");
  rig.Wait();
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("first", "another first", "second"));
}

TEST(FileSource, RemembersTheLatestOfTwoLivesOfOneFile) {
  Rig rig;
  rig.Append("/in/a.log", "same head\nlong ago\nand more\n");
  rig.Follow();
  ASSERT_TRUE(rig.files["/in/a.log"]->Truncate(0));
  rig.Append("/in/a.log", "same head\n");
  rig.Wait();
  rig.Restart(/*killed=*/true);
  rig.Append("/in/a.log", "new\nnewer\nnewest\n");
  rig.Follow();
  EXPECT_THAT(
      rig.life->Payloads(),
      ElementsAre("same head", "long ago", "and more", "same head", "new", "newer", "newest"));
}

TEST(FileSource, ALineAboveTheLimitIsCutAndItsFullSizeKept) {
  for (const std::int64_t batch_bytes : {16, 64, 4096}) {
    Rig rig;
    rig.options.limits = {.batch_bytes = batch_bytes, .max_record_bytes = 100};
    rig.Append("/in/a.log",
               "before\n" + std::string(1000, 'x') + "\r\nafter\n" + std::string(101, 'y'));
    ASSERT_TRUE(rig.Read());
    EXPECT_THAT(rig.life->Payloads(),
                ElementsAre("before", std::string(100, 'x'), "after", std::string(100, 'y')));
    const auto pool = io::NewInlinePool(rig.life->loop);
    WalReader reader(rig.life->wal(), *pool, Position(2));
    const auto batch = test::Await(rig.life->loop, reader.Next());
    EXPECT_EQ((**batch).records.front().full_bytes, 1000u) << batch_bytes;
    EXPECT_EQ((**batch).records.back().full_bytes, 101u) << batch_bytes;
  }
}

TEST(FileSource, BatchesOfAnySizeGiveTheSameLines) {
  std::string text;
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    lines.push_back(std::string(static_cast<std::size_t>(i % 23) + 1, 'a'));
    text += lines.back() + "\n";
  }
  for (std::int64_t batch_bytes = 1; batch_bytes < 60; batch_bytes += 7) {
    Rig rig;
    rig.options.limits = {.batch_bytes = batch_bytes, .max_record_bytes = 23};
    rig.Append("/in/a.log", text);
    ASSERT_TRUE(rig.Read());
    EXPECT_EQ(rig.life->Payloads(), lines) << batch_bytes;
  }
}

TEST(FileSource, ShortLinesAreTakenInBatchesOfAFewWhetherThereIsAnEndOrNot) {
  for (const bool follow : {false, true}) {
    Rig rig;
    rig.options.limits.batch_lines = 3;
    rig.Append("/in/a.log", "1\n2\n\n3\n4\n5\n6\n7\nhalf");
    if (follow) {
      rig.Follow();
    } else {
      ASSERT_TRUE(rig.Read());
    }
    auto expected = std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7"};
    if (!follow) expected.emplace_back("half");
    EXPECT_EQ(rig.life->Payloads(), expected);
    EXPECT_EQ(rig.life->wal().counters().groups, 3);
  }
}

TEST(FileSource, WaitsWhileTheLogHasNoRoom) {
  Rig rig;
  rig.wal_options = {.segment_bytes = 300, .max_bytes = 1000};
  rig.Restart();
  rig.options.limits.batch_bytes = 200;
  for (int i = 0; i < 20; ++i) rig.Append("/in/a.log", std::string(90, 'x') + "\n");
  rig.Follow();
  const Position stuck = rig.life->wal().synced_through();
  EXPECT_LT(stuck, Position(20));
  EXPECT_THAT(rig.notes, ElementsAre(HasSubstr("wal.max_bytes")));
  while (rig.life->wal().synced_through() < Position(20)) {
    const Position before = rig.life->wal().synced_through();
    ASSERT_TRUE(test::Await(rig.life->loop, rig.life->wal().RemoveThrough(before)));
    rig.Wait(std::chrono::seconds(5));
    ASSERT_GT(rig.life->wal().synced_through(), before);
  }
}

TEST(FileSource, AFileThatWasRemovedIsForgotten) {
  Rig rig;
  rig.Follow();
  for (int i = 0; i < 5; ++i) {
    const std::string path = "/in/" + std::to_string(i) + ".log";
    rig.Append(path, "line\n");
    rig.Wait();
    ASSERT_TRUE(rig.disk.Remove(path));
    rig.Wait(std::chrono::seconds(20));
  }
  rig.Append("/in/last.log", "last\n");
  rig.Wait();
  EXPECT_THAT(rig.life->wal().Streams("drop"), SizeIs(1));
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("line", "line", "line", "line", "line", "last"));
}

TEST(FileSource, AFileThatWasMovedAwayIsKnownWhenItComesBack) {
  for (const bool killed : {false, true}) {
    Rig rig;
    rig.Append("/in/a.log", "1\n");
    rig.Follow();
    rig.Rename("/in/a.log", "/in/a.old");
    rig.Wait(std::chrono::seconds(20));
    if (killed) rig.Restart(killed);
    rig.Rename("/in/a.old", "/in/a.log");
    rig.Append("/in/a.log", "2\n");
    if (killed) rig.Follow();
    rig.Wait();
    EXPECT_THAT(rig.life->Payloads(), ElementsAre("1", "2")) << killed;
  }
}

TEST(FileSource, WhatATruncatedFileWasIsForgottenOnceALineOfItsNewLifeIsThere) {
  Rig rig;
  rig.Append("/in/a.log", "0\n");
  rig.Follow();
  for (int i = 1; i < 6; ++i) {
    ASSERT_TRUE(rig.files["/in/a.log"]->Truncate(0));
    rig.Wait();
    EXPECT_THAT(rig.life->wal().Streams("drop"), SizeIs(testing::Le(2)));
    rig.Append("/in/a.log", std::to_string(i) + "\n");
    rig.Wait();
  }
  rig.Append("/in/a.log", "6\n");
  rig.Wait();
  EXPECT_THAT(rig.life->wal().Streams("drop"), SizeIs(1));
  rig.Restart(/*killed=*/true);
  rig.Append("/in/a.log", "7\n");
  rig.Follow();
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
}

// A file of one inode is truncated and written again, and the process dies at every change of the
// disk in turn, what it forgot included.
TEST(FileSource, LivesOfOneFileAreTakenOnceWheneverTheProcessDies) {
  for (int changes = 0; changes < 40; ++changes) {
    Rig rig;
    rig.wal_options = {.segment_bytes = 300, .max_bytes = 1 << 20};
    rig.Restart();
    rig.Append("/in/a.log", "first\nsecond\n");
    rig.Follow();
    rig.Stop();
    ASSERT_TRUE(rig.files["/in/a.log"]->Truncate(0));
    std::vector<std::string> expected = {"first", "second"};
    rig.life->disk().CutAfter(changes, /*acts=*/changes % 2 == 0);
    rig.options.follow = false;
    for (int i = 0; i < 6; ++i) {
      expected.push_back("line " + std::to_string(i));
      rig.Append("/in/a.log", expected.back() + "\n");
      IgnoreError(rig.Read(), "it may be dead");
    }
    rig.Restart(/*killed=*/true);
    ASSERT_TRUE(rig.Read());
    EXPECT_EQ(rig.life->Payloads(), expected) << changes;
  }
}

TEST(FileMarks, BeyondANumberOfFilesTheFirstSeenIsForgottenUnlessItIsOpen) {
  Rig rig;
  FileMarks marks("drop", rig.life->wal(), /*closed_max=*/2);
  const auto first_is_open = [](const FileMark& mark) { return mark.inode == 10; };
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto since = Position(static_cast<std::int64_t>(i) + 1);
    marks.Take({.inode = 10 + i, .generation = 1, .since = since}, first_is_open);
  }
  EXPECT_EQ(marks.size(), 3u);
  for (const std::uint64_t inode : {10U, 13U, 14U})
    EXPECT_THAT(marks.Of(inode), SizeIs(1)) << inode;
}

TEST(FileMarks, AnInodeOfAnotherDeviceMayBeAnotherFile) {
  Rig rig;
  FileMarks marks("drop", rig.life->wal());
  const auto none_is_open = [](const FileMark&) { return false; };
  marks.Take({.inode = 1, .generation = 1, .device = 1, .since = Position(1)}, none_is_open);
  marks.Take({.inode = 1, .generation = 2, .device = 2, .since = Position(2)}, none_is_open);
  EXPECT_THAT(marks.Of(1), SizeIs(2));
  marks.Take({.inode = 1, .generation = 3, .device = 2, .since = Position(3)}, none_is_open);
  EXPECT_THAT(marks.Of(1), SizeIs(2));
}

// Folders of one file each: a device each, and one inode.
class TwoDevices final : public test::ForwardingFileSystem {
 public:
  using ForwardingFileSystem::ForwardingFileSystem;

  Result<std::unique_ptr<io::ReadFile>> OpenToRead(const std::string& path) override {
    TIDEMARK_TRY(auto file, ForwardingFileSystem::OpenToRead(path));
    return std::make_unique<OneInode>(std::move(file), path.starts_with("/in/one") ? 1 : 2);
  }

 private:
  class OneInode final : public test::ForwardingReadFile {
   public:
    OneInode(std::unique_ptr<io::ReadFile> file, std::uint64_t device)
        : ForwardingReadFile(std::move(file)), device_(device) {}

    io::FileIdentity identity() const override { return {.device = device_, .inode = 7}; }

   private:
    std::uint64_t device_;
  };
};

// Their beginnings are the same, as that of a table: each goes on where it was, through a
// truncation and a restart.
TEST(FileSource, TwoDevicesMayGiveTwoFilesOneInode) {
  Rig rig;
  TwoDevices devices(rig.disk);
  rig.seen = &devices;
  rig.options.paths = {"/in/*/x.log"};
  for (const char* folder : {"/in/one", "/in/two"}) ASSERT_TRUE(rig.disk.MakeFolder(folder));
  rig.Append("/in/one/x.log", "head\n1\n2\n");
  rig.Append("/in/two/x.log", "head\nb\n");
  rig.Follow();
  ASSERT_TRUE(rig.files["/in/one/x.log"]->Truncate(0));
  rig.Wait();
  rig.Append("/in/one/x.log", "head\n");
  rig.Wait();
  rig.Restart();
  rig.Append("/in/one/x.log", "3\n");
  rig.Append("/in/two/x.log", "4\n");
  rig.options.follow = false;
  ASSERT_TRUE(rig.Read());
  EXPECT_THAT(rig.life->Payloads(), ElementsAre("head", "1", "2", "head", "b", "head", "3", "4"));
}

// Killed at every change of the disk in turn, and started again: each line once.
TEST(FileSource, EachLineIsTakenOnceWheneverTheProcessDies) {
  std::vector<std::string> lines;
  lines.reserve(40);
  for (int i = 0; i < 40; ++i) lines.push_back("line " + std::to_string(i));
  for (int changes = 0; changes < 60; ++changes) {
    Rig rig;
    rig.options.limits.batch_bytes = 64;
    for (const std::string& line : lines) rig.Append("/in/a.log", line + "\n");
    rig.life->disk().CutAfter(changes, /*acts=*/changes % 2 == 0);
    IgnoreError(rig.Read(), "it dies");
    rig.Restart(/*killed=*/true);
    ASSERT_TRUE(rig.Read());
    EXPECT_EQ(rig.life->Payloads(), lines) << changes;
  }
}
}  // namespace
}  // namespace tidemark::edge
