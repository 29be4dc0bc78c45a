#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress.h"
#include "datafile/writer.h"

namespace tidemark::datafile {
namespace {

using format::Codec;
using format::DataFormat;
using format::RecordView;

constexpr Micros kTs{1788516221918204};  // 2026-09-04T10:03:41.918204Z

RecordView Record(std::string_view partition, std::int64_t offset, std::string_view payload) {
  return {partition, Offset(offset), "ord-9f21", kTs, payload};
}

struct Written {
  std::string bytes;
  ObjectStats stats;
};

// Takes the bytes after every record when `take_each`, else once at the end.
Written Write(const std::vector<RecordView>& records, Codec codec, bool take_each = false) {
  auto writer = NewObjectWriter({.data_format = DataFormat::kJsonl, .codec = codec}, "orders");
  std::string bytes;
  for (const auto& record : records) {
    EXPECT_TRUE((*writer)->Append(record).has_value());
    if (take_each) bytes += (*writer)->TakeBytes();
  }
  const auto stats = (*writer)->Finish();
  bytes += (*writer)->TakeBytes();
  return {bytes, *stats};
}

std::string Text(const std::vector<RecordView>& records) {
  return Write(records, Codec::kNone).bytes;
}

// About 400 KB of text in three partitions.
std::vector<RecordView> ManyRecords() {
  static const std::string kPayload = R"({"amount":12.50,"note":")" + std::string(150, 'x') + "\"}";
  std::vector<RecordView> records;
  for (const char* partition : {"a", "b", "c"}) {
    for (int i = 0; i < 500; ++i) records.push_back(Record(partition, i, kPayload));
  }
  return records;
}

TEST(JsonlWriter, WritesTheGoldenLine) {
  const Written one =
      Write({Record("cust-0420", 1811, R"({"type":"paid","amount":1290})")}, Codec::kNone);
  EXPECT_EQ(one.bytes,
            R"({"partition":"cust-0420","offset":1811,"transactionId":"ord-9f21",)"
            R"("ts":"2026-09-04T10:03:41.918204Z","payload":{"type":"paid","amount":1290}})"
            "\n");
  EXPECT_EQ(ToHex(one.stats.sha256),
            "d354a8d186a0b45afcee3bc5c7b94301b77d7dfe93fa7c1b35a152d010782223");
  EXPECT_EQ(one.stats.bytes, 142);
  EXPECT_EQ(one.stats.records, 1);
}

TEST(JsonlWriter, WritesAMissingPayloadAsNull) {
  EXPECT_THAT(Text({Record("p", 0, "")}),
              testing::EndsWith(R"("payload":null})"
                                "\n"));
}

TEST(JsonlWriter, KeepsThePayloadByteForByte) {
  const std::string_view payload = R"({ "b" : 1.50e+3,"a":"\u00e9\/\n\"é", "a":-0 })";
  EXPECT_THAT(Text({Record("p", 0, payload)}),
              testing::HasSubstr("\"payload\":" + std::string(payload) + "}\n"));
}

TEST(JsonlWriter, EscapesNames) {
  const RecordView record{"a\"b\n\x01", Offset(0), "\\\t", kTs, "1"};
  EXPECT_THAT(Text({record}),
              testing::StartsWith(R"({"partition":"a\"b\n\u0001","offset":0,)"
                                  R"("transactionId":"\\\t",)"));
}

TEST(JsonlWriter, TurnsRawLineBreaksIntoSpacesAndCountsThePayloads) {
  const Written two = Write(
      {Record("p", 0, "{\r\n\"a\": \"\\n\"\n}"), Record("p", 1, "[1\r]"), Record("p", 2, "3")},
      Codec::kNone);
  EXPECT_THAT(two.bytes, testing::HasSubstr("\"payload\":{  \"a\": \"\\n\" }}\n"));
  EXPECT_THAT(two.bytes, testing::HasSubstr("\"payload\":[1 ]}\n"));
  EXPECT_EQ(std::ranges::count(two.bytes, '\n'), 3);
  EXPECT_EQ(two.stats.newline_payloads, 2);
}

TEST(JsonlWriter, RendersEachTimestampAndPartitionAfresh) {
  RecordView later = Record("p", 1, "2");
  later.ts = kTs + 1;
  const std::string text = Text({Record("p", 0, "1"), later, Record("q", 0, "3")});
  EXPECT_THAT(text,
              testing::HasSubstr(R"("offset":1,"transactionId":"ord-9f21",)"
                                 R"("ts":"2026-09-04T10:03:41.918205Z")"));
  EXPECT_THAT(text,
              testing::HasSubstr(R"({"partition":"q","offset":0,)"
                                 R"("transactionId":"ord-9f21",)"
                                 R"("ts":"2026-09-04T10:03:41.918204Z")"));
}

TEST(JsonlWriter, ReportsTheDigestOfWhatWasTaken) {
  const Written many = Write(ManyRecords(), Codec::kZstd, /*take_each=*/true);
  EXPECT_EQ(many.stats.sha256, Sha256Of(many.bytes));
  EXPECT_EQ(many.stats.bytes, static_cast<std::int64_t>(many.bytes.size()));
  EXPECT_EQ(many.stats.records, 1500);
}

// Complaint C58: gzip is what Spark and pandas read without more; its header tells nothing of when
// and where (interface 8).
TEST(JsonlWriter, AGzipHeaderHasNoTimeNoNameAndNoSystem) {
  const Written gzip = Write({Record("p", 0, "1")}, Codec::kGzip);
  EXPECT_EQ(gzip.bytes.substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
  EXPECT_EQ(gzip.bytes[9], '\xff');
}

// The sizes of interface 17.2: 168 to 183 bytes a line, a tenth of it compressed.
TEST(JsonlWriter, AHundredThousandOrdinaryRecordsCompressTenfold) {
  std::vector<std::string> ids;
  std::vector<std::string> payloads;
  std::vector<RecordView> records;
  for (int n = 0; n < 100'000; ++n) {
    ids.push_back(fmt::format("ord-{:08}", n));
    payloads.push_back(
        fmt::format(R"({{"type":"paid","amount":{},"currency":"EUR","shop":7}})", 1000 + n % 9000));
  }
  records.reserve(ids.size());
  for (std::size_t n = 0; n < ids.size(); ++n)
    records.push_back(
        {"cust-0420", Offset(static_cast<std::int64_t>(n)), ids[n], kTs, payloads[n]});
  const std::int64_t plain = Write(records, Codec::kNone).stats.bytes;
  EXPECT_GE(plain, 168 * 100'000);
  EXPECT_LE(plain, 183 * 100'000);
  EXPECT_LT(Write(records, Codec::kZstd).stats.bytes, plain / 10);
  EXPECT_LT(Write(records, Codec::kGzip).stats.bytes, plain / 10);
}

class JsonlCodec : public testing::TestWithParam<std::pair<Codec, const char*>> {};

TEST_P(JsonlCodec, HasGoldenBytesHoweverTheyAreTaken) {
  const auto [codec, golden] = GetParam();
  EXPECT_EQ(ToHex(Write(ManyRecords(), codec, /*take_each=*/true).stats.sha256), golden);
  EXPECT_EQ(ToHex(Write(ManyRecords(), codec, /*take_each=*/false).stats.sha256), golden);
}

INSTANTIATE_TEST_SUITE_P(
    Codecs,
    JsonlCodec,
    testing::Values(
        std::pair{Codec::kNone, "cc40ec1b927b25d00cffb01b57e8c3eb46d464cd12c9293d072be3e80f860c19"},
        std::pair{Codec::kGzip, "2a40ff2e39952d204fb37a39e79b773719222cc89c9bfe1e3a64a9450b435b8b"},
        std::pair{Codec::kZstd,
                  "17af5e2f7f4a4f0b06d4d3997da11db59e43628b8fd047903e272fe0d078a8c4"}));

TEST(JsonlWriter, CompressesTheSameText) {
  const std::string text = Text(ManyRecords());
  EXPECT_EQ(ZstdDecompress(Write(ManyRecords(), Codec::kZstd).bytes, 1 << 20), text);
  EXPECT_EQ(GzipDecompress(Write(ManyRecords(), Codec::kGzip).bytes, 1 << 20), text);
}

TEST(JsonlWriter, AllowsAnObjectWithoutRecords) {
  const Written empty = Write({}, Codec::kZstd);
  EXPECT_EQ(empty.stats.records, 0);
  EXPECT_EQ(ZstdDecompress(empty.bytes, 1), "");
}

TEST(JsonlWriter, HoldsAFewHundredKilobytesWhateverTheSize) {
  auto writer = NewObjectWriter({.codec = Codec::kNone}, "orders");
  for (const auto& record : ManyRecords()) {
    ASSERT_TRUE((*writer)->Append(record).has_value());
    IgnoreError(Result<std::string>((*writer)->TakeBytes()), "only the memory is looked at");
  }
  EXPECT_LT((*writer)->memory_bytes(), 300'000U);
}

TEST(JsonlWriter, CountsBytesThatNobodyTook) {
  auto writer = NewObjectWriter({.codec = Codec::kNone}, "orders");
  for (const auto& record : ManyRecords()) ASSERT_TRUE((*writer)->Append(record).has_value());
  EXPECT_GT((*writer)->pending_bytes(), 250'000U);
  EXPECT_GT((*writer)->memory_bytes(), (*writer)->pending_bytes());
}

TEST(JsonlWriterDeathTest, RefusesRecordsOutOfOrder) {
  EXPECT_DEATH(Text({Record("p", 1, "1"), Record("p", 1, "1")}), "after");
  EXPECT_DEATH(Text({Record("q", 0, "1"), Record("p", 1, "1")}), "after");
}

TEST(NewObjectWriter, RefusesACodecThatTheFormatDoesNotHave) {
  for (const auto& [data_format, codec] : {std::pair{DataFormat::kJsonl, Codec::kSnappy},
                                           std::pair{DataFormat::kParquet, Codec::kGzip},
                                           std::pair{DataFormat::kParquet, Codec::kNone}}) {
    const auto writer = NewObjectWriter({.data_format = data_format, .codec = codec}, "orders");
    ASSERT_FALSE(writer.has_value());
    EXPECT_EQ(writer.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tidemark::datafile
