#include "format/kv_documents.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

constexpr Window kWindow{WindowNumber(8), Micros(1788516000000000), Micros(1788516300000000)};

Intent ExampleIntent() {
  Intent intent;
  intent.window = kWindow;
  intent.writer = "tidemark/0.1.0 jsonl+zstd";
  intent.records = 918;
  return intent;
}

Committed ExampleCommitted() {
  return {.k = WindowNumber(8),
          .t_end = kWindow.end,
          .manifest = "queen/_queen/orders/windows/0000000008.json",
          .records = 918,
          .bytes = 44139,
          .committed_at_ms = 1788516307412};
}

TEST(KvKeys, AreTheContractsExamples) {
  EXPECT_EQ(LeaseKey("default", "orders"), "s3:default:orders:lease");
  EXPECT_EQ(IntentKey("sink-2", "a/b"), "s3:sink-2:a%2Fb:intent");
  EXPECT_EQ(CommittedKey("default", "a b"), "s3:default:a%20b:committed");
  EXPECT_EQ(LeaseKey("default", "a:b"), "s3:default:a%3Ab:lease");
}

TEST(KvKeys, KeepDotNamesPlainAsTheBrokersHoldComputesThem) {
  EXPECT_EQ(CommittedKey("default", ".."), "s3:default:..:committed");
}

TEST(EncodeIntent, HasIsoTimesAndOurFieldsAfterThoseOf15) {
  EXPECT_EQ(
      EncodeIntent(ExampleIntent()),
      R"({"k":8,"tStart":"2026-09-04T10:00:00.000000Z","tEnd":"2026-09-04T10:05:00.000000Z",)"
      R"("format":"jsonl","compression":"zstd","layout":"merged",)"
      R"("writer":"tidemark/0.1.0 jsonl+zstd","prefix":"queen","align":"hour","codec":"zstd",)"
      R"("rowGroupRecords":100000,"records":918,"lost":[]})");
}

TEST(DecodeIntent, IsTheInverse) {
  auto intent = ExampleIntent();
  intent.form = {.prefix = "other/place",
                 .data_format = DataFormat::kParquet,
                 .codec = Codec::kSnappy,
                 .layout = Layout::kPerPartition,
                 .align = Align::kNone,
                 .row_group_records = 500};
  intent.lost = {{"p\"1", Offset(3), Offset(5)}};
  intent.rows = {{"p\"1", Offset(6), Offset(9)}, {"q", Offset(0), Offset(0)}};
  EXPECT_EQ(DecodeIntent(EncodeIntent(intent), Form()).value(), intent);
}

TEST(DecodeIntent, KeepsTheNameOfTheLostSidecar) {
  auto intent = ExampleIntent();
  intent.lost_sidecar = "queen/_queen/q/lost/0000000008-ab.json";
  EXPECT_EQ(DecodeIntent(EncodeIntent(intent), Form()).value(), intent);
}

TEST(DecodeIntent, Of15TakesTheRestFromTheDefaults) {
  const Form defaults{.prefix = "p",
                      .data_format = DataFormat::kParquet,
                      .codec = Codec::kSnappy,
                      .layout = Layout::kPerPartition,
                      .align = Align::kDay,
                      .row_group_records = 7};
  const auto intent = DecodeIntent(
      R"({"k":8,"tStart":1788516000000000,"tEnd":1788516300000000,"format":"jsonl",)"
      R"("compression":"zstd","layout":"merged","writer":"queen-s3/1.5.0 jsonl+zstd"})",
      defaults);
  ASSERT_TRUE(intent.has_value()) << intent.error().message;
  EXPECT_EQ(intent->window, kWindow);
  EXPECT_EQ(intent->form,
            (Form{.prefix = "p",
                  .data_format = DataFormat::kJsonl,
                  .codec = Codec::kZstd,
                  .layout = Layout::kMerged,
                  .align = Align::kDay,
                  .row_group_records = 7}));
  EXPECT_EQ(intent->records, std::nullopt);
}

TEST(DecodeIntent, ParquetWithoutCompressionOf15IsSnappy) {
  const auto intent = DecodeIntent(
      R"({"k":8,"tStart":1,"tEnd":2,"format":"parquet","compression":"none","layout":"merged",)"
      R"("writer":"queen-s3/1.5.0 parquet/59 snappy"})",
      Form());
  ASSERT_TRUE(intent.has_value());
  EXPECT_EQ(intent->form.codec, Codec::kSnappy);
}

TEST(EncodeIntentFor15, IsWhat15Writes) {
  auto intent = ExampleIntent();
  intent.writer = "queen-s3/1.5.0 jsonl+zstd";
  EXPECT_EQ(EncodeIntentFor15(intent),
            R"({"k":8,"tStart":1788516000000000,"tEnd":1788516300000000,"format":"jsonl",)"
            R"("compression":"zstd","layout":"merged","writer":"queen-s3/1.5.0 jsonl+zstd"})");
}

TEST(EncodeIntentFor15, CallsSnappyNone) {
  auto intent = ExampleIntent();
  intent.form.data_format = DataFormat::kParquet;
  intent.form.codec = Codec::kSnappy;
  EXPECT_NE(EncodeIntentFor15(intent).find(R"("compression":"none")"), std::string::npos);
}

TEST(EncodeCommitted, HasAnIsoEndForTheRetentionHold) {
  EXPECT_EQ(EncodeCommitted(ExampleCommitted()),
            R"({"k":8,"tEnd":"2026-09-04T10:05:00.000000Z",)"
            R"("manifest":"queen/_queen/orders/windows/0000000008.json","records":918,)"
            R"("bytes":44139,"committedAtMs":1788516307412})");
}

TEST(EncodeCommittedFor15, HasAnIntegerEnd) {
  EXPECT_EQ(EncodeCommittedFor15(ExampleCommitted()),
            R"({"k":8,"tEnd":1788516300000000,)"
            R"("manifest":"queen/_queen/orders/windows/0000000008.json","records":918,)"
            R"("bytes":44139,"committedAtMs":1788516307412})");
}

TEST(DecodeCommitted, ReadsBothTimeForms) {
  EXPECT_EQ(DecodeCommitted(EncodeCommitted(ExampleCommitted())).value(), ExampleCommitted());
  EXPECT_EQ(DecodeCommitted(EncodeCommittedFor15(ExampleCommitted())).value(), ExampleCommitted());
}

TEST(DecodeCommitted, ReadsTheStartAtLatest) {
  const auto committed = DecodeCommitted(
      R"({"k":0,"tEnd":"2026-09-04T10:00:00Z","manifest":"","records":0,"bytes":0})");
  ASSERT_TRUE(committed.has_value());
  EXPECT_EQ(committed->k, WindowNumber(0));
  EXPECT_EQ(committed->t_end, kWindow.start);
}

TEST(Lease, IsTheContractsExample) {
  const Lease lease{
      .instance = "sink-0", .incarnation = "9f1c0d2e4b5a6978", .since_ms = 1788516000123};
  const auto text = EncodeLease(lease);
  EXPECT_EQ(text,
            R"({"instance":"sink-0","incarnation":"9f1c0d2e4b5a6978","sinceMs":1788516000123})");
  EXPECT_EQ(DecodeLease(text).value(), lease);
}

class BadIntent : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BadIntent, IsCorruption) {
  auto text = EncodeIntent(ExampleIntent());
  const auto& [part, replacement] = GetParam();
  ASSERT_NE(text.find(part), std::string::npos);
  text.replace(text.find(part), std::string_view(part).size(), replacement);
  const auto decoded = DecodeIntent(text, Form());
  ASSERT_FALSE(decoded.has_value()) << text;
  EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
}

INSTANTIATE_TEST_SUITE_P(
    Texts,
    BadIntent,
    testing::Values(std::pair{R"("k":8)", R"("k":"8")"},
                    std::pair{"2026-09-04T10:00:00.000000Z", "2026-09-04T10:00:00+00:00"},
                    std::pair{R"("format":"jsonl")", R"("format":"csv")"},
                    std::pair{R"("codec":"zstd")", R"("codec":"snappy")"},
                    std::pair{R"("codec":"zstd")", R"("codec":7)"},
                    std::pair{R"("align":"hour")", R"("align":"week")"},
                    std::pair{R"("rowGroupRecords":100000)", R"("rowGroupRecords":0)"},
                    std::pair{R"("records":918)", R"("records":null)"},
                    std::pair{R"("lost":[])", R"("lost":{})"},
                    std::pair{R"("lost":[])", R"("lost":[{"partition":"a","from":1}])"},
                    std::pair{R"("writer":)", R"("author":)"},
                    std::pair{"{", "["}));

TEST(DecodeCommitted, NamesTheFieldThatIsMissing) {
  const auto decoded = DecodeCommitted(R"({"k":1,"tEnd":2,"manifest":"m","records":1})");
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().message, "committed: field \"bytes\" is not an integer");
}

TEST(LostRanges, KeepTheOrderGiven) {
  const std::vector<LostRange> lost{{"b", Offset(1), Offset(2)}, {"a", Offset(0), Offset(0)}};
  const auto text = EncodeLostRanges(lost);
  EXPECT_EQ(text, R"([{"partition":"b","from":1,"to":2},{"partition":"a","from":0,"to":0}])");
  EXPECT_EQ(DecodeLostRanges(text).value(), lost);
}

TEST(LostRanges, WithoutAnyAreAnEmptyList) {
  EXPECT_EQ(EncodeLostRanges({}), "[]");
  EXPECT_TRUE(DecodeLostRanges("[]")->empty());
}

TEST(LostRanges, ThatAreNoneAreCorruption) {
  EXPECT_EQ(DecodeLostRanges("{}").error().code, ErrorCode::kCorruption);
  EXPECT_EQ(DecodeLostRanges("[7]").error().code, ErrorCode::kCorruption);
  EXPECT_EQ(DecodeLostRanges("").error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace tidemark::format
