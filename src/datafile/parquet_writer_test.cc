#include "datafile/parquet_writer.h"

#include <arrow/io/memory.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/statistics.h>

#include <sstream>

namespace tidemark::datafile {
namespace {

using format::Codec;
using format::DataFormat;
using format::Form;

constexpr int kPartition = 0, kOffset = 1, kTransactionId = 2, kTs = 3, kPayload = 4;

Form ParquetForm(Codec codec, std::int64_t row_group_records = 1000) {
  Form form;
  form.data_format = DataFormat::kParquet;
  form.codec = codec;
  form.row_group_records = row_group_records;
  return form;
}

struct Written {
  std::string bytes;
  ObjectStats stats;
};

// Records as owned texts, so that each is gone before the next: a writer that kept a view would
// show it.
struct Row {
  std::string partition;
  std::int64_t offset;
  std::string transaction_id;
  std::int64_t ts;
  std::string payload;
};

Written Write(const Form& form, const std::vector<Row>& rows) {
  auto writer = NewObjectWriter(form, "orders");
  Written written;
  for (const auto& row : rows) {
    Row copy = row;
    EXPECT_TRUE((*writer)
                    ->Append({copy.partition,
                              Offset(copy.offset),
                              copy.transaction_id,
                              Micros(copy.ts),
                              copy.payload})
                    .has_value());
    copy = {};  // the writer keeps no reference into it
    written.bytes += (*writer)->TakeBytes();
  }
  written.stats = *(*writer)->Finish();
  written.bytes += (*writer)->TakeBytes();
  return written;
}

// 2,500 records in two lanes, every seventh payload NULL.
std::vector<Row> ManyRows() {
  std::vector<Row> rows;
  for (const char* partition : {"cust-0420", "région-eu"}) {
    for (int i = 0; i < 1250; ++i) {
      rows.push_back({.partition = partition,
                      .offset = i,
                      .transaction_id = "tx-" + std::to_string(i * 7919 % 1250),
                      .ts = 1788516000000000 + i / 50 * 1'000'003,
                      .payload = i % 7 == 3 ? "" : "{\"n\":" + std::to_string(i) + ",\"é\":null}"});
    }
  }
  return rows;
}

std::shared_ptr<parquet::FileMetaData> Footer(const std::string& bytes) {
  return parquet::ReadMetaData(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
}

std::shared_ptr<parquet::EncodedStatistics> StatisticsOf(const std::string& bytes,
                                                         int group,
                                                         int column) {
  return Footer(bytes)->RowGroup(group)->ColumnChunk(column)->encoded_statistics();
}

std::int64_t AsInt(const std::string& bytes) {
  std::int64_t value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

class ParquetCodec : public testing::TestWithParam<std::pair<Codec, const char*>> {};

TEST_P(ParquetCodec, HasGoldenBytes) {
  const auto [codec, golden] = GetParam();
  const Written many = Write(ParquetForm(codec), ManyRows());
  EXPECT_EQ(ToHex(many.stats.sha256), golden);
  EXPECT_EQ(many.stats.sha256, Sha256Of(many.bytes));
  EXPECT_EQ(many.stats.bytes, static_cast<std::int64_t>(many.bytes.size()));
  EXPECT_EQ(many.stats.records, 2500);
}

INSTANTIATE_TEST_SUITE_P(
    Codecs,
    ParquetCodec,
    testing::Values(std::pair{Codec::kZstd,
                              "ce84a13ea0bf60db50b1bbe78c3c1e62d4ec5c43d4e24b1c56239fd1251ea4b0"},
                    std::pair{Codec::kSnappy,
                              "8428aa6435be395f95ee18ab35fd5fcc2d0386b247cb7094cd253ed53893585f"}));

TEST(ParquetWriter, IsFramedByItsMagic) {
  const std::string bytes = Write(ParquetForm(Codec::kZstd), ManyRows()).bytes;
  EXPECT_THAT(bytes, testing::StartsWith("PAR1"));
  EXPECT_THAT(bytes, testing::EndsWith("PAR1"));
}

TEST(ParquetWriter, HasTheGoldenSchema) {
  const auto footer = Footer(Write(ParquetForm(Codec::kZstd), ManyRows()).bytes);
  EXPECT_EQ(footer->schema()->ToString(),
            "required group field_id=-1 queen_record {\n"
            "  required binary field_id=-1 partition (String);\n"
            "  required int64 field_id=-1 offset;\n"
            "  required binary field_id=-1 transaction_id (String);\n"
            "  required int64 field_id=-1 ts (Timestamp(isAdjustedToUTC=true, "
            "timeUnit=microseconds, is_from_converted_type=false, "
            "force_set_converted_type=false));\n"
            "  optional binary field_id=-1 payload (String);\n"
            "}\n");
}

TEST(ParquetWriter, PinsTheFooter) {
  const auto footer = Footer(Write(ParquetForm(Codec::kZstd), ManyRows()).bytes);
  EXPECT_EQ(footer->created_by(), "queen-s3");
  EXPECT_EQ(footer->version(), parquet::ParquetVersion::PARQUET_1_0);
  EXPECT_THAT(footer->key_value_metadata()->keys(),
              testing::ElementsAre("queen.envelope", "queen.queue"));
  EXPECT_THAT(footer->key_value_metadata()->values(), testing::ElementsAre("1", "orders"));
}

TEST(ParquetWriter, ClosesRowGroupsOnACountWithoutAnEmptyTail) {
  const auto groups_of = [](std::int64_t records) {
    const auto footer = Footer(Write(ParquetForm(Codec::kZstd, records), ManyRows()).bytes);
    std::vector<std::int64_t> sizes;
    sizes.reserve(static_cast<std::size_t>(footer->num_row_groups()));
    for (int i = 0; i < footer->num_row_groups(); ++i) {
      sizes.push_back(footer->RowGroup(i)->num_rows());
    }
    return sizes;
  };
  EXPECT_THAT(groups_of(1000), testing::ElementsAre(1000, 1000, 500));
  EXPECT_THAT(groups_of(1250), testing::ElementsAre(1250, 1250));
  EXPECT_THAT(groups_of(100'000), testing::ElementsAre(2500));
}

TEST(ParquetWriter, EncodesEachColumnAsPinned) {
  using parquet::Encoding;
  const auto footer = Footer(Write(ParquetForm(Codec::kSnappy), ManyRows()).bytes);
  const auto group = footer->RowGroup(0);
  const auto encodings = [&](int column) { return group->ColumnChunk(column)->encodings(); };
  EXPECT_THAT(encodings(kPartition), testing::Contains(Encoding::PLAIN_DICTIONARY));
  EXPECT_TRUE(group->ColumnChunk(kPartition)->has_dictionary_page());
  for (const int column : {kOffset, kTs}) {
    EXPECT_THAT(encodings(column), testing::Contains(Encoding::DELTA_BINARY_PACKED));
    EXPECT_FALSE(group->ColumnChunk(column)->has_dictionary_page());
  }
  for (const int column : {kTransactionId, kPayload}) {
    EXPECT_THAT(encodings(column), testing::Contains(Encoding::PLAIN));
    EXPECT_FALSE(group->ColumnChunk(column)->has_dictionary_page());
  }
  for (int column = 0; column < 5; ++column) {
    EXPECT_EQ(group->ColumnChunk(column)->compression(), parquet::Compression::SNAPPY);
  }
}

TEST(ParquetWriter, KeepsBoundsOfEachRowGroup) {
  const std::string bytes = Write(ParquetForm(Codec::kZstd), ManyRows()).bytes;
  const auto partition = StatisticsOf(bytes, 1, kPartition);
  EXPECT_EQ(partition->min(), "cust-0420");
  EXPECT_EQ(partition->max(), "région-eu");
  EXPECT_EQ(partition->null_count, 0);
  const auto offset = StatisticsOf(bytes, 1, kOffset);
  EXPECT_EQ(AsInt(offset->min()), 0);
  EXPECT_EQ(AsInt(offset->max()), 1249);
  const auto ts = StatisticsOf(bytes, 0, kTs);
  EXPECT_EQ(AsInt(ts->min()), 1788516000000000);
  EXPECT_EQ(AsInt(ts->max()), 1788516000000000 + 19 * 1'000'003);
  EXPECT_TRUE(partition->is_min_value_exact.value() && partition->is_max_value_exact.value());
  EXPECT_EQ(StatisticsOf(bytes, 0, kPayload)->null_count, 143);
}

TEST(ParquetWriter, CutsLongBoundsAndSaysSo) {
  const std::string id(100, 'k');
  const std::string bytes =
      Write(ParquetForm(Codec::kZstd), {{"p", 0, id, 1, "1"}, {"p", 1, id, 2, ""}}).bytes;
  const auto statistics = StatisticsOf(bytes, 0, kTransactionId);
  EXPECT_EQ(statistics->min(), std::string(64, 'k'));
  EXPECT_EQ(statistics->max(), std::string(63, 'k') + 'l');
  EXPECT_FALSE(statistics->is_min_value_exact.value());
  EXPECT_FALSE(statistics->is_max_value_exact.value());
}

TEST(ParquetWriter, CountsTheOnlyNull) {
  const std::string bytes = Write(ParquetForm(Codec::kZstd), {{"p", 0, "t", 1, ""}}).bytes;
  const auto statistics = StatisticsOf(bytes, 0, kPayload);
  EXPECT_EQ(statistics->null_count, 1);
  EXPECT_FALSE(statistics->has_min);
  EXPECT_FALSE(statistics->has_max);
}

struct Page {
  std::int64_t values;
  bool v1;
  bool has_statistics;
};

std::vector<Page> DataPages(const std::string& bytes, int column) {
  auto reader = parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
  std::vector<Page> result;
  for (int group = 0; group < reader->metadata()->num_row_groups(); ++group) {
    auto pages = reader->RowGroup(group)->GetColumnPageReader(column);
    while (auto page = pages->NextPage()) {
      if (page->type() == parquet::PageType::DICTIONARY_PAGE) continue;
      const auto& data = static_cast<const parquet::DataPage&>(*page);
      result.push_back({data.num_values(),
                        page->type() == parquet::PageType::DATA_PAGE,
                        data.statistics().is_set()});
    }
  }
  return result;
}

// Complaint C53: what other readers cannot read. Encodings: EncodesEachColumnAsPinned.
TEST(ParquetWriter, WritesV1PagesOfAtMostTwentyThousandRowsWithoutStatistics) {
  std::vector<Row> rows;
  rows.reserve(45'000);
  for (int i = 0; i < 45'000; ++i) rows.push_back({"p", i, "t", i, "1"});
  const std::string bytes = Write(ParquetForm(Codec::kZstd, 100'000), rows).bytes;
  for (int column = 0; column < 5; ++column) {
    std::vector<std::int64_t> sizes;
    for (const Page& page : DataPages(bytes, column)) {
      sizes.push_back(page.values);
      EXPECT_TRUE(page.v1);
      EXPECT_FALSE(page.has_statistics);
    }
    EXPECT_THAT(sizes, testing::ElementsAre(20'000, 20'000, 5'000)) << column;
  }
}

TEST(ParquetWriter, EndsAPageAtAMebibyteHoweverLargeThePayloads) {
  std::vector<Row> rows;
  rows.reserve(10);
  for (int i = 0; i < 10; ++i) rows.push_back({"p", i, "t", i, std::string(600'000, 'x')});
  const std::string bytes = Write(ParquetForm(Codec::kSnappy), rows).bytes;
  EXPECT_EQ(DataPages(bytes, kPayload).size(), 5U);
}

TEST(ParquetWriter, HasNoPageIndexAndNoSizeStatistics) {
  const auto footer = Footer(Write(ParquetForm(Codec::kZstd), ManyRows()).bytes);
  for (int column = 0; column < 5; ++column) {
    const auto chunk = footer->RowGroup(0)->ColumnChunk(column);
    EXPECT_FALSE(chunk->GetColumnIndexLocation().has_value());
    EXPECT_FALSE(chunk->GetOffsetIndexLocation().has_value());
    EXPECT_EQ(chunk->size_statistics(), nullptr);
  }
}

TEST(ParquetWriter, LeavesTheQueueOutOfAnObjectWithoutRecords) {
  const auto footer = Footer(Write(ParquetForm(Codec::kZstd), {}).bytes);
  EXPECT_EQ(footer->num_row_groups(), 0);
  EXPECT_THAT(footer->key_value_metadata()->keys(), testing::ElementsAre("queen.envelope"));
}

TEST(ParquetWriter, GetsSmallerThanHalfOfItsPayloads) {
  std::vector<Row> rows = ManyRows();
  std::int64_t payload_bytes = 0;
  for (auto& row : rows) {
    row.payload =
        "{\"customer\":\"" + row.transaction_id + "\",\"status\":\"paid\",\"items\":[1,2]}";
    payload_bytes += static_cast<std::int64_t>(row.payload.size());
  }
  EXPECT_LT(Write(ParquetForm(Codec::kZstd, 100'000), rows).stats.bytes, payload_bytes / 2);
}

// However the records are held on the way, a window is one object.
TEST(ParquetWriter, BorrowedRecordsGiveTheSameBytes) {
  auto rows = ManyRows();
  for (std::size_t i = 0; i < rows.size(); i += 5) rows[i].payload.assign(7'000, 'x');
  for (const auto codec : {Codec::kZstd, Codec::kSnappy}) {
    for (const std::int64_t row_group : {1'000, 100'000}) {
      const Form form = ParquetForm(codec, row_group);
      auto writer = *NewObjectWriter(form, "orders", ViewLifetime::kObject);
      for (const auto& row : rows) {
        ASSERT_TRUE(writer
                        ->Append({row.partition,
                                  Offset(row.offset),
                                  row.transaction_id,
                                  Micros(row.ts),
                                  row.payload})
                        .has_value());
      }
      const auto stats = writer->Finish();
      const Written copied = Write(form, rows);
      EXPECT_EQ(writer->TakeBytes(), copied.bytes);
      EXPECT_EQ(stats->sha256, copied.stats.sha256);
    }
  }
}

TEST(ParquetWriter, CountsTheMemoryOfItsRowGroupAndLetsItGo) {
  auto writer = NewObjectWriter(ParquetForm(Codec::kSnappy, 2'000), "orders");
  std::uint64_t state = 1;
  std::size_t peak = 0;
  for (int i = 0; i < 2'000; ++i) {
    std::string noise(1000, ' ');
    for (char& c : noise) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      c = static_cast<char>('0' + (state >> 58));
    }
    ASSERT_TRUE((*writer)->Append({"p", Offset(i), "t", Micros(i), noise}).has_value());
    peak = std::max(peak, (*writer)->memory_bytes() - (*writer)->pending_bytes());
  }
  EXPECT_GT(peak, 2'000'000U);
  EXPECT_GT((*writer)->TakeBytes().size(), 1'900'000U);
  EXPECT_LT((*writer)->memory_bytes(), 1'500'000U);
}

TEST(ParquetWriterDeathTest, RefusesRecordsOutOfOrder) {
  EXPECT_DEATH(Write(ParquetForm(Codec::kZstd), {{"p", 1, "t", 1, ""}, {"p", 0, "t", 1, ""}}),
               "after");
}

}  // namespace
}  // namespace tidemark::datafile
