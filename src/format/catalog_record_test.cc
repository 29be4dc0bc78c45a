#include "format/catalog_record.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "format/log_frame.h"

namespace tidemark::format {
namespace {

FinalizedRecord Finalized() {
  FinalizedRecord record;
  record.epoch = Epoch(0x0102);
  record.dataset = "t";
  record.path = "t/f";
  record.range = {Position(1), Position(200)};
  record.rows = 3;
  record.bytes = 4;
  record.sha256.fill(0xaa);
  record.schema_fp = "ab";
  record.ingest_time_min = Micros(5);
  record.ingest_time_max = Micros(6);
  record.event_time_min = Micros(-1);
  record.event_time_max = Micros(7);
  return record;
}

// The bytes that docs/formats/catalog.md shows.
TEST(CatalogRecord, IsAFrameOfFixedFields) {
  std::string frame;
  AppendLogFrame(EncodeCatalogRecord(EligibleRecord{.path = "t/f"}), frame);
  EXPECT_EQ(ToHex(frame),
            "05000000"
            "947eddd0"
            "04"
            "03742f66");
}

TEST(CatalogRecord, LaysFinalizedOutInTheOrderOfItsFields) {
  EXPECT_EQ(ToHex(EncodeCatalogRecord(Finalized())),
            "01"
            "0201000000000000"
            "0174"
            "03742f66"
            "01c801"
            "03"
            "04" +
                std::string(64, 'a') +
                "026162"
                "0500000000000000"
                "0600000000000000"
                "01ffffffffffffffff"
                "010700000000000000");
}

TEST(CatalogRecord, IsReadBack) {
  FinalizedRecord without_event_time = Finalized();
  without_event_time.event_time_min = without_event_time.event_time_max = std::nullopt;
  const CatalogRecord records[] = {
      Finalized(),
      without_event_time,
      CoverageRecord{Epoch(1), "t", {Position(3), Position(4)}, CoverageReason::kRecovered},
      RewoundRecord{Epoch(1), "t", Position(0)},
      EligibleRecord{"t/f"},
      UploadedRecord{"t/f", "lake", "key", "etag"},
      DeletedRecord{"t/f"}};
  for (const CatalogRecord& record : records) {
    EXPECT_EQ(DecodeCatalogRecord(EncodeCatalogRecord(record)).value(), record);
  }
}

TEST(CatalogRecord, RefusesEveryTruncationAndEveryAddition) {
  const std::string body = EncodeCatalogRecord(Finalized());
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(DecodeCatalogRecord(body.substr(0, size))) << size;
  }
  EXPECT_FALSE(DecodeCatalogRecord(body + '\0'));
  EXPECT_FALSE(DecodeCatalogRecord("\x07"));
}

// The last field but its value: whether there is one.
TEST(CatalogRecord, APresenceIsSaidInOneWay) {
  std::string body = EncodeCatalogRecord(Finalized());
  body[body.size() - 9] = 2;
  EXPECT_FALSE(DecodeCatalogRecord(body));
}

TEST(LogFrame, ATornOrChangedFrameIsNone) {
  std::string log;
  AppendLogFrame("first", log);
  const std::size_t one = log.size();
  AppendLogFrame("second", log);
  for (std::size_t size = one; size < log.size(); ++size) {
    std::string_view rest(log.data(), size);
    EXPECT_EQ(TakeLogFrame(rest), "first");
    EXPECT_EQ(TakeLogFrame(rest), std::nullopt);
    EXPECT_EQ(rest.size(), size - one);
  }
  log.back() ^= 1;
  std::string_view rest(log);
  EXPECT_EQ(TakeLogFrame(rest), "first");
  EXPECT_EQ(TakeLogFrame(rest), std::nullopt);
}

TEST(LogFrame, ZerosAreNoFrame) {
  const std::string zeros(64, '\0');
  std::string_view rest(zeros);
  EXPECT_EQ(TakeLogFrame(rest), std::nullopt);
}

}  // namespace
}  // namespace tidemark::format
