#include "datafile/segment_writer.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include "base/digest.h"
#include "datafile/segment_footer_reader.h"

namespace tidemark::datafile {
namespace {

using format::SystemColumn;
using ::testing::ElementsAre;
using ::testing::IsSubsetOf;

format::SchemaColumn Column(int id, const std::string& name, const std::string& type) {
  return {.id = id,
          .name = name,
          .type = format::ParseColumnType(type).value(),
          .required = false,
          .unit = {}};
}

format::SegmentSchema Schema() {
  return {.dataset = "t",
          .version = 1,
          .columns = {format::SystemSchemaColumn(SystemColumn::kWalPosition),
                      format::SystemSchemaColumn(SystemColumn::kIngestTime),
                      format::SystemSchemaColumn(SystemColumn::kTopic),
                      Column(1000, "u", "u64"),
                      Column(1001, "f", "f32"),
                      Column(1002, "d", "decimal(20,2)"),
                      Column(1003, "b", "bool")}};
}

SegmentForm Form() {
  SegmentForm form;
  form.created_by = "thadam 1.2.3";
  return form;
}

// `rows` rows from position `first` on.
void Fill(ColumnBatch& batch, std::int64_t first, int rows) {
  for (std::int64_t position = first; position < first + rows; ++position) {
    batch.columns[0].AddInt64(position);
    batch.columns[1].AddInt64(1'000'000 + position);
    batch.columns[2].AddBytes(position % 2 == 0 ? "even" : "odd");
    batch.columns[3].AddInt64(-position);  // above 2^63
    batch.columns[4].AddFloat(0.5F);
    if (position % 3 == 0) {
      batch.columns[5].AddNull();
      batch.columns[6].AddNull();
    } else {
      batch.columns[5].AddBytes({"\0\0\0\0\0\0\0\0\x07", 9});
      batch.columns[6].AddBool(position % 2 == 0);
    }
  }
}

TEST(ColumnBatch, PiecesOfABatchAreTheBatch) {
  ColumnBatch batch = NewBatch(Schema());
  Fill(batch, 1, 10);
  ColumnBatch pieces = NewBatch(Schema());
  for (const auto& [begin, end] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}, {4, 4}, {4, 5}, {5, 10}}) {
    pieces.AddRows(batch, begin, end);
  }
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    const ColumnBuffer& column = batch.columns[i];
    const ColumnBuffer& joined = pieces.columns[i];
    EXPECT_EQ(joined.rows(), 10);
    EXPECT_EQ(joined.presence(), column.presence());
    EXPECT_EQ(joined.bools(), column.bools());
    EXPECT_EQ(joined.int64s(), column.int64s());
    EXPECT_EQ(joined.floats(), column.floats());
    EXPECT_EQ(joined.bytes(), column.bytes());
    EXPECT_EQ(joined.ends(), column.ends());
    EXPECT_EQ(joined.value_bytes(), column.value_bytes());
  }
}

const format::FooterPairs kPairs = format::EncodeFooter({.dataset = "t",
                                                         .schema_fp = "ab",
                                                         .range = {Position(1), Position(9)},
                                                         .config_hash = "cd",
                                                         .enrichment_hash = "",
                                                         .clock_synced = true,
                                                         .event_time_min = {},
                                                         .event_time_max = {}});

struct Written {
  std::string bytes;
  SegmentStats stats;
};

Written Write(const SegmentForm& form, int batches, int rows) {
  auto writer = NewSegmentWriter(Schema(), form).value();
  ColumnBatch batch = NewBatch(Schema());
  Written written;
  for (int i = 0; i < batches; ++i) {
    batch.Clear();
    Fill(batch, 1 + i * rows, rows);
    EXPECT_TRUE(writer->Write(batch));
    written.bytes += writer->TakeBytes();
  }
  written.stats = writer->Finish(kPairs).value();
  written.bytes += writer->TakeBytes();
  return written;
}

std::shared_ptr<parquet::FileMetaData> MetadataOf(const std::string& bytes) {
  return parquet::ParquetFileReader::Open(
             std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)))
      ->metadata();
}

TEST(SegmentWriter, TellsBytesRowsAndDigest) {
  const Written written = Write(Form(), 2, 10);
  EXPECT_EQ(written.stats.bytes, static_cast<std::int64_t>(written.bytes.size()));
  EXPECT_EQ(written.stats.rows, 20);
  EXPECT_EQ(ToHex(written.stats.sha256), ToHex(Sha256Of(written.bytes)));
}

TEST(SegmentWriter, WritesTheSameBytesForTheSameBatches) {
  EXPECT_EQ(Write(Form(), 5, 100).bytes, Write(Form(), 5, 100).bytes);
}

TEST(SegmentWriter, GivesEveryColumnItsFieldId) {
  const auto metadata = MetadataOf(Write(Form(), 1, 10).bytes);
  std::vector<int> ids;
  ids.reserve(static_cast<std::size_t>(metadata->num_columns()));
  for (int i = 0; i < metadata->num_columns(); ++i) {
    ids.push_back(metadata->schema()->Column(i)->schema_node()->field_id());
  }
  EXPECT_THAT(ids, ElementsAre(1, 3, 6, 1000, 1001, 1002, 1003));
}

// C53: pages and encodings that readers do not know.
TEST(SegmentWriter, PinsWhatReadersMustUnderstand) {
  const auto metadata = MetadataOf(Write(Form(), 1, 10).bytes);
  EXPECT_EQ(metadata->created_by(), "thadam 1.2.3");
  const auto group = metadata->RowGroup(0);
  for (int i = 0; i < metadata->num_columns(); ++i) {
    const auto chunk = group->ColumnChunk(i);
    EXPECT_THAT(
        chunk->encodings(),
        IsSubsetOf(
            {parquet::Encoding::PLAIN, parquet::Encoding::RLE, parquet::Encoding::RLE_DICTIONARY}));
    EXPECT_EQ(chunk->compression(), parquet::Compression::ZSTD);
    EXPECT_FALSE(chunk->GetColumnIndexLocation().has_value());
    EXPECT_FALSE(chunk->bloom_filter_offset().has_value());
    EXPECT_EQ(chunk->has_dictionary_page(), i == 2);
  }
}

TEST(SegmentWriter, WritesPagesOfTheFirstVersionOnly) {
  const auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(
      arrow::Buffer::FromString(Write(Form(), 1, 10).bytes)));
  for (int i = 0; i < reader->metadata()->num_columns(); ++i) {
    const auto pages = reader->RowGroup(0)->GetColumnPageReader(i);
    int data_pages = 0;
    while (const auto page = pages->NextPage()) {
      if (page->type() == parquet::PageType::DICTIONARY_PAGE) continue;
      EXPECT_EQ(page->type(), parquet::PageType::DATA_PAGE);
      ++data_pages;
    }
    EXPECT_GT(data_pages, 0);
  }
}

// C48: statistics of unsigned columns in signed order.
TEST(SegmentWriter, HasStatisticsOnTimesAndIntegersInTheirOrder) {
  const auto metadata = MetadataOf(Write(Form(), 1, 10).bytes);
  const auto group = metadata->RowGroup(0);
  const auto ingest = group->ColumnChunk(1)->statistics();
  EXPECT_EQ(static_cast<const parquet::Int64Statistics&>(*ingest).min(), 1'000'001);
  EXPECT_EQ(static_cast<const parquet::Int64Statistics&>(*ingest).max(), 1'000'010);
  const auto unsigned_chunk = group->ColumnChunk(3)->statistics();
  EXPECT_EQ(static_cast<const parquet::Int64Statistics&>(*unsigned_chunk).min(), -10);
  EXPECT_EQ(static_cast<const parquet::Int64Statistics&>(*unsigned_chunk).max(), -1);
  EXPECT_FALSE(group->ColumnChunk(4)->is_stats_set());
}

TEST(SegmentWriter, EndsARowGroupByBytes) {
  SegmentForm form = Form();
  form.row_group_bytes = 20'000;
  const auto metadata = MetadataOf(Write(form, 40, 100).bytes);
  EXPECT_GT(metadata->num_row_groups(), 3);
  for (int i = 0; i + 1 < metadata->num_row_groups(); ++i) {
    EXPECT_GT(metadata->RowGroup(i)->total_byte_size(), 10'000);
    EXPECT_LT(metadata->RowGroup(i)->total_byte_size(), 40'000);
  }
}

TEST(SegmentWriter, KnowsHowLongTheFileIsBeforeItEnds) {
  auto writer = NewSegmentWriter(Schema(), Form()).value();
  ColumnBatch batch = NewBatch(Schema());
  Fill(batch, 1, 1000);
  ASSERT_TRUE(writer->Write(batch));
  const std::int64_t before = writer->file_bytes();
  ASSERT_TRUE(writer->Write(batch));
  EXPECT_GT(writer->file_bytes(), before);
  EXPECT_EQ(writer->rows(), 2000);
}

TEST(SegmentFooterReader, ReadsWhatTheWriterWrote) {
  const std::string bytes = Write(Form(), 3, 5).bytes;
  const auto length = ParquetFooterBytes(bytes.substr(bytes.size() - 8)).value();
  const auto facts =
      ReadSegmentFooter(bytes.substr(bytes.size() - static_cast<std::size_t>(length))).value();
  EXPECT_EQ(format::EncodeFooter(facts.footer), kPairs);
  EXPECT_EQ(facts.rows, 15);
  EXPECT_EQ(facts.ingest_time_min, Micros(1'000'001));
  EXPECT_EQ(facts.ingest_time_max, Micros(1'000'015));
}

TEST(SegmentFooterReader, RefusesWhatIsNoSegment) {
  EXPECT_EQ(ParquetFooterBytes("12345678").error().code, ErrorCode::kCorruption);
  EXPECT_EQ(ParquetFooterBytes("PAR1").error().code, ErrorCode::kCorruption);
  const std::string bytes = Write(Form(), 1, 5).bytes;
  const auto length = ParquetFooterBytes(bytes.substr(bytes.size() - 8)).value();
  std::string footer = bytes.substr(bytes.size() - static_cast<std::size_t>(length));
  footer.replace(0, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(ReadSegmentFooter(footer).error().code, ErrorCode::kCorruption);
  EXPECT_EQ(ReadSegmentFooter("").error().code, ErrorCode::kCorruption);
}

TEST(ColumnBuffer, TruncatesValuesAndNulls) {
  ColumnBuffer column(ColumnStorage::kText, /*required=*/false);
  column.AddBytes("one");
  column.AddNull();
  column.AddBytes("three");
  column.Truncate(2);
  EXPECT_EQ(column.rows(), 2);
  EXPECT_EQ(column.bytes(), "one");
  EXPECT_THAT(column.presence(), ElementsAre(1, 0));
  column.Truncate(1);
  EXPECT_EQ(column.bytes(), "one");
  column.Clear();
  EXPECT_EQ(column.value_bytes(), 0);
}

TEST(ColumnBuffer, KeepsTextsOfEveryLength) {
  ColumnBuffer column(ColumnStorage::kText, /*required=*/true);
  std::string joined;
  for (int round = 0; round < 2; ++round) {
    column.Clear();
    joined.clear();
    for (std::size_t length = 0; length < 80; ++length) {
      std::string text;
      for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('!' + (length + i) % 90);
      column.AddBytes(text);
      joined += text;
      ASSERT_EQ(column.bytes(), joined);
      ASSERT_EQ(column.ends().back(), joined.size());
    }
  }
  EXPECT_EQ(column.value_bytes(), joined.size());
}

TEST(SegmentCodec, IsReadBackFromItsName) {
  for (const char* name : {"none", "snappy", "zstd(1)", "zstd(22)"}) {
    EXPECT_EQ(ToString(ParseSegmentCodec(name).value()), name);
  }
  EXPECT_EQ(ToString(ParseSegmentCodec("zstd").value()), "zstd(1)");
  for (const char* name : {"", "gzip", "zstd(0)", "zstd(23)", "zstd(x)", "zstd(1"}) {
    EXPECT_EQ(ParseSegmentCodec(name).error().code, ErrorCode::kInvalidArgument) << name;
  }
}

TEST(StoredType, WidensUnsignedTypesUnderTheSignedPolicy) {
  const auto stored = [](const char* type) {
    return ToString(StoredType(format::ParseColumnType(type).value(), UnsignedPolicy::kSigned));
  };
  EXPECT_EQ(stored("u8"), "i16");
  EXPECT_EQ(stored("u16"), "i32");
  EXPECT_EQ(stored("u32"), "i64");
  EXPECT_EQ(stored("u64"), "i64");
  EXPECT_EQ(stored("i8"), "i8");
}

TEST(DecimalBytes, AreTheFewestThatHoldThePrecision) {
  EXPECT_EQ(DecimalBytes(1), 1);
  EXPECT_EQ(DecimalBytes(2), 1);
  EXPECT_EQ(DecimalBytes(3), 2);
  EXPECT_EQ(DecimalBytes(19), 9);
  EXPECT_EQ(DecimalBytes(38), 16);
}

}  // namespace
}  // namespace tidemark::datafile
