#include "broker/log_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/check.h"

namespace tidemark::broker {
namespace {

// A writer over a database whose size can be limited, as a full disk would.
class LogWriterTest : public ::testing::Test {
 public:
  LogWriterTest() {
    std::string path = std::filesystem::temp_directory_path() / "tidemark-writer-XXXXXX";
    TIDEMARK_CHECK(mkdtemp(path.data()) != nullptr);
    dir_ = path;
    Database db = Database::OpenForWriting(dir_ / "broker.db").value();
    const StoreMeta meta = OpenSchema(db, {1, 2}).value();
    writer_ = LogWriter::Open(std::move(db), meta, catalog_, stamps_, random_, 1000).value();
  }

  ~LogWriterTest() override {
    writer_.reset();
    std::filesystem::remove_all(dir_);
  }

 protected:
  void LimitPages(int pages) {
    ASSERT_TRUE(writer_->db().Execute(fmt::format("PRAGMA max_page_count={}", pages).c_str()));
  }

  // One transaction, as CommitLoop runs it.
  Status Push(const std::string& id, std::size_t payload_bytes) {
    const auto request = PushRequest::Parse(fmt::format(
        R"({{"items":[{{"queue":"q","partition":"a","transactionId":"{}","payload":"{}"}}]}})",
        id,
        std::string(payload_bytes, 'x')));
    TIDEMARK_TRY_VOID(writer_->Begin());
    Status status;
    if (auto outcomes = writer_->Append(*request); !outcomes)
      status = std::unexpected(outcomes.error());
    if (status) status = writer_->Commit();
    if (status) {
      writer_->Publish();
    } else {
      writer_->Abandon();
    }
    return status;
  }

  std::filesystem::path dir_;
  io::ManualClock clock_{Micros(1'000'000)};
  io::SeededRandom random_{1};
  Catalog catalog_;
  StampClock stamps_{clock_, Micros(0), 0};
  std::unique_ptr<LogWriter> writer_;
};

TEST_F(LogWriterTest, AFullDiskLeavesNothingOfAPushBehind) {
  LimitPages(20);
  EXPECT_EQ(Push("t", 1'000'000).error().code, ErrorCode::kExhausted);
  EXPECT_EQ(catalog_.FindQueue("q"), nullptr);
  LimitPages(100'000);
  ASSERT_TRUE(Push("t", 10));
  const Partition* const partition = catalog_.Find("q", "a");
  ASSERT_NE(partition, nullptr);
  EXPECT_EQ(partition->state.next, Offset(1));
}

TEST_F(LogWriterTest, AFullDiskKeepsWhatWasThere) {
  ASSERT_TRUE(Push("t", 10));
  LimitPages(20);
  EXPECT_FALSE(Push("u", 1'000'000));
  EXPECT_EQ(catalog_.Find("q", "a")->state.next, Offset(1));
  LimitPages(100'000);
  ASSERT_TRUE(Push("u", 10));
  EXPECT_EQ(catalog_.Find("q", "a")->state.next, Offset(2));
}

TEST_F(LogWriterTest, ReadersSeeNothingBeforeItIsPublished) {
  const auto request = PushRequest::Parse(R"({"items":[{"queue":"q","payload":1}]})");
  ASSERT_TRUE(writer_->Begin());
  ASSERT_TRUE(writer_->Append(*request));
  ASSERT_TRUE(writer_->Commit());
  EXPECT_TRUE(catalog_.Queues().empty());
  const auto news = writer_->Publish();
  EXPECT_EQ(catalog_.Queues().size(), 1u);
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].partition, "Default");
  EXPECT_EQ(news[0].payload_total, 1);
}

}  // namespace
}  // namespace tidemark::broker
