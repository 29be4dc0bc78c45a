#include "datafile/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress.h"
#include "datafile/writer.h"

namespace tidemark::datafile {
namespace {

using format::Codec;
using format::DataFormat;
using format::Form;
using format::RecordView;

struct Row {
  std::string partition;
  std::int64_t offset;
  std::string transaction_id;
  std::int64_t ts;
  std::string payload;

  bool operator==(const Row&) const = default;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.partition << '|' << row.offset << '|' << row.transaction_id << '|' << row.ts << '|'
       << row.payload;
}

std::vector<Row> SampleRows() {
  std::vector<Row> rows;
  for (const char* partition : {"a\"\\\n", "cust 42/eu", "région-eu"}) {
    for (int i = 0; i < 1500; ++i) {
      rows.push_back(
          {.partition = partition,
           .offset = 10 * i,
           .transaction_id = "é\t" + std::to_string(i),
           .ts = 1788516000000000 + i,
           .payload =
               i % 3 == 1 ? "" : R"({"n": [1, {"s":"\u00e9\n"}], "i":)" + std::to_string(i) + "}"});
    }
  }
  rows.push_back({"z", 0, "", -1, R"("top-level text")"});
  rows.push_back({"z", 1, "t", 0, "-1.50"});
  return rows;
}

std::string Write(const Form& form, const std::vector<Row>& rows) {
  auto writer = NewObjectWriter(form, "orders");
  for (const auto& row : rows) {
    EXPECT_TRUE((*writer)
                    ->Append({row.partition,
                              Offset(row.offset),
                              row.transaction_id,
                              Micros(row.ts),
                              row.payload})
                    .has_value());
  }
  EXPECT_TRUE((*writer)->Finish().has_value());
  return (*writer)->TakeBytes();
}

Form FormOf(DataFormat data_format, Codec codec) {
  Form form;
  form.data_format = data_format;
  form.codec = codec;
  form.row_group_records = 2000;
  return form;
}

bool Ignore(const RecordView& /*record*/) { return true; }

Error FailureOf(std::string_view extension, std::string_view bytes) {
  const auto summary = ReadObject(extension, bytes, Ignore);
  EXPECT_FALSE(summary.has_value());
  return summary.has_value() ? Error{} : summary.error();
}

class EveryForm : public testing::TestWithParam<Form> {
 protected:
  std::string Extension() const { return std::string(format::Extension(GetParam())); }
};

TEST_P(EveryForm, ComesBackAsItWas) {
  std::vector<Row> back;
  const auto summary =
      ReadObject(Extension(), Write(GetParam(), SampleRows()), [&](const RecordView& record) {
        back.push_back({std::string(record.partition),
                        record.offset.value(),
                        std::string(record.transaction_id),
                        record.ts.value(),
                        std::string(record.payload)});
        return true;
      });
  ASSERT_TRUE(summary.has_value()) << summary.error().message;
  EXPECT_EQ(back, SampleRows());
  EXPECT_EQ(summary->records, 4502);
}

TEST_P(EveryForm, StopsWhenTheVisitorHasEnough) {
  int seen = 0;
  const auto summary = ReadObject(
      Extension(), Write(GetParam(), SampleRows()), [&](const RecordView&) { return ++seen < 7; });
  EXPECT_EQ(summary->records, 7);
  EXPECT_EQ(seen, 7);
}

TEST_P(EveryForm, ReadsAnObjectWithoutRecords) {
  EXPECT_EQ(ReadObject(Extension(), Write(GetParam(), {}), Ignore)->records, 0);
}

TEST_P(EveryForm, CallsATruncatedObjectCorrupt) {
  const std::string bytes = Write(GetParam(), SampleRows());
  for (const std::size_t lost : {1U, 10U, 1000U}) {
    const auto head = std::string_view(bytes).substr(0, bytes.size() - lost);
    EXPECT_EQ(FailureOf(Extension(), head).code, ErrorCode::kCorruption) << lost;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms,
                         EveryForm,
                         testing::Values(FormOf(DataFormat::kJsonl, Codec::kNone),
                                         FormOf(DataFormat::kJsonl, Codec::kGzip),
                                         FormOf(DataFormat::kJsonl, Codec::kZstd),
                                         FormOf(DataFormat::kParquet, Codec::kZstd),
                                         FormOf(DataFormat::kParquet, Codec::kSnappy)));

TEST(ReadObject, TellsTheFooterOfAParquetObject) {
  const auto summary = ReadObject(
      "parquet", Write(FormOf(DataFormat::kParquet, Codec::kZstd), SampleRows()), Ignore);
  EXPECT_EQ(summary->created_by, "queen-s3");
  EXPECT_EQ(summary->footer_queue, "orders");
  EXPECT_EQ(summary->footer_envelope, "1");
}

TEST(ReadObject, KnowsAParquetObjectWithoutAQueue) {
  const auto summary =
      ReadObject("parquet", Write(FormOf(DataFormat::kParquet, Codec::kZstd), {}), Ignore);
  EXPECT_FALSE(summary->footer_queue.has_value());
}

TEST(ReadObject, RefusesAnExtensionItDoesNotKnow) {
  EXPECT_EQ(FailureOf("csv", "").code, ErrorCode::kInvalidArgument);
}

TEST(ReadObject, NamesTheRowGroupOfADamagedPage) {
  std::string bytes = Write(FormOf(DataFormat::kParquet, Codec::kZstd), SampleRows());
  bytes.replace(4, 16, 16, '\xff');  // the header of the first page
  const Error error = FailureOf("parquet", bytes);
  EXPECT_EQ(error.code, ErrorCode::kCorruption);
  EXPECT_THAT(error.message, testing::StartsWith("row group "));
}

constexpr std::string_view kGoodLine =
    R"({"partition":"p","offset":1,"transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":1})";

TEST(ReadJsonl, NeedsALineFeedAfterTheLastLine) {
  EXPECT_TRUE(ReadObject("jsonl", std::string(kGoodLine) + "\n", Ignore).has_value());
  EXPECT_EQ(FailureOf("jsonl", kGoodLine).message, "line 1: no line feed at its end");
}

class DamagedLine : public testing::TestWithParam<const char*> {};

TEST_P(DamagedLine, IsCorruptAndNamed) {
  const Error error = FailureOf("jsonl", std::string(kGoodLine) + "\n" + GetParam() + "\n");
  EXPECT_EQ(error.code, ErrorCode::kCorruption);
  EXPECT_THAT(error.message, testing::StartsWith("line 2: "));
}

INSTANTIATE_TEST_SUITE_P(
    Lines,
    DamagedLine,
    testing::Values(
        "",
        "[]",
        "{}",
        R"({"partition":"p","offset":1,"transactionId":"t","ts":"2026-09-04T10:00:00Z"})",
        R"({"offset":1,"partition":"p","transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":1})",
        R"({"partition":"p","offset":1,"transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":1,"x":2})",
        R"({"partition":"p","offset":1,"transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":1}{})",
        R"({"partition":"p","offset":1.5,"transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":1})",
        R"({"partition":"p","offset":"1","transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":1})",
        R"({"partition":7,"offset":1,"transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":1})",
        R"({"partition":"p","offset":1,"transactionId":"t","ts":"yesterday","payload":1})",
        R"({"partition":"p","offset":1,"transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":{)",
        R"({"partition":"p","offset":1,"transactionId":"t","ts":"2026-09-04T10:00:00Z","payload":{"a"})"));

}  // namespace
}  // namespace tidemark::datafile
