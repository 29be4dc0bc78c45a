#include "edge/wal/wal_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/forwarding_file_system.h"
#include "tests/support/wal_rig.h"

namespace tidemark::edge {
namespace {

using test::WalLife;
using ::testing::ElementsAre;

// Counts what is read of files that were opened to be read, and notes what is told not to be cached
// any more.
class CountingFileSystem final : public test::ForwardingFileSystem {
 public:
  using ForwardingFileSystem::ForwardingFileSystem;

  Result<std::unique_ptr<io::ReadFile>> OpenToRead(const std::string& path) override {
    TIDEMARK_TRY(auto file, inner_.OpenToRead(path));
    return std::make_unique<CountedFile>(*this, std::move(file));
  }

  Result<std::unique_ptr<io::File>> CreateLocked(const std::string& path) override {
    TIDEMARK_TRY(auto file, inner_.CreateLocked(path));
    return std::make_unique<NotedFile>(*this, std::move(file));
  }

  int reads = 0;
  std::int64_t dropped = 0;  // where that ended last

 private:
  class NotedFile final : public test::ForwardingFile {
   public:
    NotedFile(CountingFileSystem& fs, std::unique_ptr<io::File> inner)
        : ForwardingFile(std::move(inner)), fs_(fs) {}

    void DropCached(std::int64_t begin, std::int64_t end) override {
      EXPECT_GE(begin, end_);
      end_ = end;
      fs_.dropped = end;
    }

   private:
    CountingFileSystem& fs_;
    std::int64_t end_ = 0;
  };

  class CountedFile final : public test::ForwardingReadFile {
   public:
    CountedFile(CountingFileSystem& fs, std::unique_ptr<io::ReadFile> inner)
        : ForwardingReadFile(std::move(inner)), fs_(fs) {}

    Result<std::string> Read(std::int64_t offset, std::int64_t size) const override {
      ++fs_.reads;
      return inner_->Read(offset, size);
    }

   private:
    CountingFileSystem& fs_;
  };
};

// A log that a reader follows from its beginning.
struct Following {
  explicit Following(WalOptions options = {}) : life(files, std::move(options)) {
    EXPECT_TRUE(life.Open());
    EXPECT_TRUE(life.Append({"first"}));
    reader = NewReader();
    EXPECT_THAT(Read(*reader), ElementsAre("first"));
  }

  std::unique_ptr<WalReader> NewReader() {
    return std::make_unique<WalReader>(life.wal(), *pool, Position(1));
  }

  // All there is.
  std::vector<std::string> Read(WalReader& from) {
    std::vector<std::string> payloads;
    while (!from.AtEnd()) {
      const auto batch = std::move(**test::Await(life.loop, from.Next()));
      for (const auto& record : batch.records) payloads.emplace_back(record.payload);
    }
    return payloads;
  }

  io::LossyFileSystem disk;
  CountingFileSystem files{disk};
  WalLife life;
  std::unique_ptr<io::WorkerPool> pool = io::NewInlinePool(life.loop);
  std::unique_ptr<WalReader> reader;
};

TEST(WalReader, WhatItKeepsUpWithIsNotReadFromTheFile) {
  Following log;
  log.files.reads = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string payload = std::to_string(i);
    ASSERT_TRUE(log.life.Append({payload, "and another"}));
    EXPECT_THAT(log.Read(*log.reader), ElementsAre(payload, "and another"));
  }
  EXPECT_EQ(log.files.reads, 0);
}

TEST(WalReader, GroupsThatAreHeldBecomeOneBatch) {
  Following log;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(log.life.Append({"x"}));
  const auto batch = std::move(**test::Await(log.life.loop, log.reader->Next()));
  EXPECT_EQ(batch.records.size(), 5u);
  EXPECT_EQ(batch.through, Position(6));
}

TEST(WalReader, WhatItLagsBehindComesFromTheFile) {
  Following log({.group_max_bytes = 100});
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    expected.push_back(std::to_string(i) + std::string(60, 'x'));
    ASSERT_TRUE(log.life.Append({expected.back()}));
  }
  log.files.reads = 0;
  EXPECT_EQ(log.Read(*log.reader), expected);
  EXPECT_GT(log.files.reads, 0);
}

TEST(WalReader, AGroupAboveWhatIsHeldComesFromTheFile) {
  Following log({.group_max_bytes = 100});
  ASSERT_TRUE(log.life.Append({std::string(400, 'x')}));
  EXPECT_THAT(log.Read(*log.reader), ElementsAre(std::string(400, 'x')));
}

TEST(WalReader, ASecondReaderGetsTheSame) {
  Following log;
  ASSERT_TRUE(log.life.Append({"a", "b"}));
  const auto second = log.NewReader();
  EXPECT_THAT(log.Read(*log.reader), ElementsAre("a", "b"));
  EXPECT_THAT(log.Read(*second), ElementsAre("first", "a", "b"));
}

TEST(WalReader, TheTextsOfABatchOutliveWhatIsHeld) {
  Following log({.group_max_bytes = 100});
  ASSERT_TRUE(log.life.Append({"kept"}));
  const auto batch = std::move(**test::Await(log.life.loop, log.reader->Next()));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(log.life.Append({std::string(60, 'x')}));
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.records.front().payload, "kept");
}

TEST(WalReader, WhatAllReadersTookFromMemoryIsNotCachedAnyMore) {
  Following log;
  const auto second = log.NewReader();
  EXPECT_THAT(log.Read(*second), ElementsAre("first"));
  ASSERT_TRUE(log.life.Append({"a"}));
  const std::int64_t end_of_a = log.life.wal().bytes();
  log.Read(*log.reader);
  ASSERT_TRUE(log.life.Append({"b"}));
  EXPECT_EQ(log.files.dropped, 0);
  log.Read(*second);
  ASSERT_TRUE(log.life.Append({"c"}));
  EXPECT_EQ(log.files.dropped, end_of_a);
  const std::int64_t end_of_c = log.life.wal().bytes();
  log.Read(*log.reader);
  log.Read(*second);
  ASSERT_TRUE(log.life.Append({"d"}));
  EXPECT_EQ(log.files.dropped, end_of_c);
}

TEST(WalReader, WhatNobodyReadStaysCached) {
  Following log;
  ASSERT_TRUE(log.life.Append({"a"}));
  log.reader.reset();
  ASSERT_TRUE(log.life.Append({"b"}));
  EXPECT_EQ(log.files.dropped, 0);
}

TEST(WalReader, WhatIsNotSyncedStaysCached) {
  Following log({.sync = WalSync::kNone});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(log.life.Append({"x"}));
    log.Read(*log.reader);
  }
  EXPECT_EQ(log.files.dropped, 0);
}

TEST(WalReader, CrossesIntoTheNextSegment) {
  Following log({.segment_bytes = 200});
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(log.life.Append({"x" + std::to_string(i)}));
    EXPECT_THAT(log.Read(*log.reader), ElementsAre("x" + std::to_string(i)));
  }
  EXPECT_GT(log.life.wal().segments().size(), 3u);
}

}  // namespace
}  // namespace tidemark::edge
