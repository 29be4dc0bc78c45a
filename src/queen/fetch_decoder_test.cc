#include "queen/fetch_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark::queen {
namespace {

const FetchRequest kOneLane{.queue = "orders", .entries = {{"p", Offset(0)}}};

// An answer for kOneLane with these records.
std::string Body(const std::string& records, const std::string& rest = R"("highWatermark":900)") {
  return R"({"entries":[{"queue":"orders","partition":"p","records":[)" + records + "]," + rest +
         "}]}";
}

std::string Record(int offset, const std::string& payload = "1") {
  return R"({"offset":)" + std::to_string(offset) + R"(,"transactionId":"t","payload":)" + payload +
         R"(,"ts":"2026-09-04T10:00:00.000000Z"})";
}

FetchAnswer Decoded(const std::string& body) { return DecodeFetch(body, kOneLane).value(); }

std::string PayloadOf(const std::string& payload) {
  const auto answer = Decoded(Body(Record(1, payload)));
  return std::string(answer.entries.at(0).records[0].payload(answer.body->text()));
}

TEST(DecodeFetch, ReadsRecordsAndBounds) {
  const auto answer =
      Decoded(Body(Record(120) + "," + Record(121), R"("highWatermark":122,"logStartOffset":100)"));
  const auto& entry = answer.entries.at(0);
  EXPECT_EQ(entry.error, EntryError::kNone);
  EXPECT_EQ(entry.high_watermark, Offset(122));
  EXPECT_EQ(entry.log_start, Offset(100));
  ASSERT_EQ(entry.records.size(), 2u);
  EXPECT_EQ(entry.records[1].offset, Offset(121));
  EXPECT_EQ(entry.records[1].ts, Micros(1'788'516'000'000'000));
  EXPECT_EQ(entry.records[1].transaction_id(answer.body->text()), "t");
}

TEST(DecodeFetch, KeepsThePayloadTextAndDropsTheBlanksAroundIt) {
  EXPECT_EQ(PayloadOf(R"(  { "a" : [1.50, "\u00e9\n"] }  )"), R"({ "a" : [1.50, "\u00e9\n"] })");
  EXPECT_EQ(PayloadOf("\n[ ]\t"), "[ ]");
  EXPECT_EQ(PayloadOf(" 273.90 "), "273.90");
  EXPECT_EQ(PayloadOf(R"("a\"b" )"), R"("a\"b")");
  EXPECT_EQ(PayloadOf(" true"), "true");
}

TEST(DecodeFetch, ANullPayloadIsNone) { EXPECT_EQ(PayloadOf(" null "), ""); }

TEST(DecodeFetch, AnEmptyStringIsAPayload) { EXPECT_EQ(PayloadOf(R"("")"), R"("")"); }

TEST(DecodeFetch, UndoesTheEscapesOfATransactionId) {
  const auto answer =
      Decoded(Body(R"({"offset":1,"transactionId":"a\"\\\u00e9\ud83d\ude00\nz","payload":"next",)"
                   R"("ts":"2026-09-04T10:00:00.000000Z"})"));
  const auto& record = answer.entries.at(0).records[0];
  EXPECT_EQ(record.transaction_id(answer.body->text()), "a\"\\\u00e9\U0001F600\nz");
  EXPECT_EQ(record.payload(answer.body->text()), R"("next")");
}

TEST(DecodeFetch, TakesFieldsInAnyOrderAndSkipsUnknownOnes) {
  const auto answer = Decoded(
      R"({"x":{"y":[1]},"entries":[{"highWatermark":3,"records":[{"ts":"2026-09-04T10:00:00Z",
          "extra":[{"offset":9}],"payload":{"offset":8},"offset":2,"transactionId":"t"}],
          "partition":"p","more":null,"queue":"orders"}],"z":1})");
  EXPECT_EQ(answer.entries.at(0).records[0].offset, Offset(2));
}

TEST(DecodeFetch, ReadsShortFractionsOfATime) {
  const auto answer = Decoded(Body(R"({"offset":1,"ts":"2026-09-04T10:00:00.5Z"})"));
  EXPECT_EQ(answer.entries.at(0).records[0].ts, Micros(1'788'516'000'500'000));
}

TEST(DecodeFetch, ARecordMayHaveNoTransactionIdAndNoPayload) {
  const auto answer = Decoded(Body(R"({"offset":1,"ts":"2026-09-04T10:00:00Z"})"));
  EXPECT_EQ(answer.entries.at(0).records[0].transaction_id_size, 0u);
  EXPECT_EQ(answer.entries.at(0).records[0].payload_size, 0u);
}

TEST(DecodeFetch, ReadsTheErrorOfAnEntry) {
  const auto error_of = [](const std::string& marker) {
    return Decoded(Body("", "\"error\":\"" + marker + "\"")).entries.at(0).error;
  };
  EXPECT_EQ(error_of("OFFSET_OUT_OF_RANGE"), EntryError::kOffsetOutOfRange);
  EXPECT_EQ(error_of("UNKNOWN_TOPIC_OR_PARTITION"), EntryError::kUnknownPartition);
  EXPECT_EQ(error_of("SOMETHING_NEW"), EntryError::kOther);
}

TEST(DecodeFetch, LanesWithEscapedNamesAreRecognised) {
  const FetchRequest request{.queue = "a/\"b", .entries = {{"r\u00e9gion", Offset(0)}}};
  const auto answer = DecodeFetch(
      R"({"entries":[{"queue":"a\/\"b","partition":"r\u00e9gion","highWatermark":0}]})", request);
  EXPECT_TRUE(answer.has_value()) << answer.error().message;
}

struct Bad {
  const char* name;
  std::string body;
};

class UnreadableFetch : public ::testing::TestWithParam<Bad> {};

TEST_P(UnreadableFetch, IsInternal) {
  const auto answer = DecodeFetch(GetParam().body, kOneLane);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kInternal);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies,
    UnreadableFetch,
    ::testing::Values(
        Bad{"Empty", ""},
        Bad{"NoJson", "<html>"},
        Bad{"Array", "[]"},
        Bad{"NoEntries", "{}"},
        Bad{"TooFewEntries", R"({"entries":[]})"},
        Bad{"TooManyEntries",
            R"({"entries":[{"queue":"orders","partition":"p"},{"queue":"orders","partition":"p"}]})"},
        Bad{"WrongLane", R"({"entries":[{"queue":"orders","partition":"q"}]})"},
        Bad{"WrongQueue", R"({"entries":[{"queue":"order","partition":"p"}]})"},
        Bad{"Truncated", Body(Record(1)).substr(0, 80)},
        Bad{"SomethingBehind", Body(Record(1)) + "{}"},
        Bad{"OffsetNoNumber", Body(R"({"offset":"1","ts":"2026-09-04T10:00:00Z"})")},
        Bad{"OffsetNegative", Body(R"({"offset":-1,"ts":"2026-09-04T10:00:00Z"})")},
        Bad{"NoOffset", Body(R"({"ts":"2026-09-04T10:00:00Z"})")},
        Bad{"NoTs", Body(R"({"offset":1})")},
        Bad{"TsOfAnotherZone", Body(R"({"offset":1,"ts":"2026-09-04T10:00:00+00:00"})")},
        Bad{"TsNoText", Body(R"({"offset":1,"ts":5})")},
        Bad{"TransactionIdNoText",
            Body(R"({"offset":1,"transactionId":7,"ts":"2026-09-04T10:00:00Z"})")},
        Bad{"BadEscape", Body(R"({"offset":1,"transactionId":"\q","ts":"2026-09-04T10:00:00Z"})")},
        Bad{"OffsetsFall", Body(Record(2) + "," + Record(1))},
        Bad{"OffsetsRepeat", Body(Record(2) + "," + Record(2))},
        Bad{"RecordsTwice",
            Body(Record(2), R"("records":[)" + Record(1) + R"(],"highWatermark":9)")},
        Bad{"ColonBehindATs", Body(R"({"offset":1,"ts":"2026-09-04T10:00:00Z":]})")},
        Bad{"ColonBehindATransactionId",
            Body(R"({"offset":1,"ts":"2026-09-04T10:00:00Z","transactionId":"t":]})")},
        Bad{"AboveTheHighWatermark", Body(Record(900))},
        Bad{"PayloadNoValue", Body(Record(1, "nul"))},
        Bad{"NotUtf8", Body(Record(1, "\"\xff\""))}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemark::queen
