#include "edge/dataset/dataset_decoder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

FieldSpec Field(int id, const std::string& name, const std::string& type, bool required = false) {
  FieldSpec field;
  field.id = id;
  field.name = name;
  field.type = format::ParseColumnType(type).value();
  field.from.pointer = "/" + name;
  field.required = required;
  return field;
}

DatasetSpec Telemetry() {
  DatasetSpec spec;
  spec.id = "telemetry";
  spec.fields = {Field(1000, "seq", "u64", true), Field(1001, "temp_c", "f32")};
  return spec;
}

// A decoder with the rows it gave.
class Rows {
 public:
  explicit Rows(const DatasetSpec& spec, const datafile::SegmentForm& form = {})
      : decoder_(DatasetDecoder::Create(spec, "gw-01", form).value()),
        batch(datafile::NewBatch(decoder_->schema())) {}

  DecodeOutcome Add(std::string payload, std::string_view topic = "robots/r7/telemetry") {
    const std::size_t size = payload.size();
    payload.resize(size + 64);
    payload_ = std::move(payload);
    record_.position = record_.position + 1;
    record_.ingest_time = Micros(1'000'000);
    record_.source = "fleet";
    record_.topic = topic;
    record_.payload = std::string_view(payload_).substr(0, size);
    return decoder_->Decode(record_, batch, span);
  }

  // The reason of the reject; empty when it was taken.
  std::string ReasonOf(const std::string& payload) {
    const auto outcome = Add(payload);
    return outcome.reject ? std::string(outcome.reject->reason) : "";
  }

  std::string DetailOf(const std::string& payload) {
    const auto outcome = Add(payload);
    return outcome.reject ? outcome.reject->detail : "";
  }

  const datafile::ColumnBuffer& operator[](std::string_view name) const {
    const auto& columns = decoder_->schema().columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) return batch.columns[i];
    }
    return batch.columns.at(columns.size());
  }

  std::vector<std::string> Texts(std::string_view name) const {
    const auto& column = (*this)[name];
    std::vector<std::string> texts;
    std::size_t begin = 0;
    for (const std::size_t end : column.ends()) {
      texts.emplace_back(column.bytes().substr(begin, end - begin));
      begin = end;
    }
    return texts;
  }

 private:
  std::unique_ptr<DatasetDecoder> decoder_;
  std::string payload_;
  format::WalRecord record_;

 public:
  datafile::ColumnBatch batch;
  EventTimeSpan span;
};

// The decoder with one field of the type.
Rows OneField(const std::string& type, const std::string& name = "v") {
  DatasetSpec spec;
  spec.id = "one";
  spec.fields = {Field(1000, name, type)};
  return Rows(spec);
}

TEST(DatasetDecoder, TurnsARecordIntoARow) {
  Rows rows(Telemetry());
  EXPECT_EQ(rows.ReasonOf(R"({"seq": 18446744073709551615, "temp_c": 21.5})"), "");
  EXPECT_THAT(rows["_wal_position"].int64s(), ElementsAre(1));
  EXPECT_THAT(rows["_row"].int32s(), ElementsAre(0));
  EXPECT_THAT(rows["_ingest_time"].int64s(), ElementsAre(1'000'000));
  EXPECT_THAT(rows["_event_time"].presence(), ElementsAre(0));
  EXPECT_THAT(rows.Texts("_source"), ElementsAre("fleet"));
  EXPECT_THAT(rows.Texts("_topic"), ElementsAre("robots/r7/telemetry"));
  EXPECT_THAT(rows["seq"].int64s(), ElementsAre(-1));  // the bits of 2^64 - 1
  EXPECT_THAT(rows["temp_c"].floats(), ElementsAre(21.5F));
}

TEST(DatasetDecoder, OrderOfKeysDoesNotMatter) {
  Rows rows(Telemetry());
  EXPECT_EQ(rows.ReasonOf(R"({"temp_c":1,"seq":7})"), "");
  EXPECT_THAT(rows["seq"].int64s(), ElementsAre(7));
}

// A document laid out as the one before is read another way (json_layout.h); its values are the
// same.
TEST(DatasetDecoder, TheDocumentBeforeChangesNoValue) {
  DatasetSpec spec;
  spec.fields = {Field(1000, "f", "f32"),
                 Field(1001, "d", "f64"),
                 Field(1002, "i", "i16"),
                 Field(1003, "u", "u64"),
                 Field(1004, "n", "decimal(9,3)")};
  Rows warm(spec);
  std::mt19937 numbers(11);
  for (int i = 0; i < 5'000; ++i) {
    std::string document;
    for (const FieldSpec& field : spec.fields) {
      std::string number = numbers() % 3 == 0 ? "-" : "";
      number += std::to_string(numbers() % 3 == 0 ? numbers() % 10 : numbers() >> numbers() % 32);
      if (numbers() % 3 > 0) number += "." + std::to_string(numbers() >> numbers() % 32);
      if (numbers() % 20 == 0) number += "e1";
      document += fmt::format("{}\"{}\":{}", document.empty() ? "{" : ",", field.name, number);
    }
    document += '}';
    Rows fresh(spec);
    warm.batch.Clear();
    ASSERT_EQ(warm.DetailOf(document), fresh.DetailOf(document)) << document;
    for (const FieldSpec& field : spec.fields) {
      EXPECT_EQ(warm[field.name].floats(), fresh[field.name].floats()) << document;
      EXPECT_EQ(warm[field.name].doubles(), fresh[field.name].doubles()) << document;
      EXPECT_EQ(warm[field.name].int32s(), fresh[field.name].int32s()) << document;
      EXPECT_EQ(warm[field.name].int64s(), fresh[field.name].int64s()) << document;
    }
  }
}

TEST(DatasetDecoder, NullCountsAsMissing) {
  Rows rows(Telemetry());
  EXPECT_EQ(rows.ReasonOf(R"({"seq":1,"temp_c":null,"other":null})"), "");
  EXPECT_THAT(rows["temp_c"].presence(), ElementsAre(0));
  EXPECT_EQ(rows.ReasonOf(R"({"seq":null})"), "schema.missing");
}

TEST(DatasetDecoder, ARejectLeavesNoTrace) {
  Rows rows(Telemetry());
  rows.Add(R"({"seq":1,"temp_c":2})");
  EXPECT_EQ(rows.ReasonOf(R"({"temp_c":3})"), "schema.missing");
  EXPECT_EQ(rows.ReasonOf(R"({"seq":4,"temp_c":"warm"})"), "schema.type");
  for (const auto& column : rows.batch.columns) EXPECT_EQ(column.rows(), 1);
  EXPECT_THAT(rows["temp_c"].floats(), ElementsAre(2.0F));
}

TEST(DatasetDecoder, NamesEveryFaultTheFirstInFieldOrder) {
  Rows rows(Telemetry());
  const auto outcome = rows.Add(R"({"temp_c":"warm"})");
  EXPECT_EQ(outcome.reject->reason, "schema.missing");
  EXPECT_THAT(outcome.reject->detail, HasSubstr("seq: nothing at /seq"));
  EXPECT_THAT(outcome.reject->detail, HasSubstr("schema.type temp_c"));
}

// C46: numbers that go through a double lose their last digits.
TEST(DatasetDecoder, IntegersAreExactOrRefused) {
  Rows rows = OneField("i64");
  EXPECT_EQ(rows.ReasonOf(R"({"v":9007199254740993})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":-9223372036854775808})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":1e3})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":7.0})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":-0.0})"), "");
  EXPECT_THAT(rows["v"].int64s(), ElementsAre(9007199254740993, INT64_MIN, 1000, 7, 0));
  EXPECT_EQ(rows.ReasonOf(R"({"v":7.5})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":9223372036854775808})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":1e99999999999})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":true})"), "schema.type");
}

TEST(DatasetDecoder, SmallIntegersKeepTheirRange) {
  Rows i8 = OneField("i8");
  EXPECT_EQ(i8.ReasonOf(R"({"v":-128})"), "");
  EXPECT_EQ(i8.ReasonOf(R"({"v":128})"), "schema.narrowing");
  Rows u32 = OneField("u32");
  EXPECT_EQ(u32.ReasonOf(R"({"v":4294967295})"), "");
  EXPECT_EQ(u32.ReasonOf(R"({"v":-1})"), "schema.narrowing");
}

// C48: what reads no unsigned columns.
TEST(DatasetDecoder, SignedPolicyRefusesWhatTheWiderTypeCannotHold) {
  DatasetSpec spec;
  spec.id = "one";
  spec.fields = {Field(1000, "v", "u64")};
  datafile::SegmentForm form;
  form.unsigned_policy = datafile::UnsignedPolicy::kSigned;
  Rows rows(spec, form);
  EXPECT_EQ(rows.ReasonOf(R"({"v":9223372036854775807})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":9223372036854775808})"), "schema.narrowing");
}

TEST(DatasetDecoder, FloatsAreRoundedOnceAndNeverInfinite) {
  Rows rows = OneField("f32");
  EXPECT_EQ(rows.ReasonOf(R"({"v":0.1})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":-0.0})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":1e-400})"), "");
  EXPECT_THAT(rows["v"].floats(), ElementsAre(0.1F, 0.0F, 0.0F));
  EXPECT_TRUE(std::signbit(rows["v"].floats()[1]));
  EXPECT_EQ(rows.ReasonOf(R"({"v":1e39})"), "schema.narrowing");
  EXPECT_EQ(OneField("f64").ReasonOf(R"({"v":1e400})"), "schema.narrowing");
}

TEST(DatasetDecoder, DecimalsComeFromTheNumbersText) {
  Rows rows = OneField("decimal(10,2)");
  EXPECT_EQ(rows.ReasonOf(R"({"v":273.9})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":-99999999.99})"), "");
  EXPECT_THAT(rows["v"].int64s(), ElementsAre(27390, -9999999999));
  EXPECT_EQ(rows.ReasonOf(R"({"v":0.001})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":100000000})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"1.00"})"), "schema.type");
}

TEST(DatasetDecoder, WideDecimalsAreBigEndian) {
  Rows rows = OneField("decimal(38,0)");
  EXPECT_EQ(rows.ReasonOf(R"({"v":-2})"), "");
  EXPECT_EQ(rows["v"].bytes(), std::string(15, '\xff') + '\xfe');
  EXPECT_EQ(rows.ReasonOf(R"({"v":99999999999999999999999999999999999999})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":100000000000000000000000000000000000000})"), "schema.narrowing");
}

// C50: one bad string aborts an export, or whoever reads it.
TEST(DatasetDecoder, StringsAreUtf8) {
  Rows rows = OneField("string");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"a\u00e9\ud83c\udf0a\n\u0000"})"), "");
  EXPECT_THAT(rows.Texts("v"), ElementsAre(std::string("a\u00e9\U0001F30A\n\0", 9)));
  EXPECT_EQ(rows.ReasonOf(R"({"v":"\ud800"})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"\udc00"})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf("{\"v\":\"\xff\"}"), "decode.utf8");
  EXPECT_EQ(rows.ReasonOf(R"({"v":5})"), "schema.type");
}

TEST(DatasetDecoder, BinaryIsBase64) {
  Rows rows = OneField("binary");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"/wA="})"), "");
  EXPECT_THAT(rows.Texts("v"), ElementsAre(std::string("\xff\0", 2)));
  EXPECT_EQ(rows.ReasonOf(R"({"v":"/wB="})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"/wA"})"), "schema.narrowing");
}

TEST(DatasetDecoder, JsonStaysVerbatim) {
  Rows rows = OneField("json");
  EXPECT_EQ(rows.ReasonOf(R"({"v": {"a" : [1, 273.90, "x"]} })"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v": "t\u0065xt"})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v": 1.50 })"), "");
  EXPECT_THAT(rows.Texts("v"),
              ElementsAre(R"({"a" : [1, 273.90, "x"]})", R"("t\u0065xt")", "1.50"));
}

TEST(DatasetDecoder, TimestampsKeepMicroseconds) {
  Rows rows = OneField("timestamp");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"1970-01-01T01:00:00.000001+01:00"})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"1970-01-01 00:00:01.5000000z"})"), "");
  EXPECT_THAT(rows["v"].int64s(), ElementsAre(1, 1'500'000));
  EXPECT_EQ(rows.ReasonOf(R"({"v":"1970-01-01T00:00:00.0000001Z"})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"2026-02-30T00:00:00Z"})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"2026-01-01T00:00:60Z"})"), "schema.narrowing");
  EXPECT_EQ(rows.ReasonOf(R"({"v":12})"), "schema.type");
}

TEST(DatasetDecoder, RoundsTimestampsDownWhereToldTo) {
  DatasetSpec spec;
  spec.id = "one";
  spec.fields = {Field(1000, "v", "timestamp")};
  spec.fields[0].time_format = TimeFormat::kEpochNanos;
  spec.fields[0].round_down = true;
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"({"v":-1})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"v":1999})"), "");
  EXPECT_THAT(rows["v"].int64s(), ElementsAre(-1, 1));
}

TEST(DatasetDecoder, NanosecondsAreOptIn) {
  DatasetSpec spec;
  spec.id = "one";
  spec.fields = {Field(1000, "v", "timestamp")};
  datafile::SegmentForm form;
  form.timestamp_unit = datafile::TimestampUnit::kNanos;
  Rows rows(spec, form);
  EXPECT_EQ(rows.ReasonOf(R"({"v":"1970-01-01T00:00:00.000000001Z"})"), "");
  EXPECT_THAT(rows["v"].int64s(), ElementsAre(1));
  EXPECT_THAT(rows["_ingest_time"].int64s(), ElementsAre(1'000'000'000));
  EXPECT_EQ(rows.ReasonOf(R"({"v":"2300-01-01T00:00:00Z"})"), "schema.narrowing");
}

TEST(DatasetDecoder, DatesAreDays) {
  Rows rows = OneField("date");
  EXPECT_EQ(rows.ReasonOf(R"({"v":"1970-01-02"})"), "");
  EXPECT_THAT(rows["v"].int32s(), ElementsAre(1));
  EXPECT_EQ(rows.ReasonOf(R"({"v":"2026-13-01"})"), "schema.narrowing");
}

TEST(DatasetDecoder, EventTimeIsRoundedDownAndSpanned) {
  DatasetSpec spec = Telemetry();
  spec.event_time = EventTimeSpec{.from = {.pointer = "/ts"}, .format = TimeFormat::kEpochSeconds};
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"({"seq":1,"ts":1.0000009})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"seq":2,"ts":-3})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"seq":3})"), "");
  EXPECT_THAT(rows["_event_time"].int64s(), ElementsAre(1'000'000, -3'000'000));
  EXPECT_EQ(rows.span.min, Micros(-3'000'000));
  EXPECT_EQ(rows.span.max, Micros(1'000'000));
  EXPECT_EQ(rows.ReasonOf(R"({"seq":3,"ts":"now"})"), "schema.type");
}

TEST(DatasetDecoder, ADetailShowsTheBeginningOfAValueInWholeCharacters) {
  DatasetSpec spec = Telemetry();
  spec.event_time = EventTimeSpec{.from = {.pointer = "/ts"}, .format = TimeFormat::kEpochSeconds};
  const std::string digits = "100000000000000000000." + std::string(70, '0');
  EXPECT_EQ(Rows(spec).DetailOf(fmt::format(R"({{"seq":1,"ts":{}}})", digits)),
            fmt::format("event_time: {} is beyond a timestamp", digits.substr(0, 60)));
  const std::string text = std::string(58, 'x') + "\xE2\x82\xAC";  // a character of three bytes
  EXPECT_EQ(OneField("date").DetailOf(fmt::format(R"({{"v":"{}"}})", text)),
            fmt::format("v: \"{} is no date YYYY-MM-DD", std::string(58, 'x')));
}

TEST(DatasetDecoder, IdentityComesFromTopicSourceAndDocument) {
  DatasetSpec spec = Telemetry();
  spec.identity = {{100, "robot", "{topic.1}"}, {101, "who", "{source}@{node_id}#{json:/seq}"}};
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"({"seq":7})"), "");
  EXPECT_THAT(rows.Texts("robot"), ElementsAre("r7"));
  EXPECT_THAT(rows.Texts("who"), ElementsAre("fleet@gw-01#7"));
  EXPECT_EQ(rows.Add(R"({"seq":7})", "robots").reject->reason, "schema.missing");
}

// C55: fields that appear later go without a word. Each policy says what became of them.
TEST(DatasetDecoder, StrictNamesTheFirstUnknownLeaf) {
  Rows rows(Telemetry());
  EXPECT_EQ(rows.ReasonOf(R"({"seq":1,"pose":{"x":1}})"), "schema.unknown");
  EXPECT_EQ(rows.DetailOf(R"({"seq":1,"pose":{"x":1,"y/z":2}})"),
            "/pose/x is not declared, nor are 1 more");
}

TEST(DatasetDecoder, LenientDropsAndCounts) {
  DatasetSpec spec = Telemetry();
  spec.unknown = UnknownFields::kLenient;
  Rows rows(spec);
  EXPECT_EQ(rows.Add(R"({"seq":1,"pose":{"x":1,"y":[2,3]},"n":null})").unknown_dropped, 3);
}

TEST(DatasetDecoder, CaptureKeepsWhatIsNotDeclared) {
  DatasetSpec spec = Telemetry();
  spec.unknown = UnknownFields::kCapture;
  spec.fields.push_back(Field(1002, "x", "i32"));
  spec.fields.back().from.pointer = "/pose/x";
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"({"seq":1,"pose":{"x":1,"y": 2.50 ,"f":"m"},"a":[1, 2],"n":null})"),
            "");
  EXPECT_EQ(rows.ReasonOf(R"({"seq":1,"pose":{"x":1}})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"pose":5,"seq":1})"), "");
  EXPECT_THAT(rows.Texts("_unmapped"),
              ElementsAre(R"({"pose":{"y":2.50,"f":"m"},"a":[1, 2]})", R"({"pose":5})"));
  EXPECT_THAT(rows["_unmapped"].presence(), ElementsAre(1, 0));
}

TEST(DatasetDecoder, ADeclaredPointerSwallowsWhatIsBelow) {
  DatasetSpec spec = Telemetry();
  spec.fields.push_back(Field(1002, "pose", "json"));
  spec.fields.push_back(Field(1003, "x", "i32"));
  spec.fields.back().from.pointer = "/pose/x";
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"({"seq":1,"pose":{"x":1,"y":2}})"), "");
  EXPECT_THAT(rows.Texts("pose"), ElementsAre(R"({"x":1,"y":2})"));
  EXPECT_THAT(rows["x"].int32s(), ElementsAre(1));
}

DatasetSpec Samples() {
  DatasetSpec spec;
  spec.id = "samples";
  spec.explode = ExplodeSpec{
      .pointer = "/samples", .index_id = 101, .index_name = "sample", .required = false};
  spec.fields = {Field(1000, "v", "i32", true), Field(1001, "unit", "string")};
  spec.fields[1].from = {.pointer = "/unit", .document = true};
  return spec;
}

TEST(DatasetDecoder, ExplodesAnArrayIntoRows) {
  Rows rows(Samples());
  EXPECT_EQ(rows.ReasonOf(R"({"samples":[{"v":1},{"v":2}],"unit":"m"})"), "");
  EXPECT_THAT(rows["_wal_position"].int64s(), ElementsAre(1, 1));
  EXPECT_THAT(rows["_row"].int32s(), ElementsAre(0, 1));
  EXPECT_THAT(rows["sample"].int32s(), ElementsAre(0, 1));
  EXPECT_THAT(rows["v"].int32s(), ElementsAre(1, 2));
  EXPECT_THAT(rows.Texts("unit"), ElementsAre("m", "m"));
}

TEST(DatasetDecoder, OneBadElementRejectsTheRecordAndIsNamed) {
  Rows rows(Samples());
  EXPECT_THAT(rows.DetailOf(R"({"samples":[{"v":1},{"v":"x"}]})"), HasSubstr("element 1: v:"));
  EXPECT_THAT(rows.DetailOf(R"({"samples":[{"v":1},7]})"), HasSubstr("element 1: it is no object"));
  EXPECT_THAT(rows.DetailOf(R"({"samples":[null]})"), HasSubstr("element 0: v: nothing"));
  EXPECT_EQ(rows.batch.rows(), 0);
}

TEST(DatasetDecoder, AMissingArrayGivesNoRowUnlessItIsRequired) {
  DatasetSpec spec = Samples();
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"({"unit":"m"})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"samples":[]})"), "");
  EXPECT_EQ(rows.batch.rows(), 0);
  EXPECT_EQ(rows.ReasonOf(R"({"samples":5})"), "schema.type");
  spec.explode->required = true;
  EXPECT_EQ(Rows(spec).ReasonOf(R"({"unit":"m"})"), "schema.missing");
}

TEST(DatasetDecoder, CaptureUnderExplodeHoldsTheElementsRest) {
  DatasetSpec spec = Samples();
  spec.unknown = UnknownFields::kCapture;
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"({"a":1,"samples":[{"v":1,"q":2},{"v":2}]})"), "");
  EXPECT_EQ(rows.ReasonOf(R"({"samples":[{"v":1,"q":2},{"v":2}]})"), "");
  EXPECT_THAT(
      rows.Texts("_unmapped"),
      ElementsAre(R"({"a":1,"samples":[{"q":2}]})", R"({"a":1})", R"({"samples":[{"q":2}]})"));
  EXPECT_THAT(rows["_unmapped"].presence(), ElementsAre(1, 1, 1, 0));
}

// What takes the whole document along in each row: few rows of a long one fill the memory.
class LongDocument : public ::testing::TestWithParam<UnknownFields> {};

TEST_P(LongDocument, ExplodesIntoNoMoreThanARecordMayTake) {
  DatasetSpec spec = Samples();
  spec.unknown = GetParam();
  if (spec.unknown == UnknownFields::kStrict) {
    spec.fields.push_back(Field(1002, "big", "string"));
    spec.fields.back().from.document = true;
  }
  Rows rows(spec);
  const auto document = [](int elements) {
    std::string samples;
    for (int i = 0; i < elements; ++i) samples += i == 0 ? R"({"v":1})" : R"(,{"v":1})";
    return fmt::format(R"({{"big":"{}","samples":[{}]}})", std::string(1 << 20, 'x'), samples);
  };
  EXPECT_EQ(rows.ReasonOf(document(60)), "");
  rows.batch.Clear();
  EXPECT_EQ(rows.DetailOf(document(200)), "element 63: its rows take more than 67108864 bytes");
  EXPECT_EQ(rows.batch.rows(), 0);
  EXPECT_LT(rows.batch.memory_bytes(), 2 * kRecordRowBytesMax + (4 << 20));
}

TEST(DatasetDecoder, WhatIsNotThereWeighsTooWhenARecordExplodes) {
  DatasetSpec spec = Samples();
  for (int i = 0; i < 300; ++i) spec.fields.push_back(Field(2000 + i, fmt::format("f{}", i), "i8"));
  std::string samples;
  for (int i = 0; i < 200'000; ++i) samples += i == 0 ? R"({"v":1})" : R"(,{"v":1})";
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(fmt::format(R"({{"samples":[{}]}})", samples)), "size");
  EXPECT_LT(rows.batch.memory_bytes(), 2 * kRecordRowBytesMax + (4 << 20));
}

INSTANTIATE_TEST_SUITE_P(Forms,
                         LongDocument,
                         ::testing::Values(UnknownFields::kStrict, UnknownFields::kCapture));

TEST(DatasetDecoder, CaptureOfADocumentThatIsTheArrayHoldsTheElementsRest) {
  DatasetSpec spec = Samples();
  spec.unknown = UnknownFields::kCapture;
  spec.explode->pointer = "";
  spec.fields.pop_back();
  Rows rows(spec);
  EXPECT_EQ(rows.ReasonOf(R"([{"v":1,"q":2},{"v":2}])"), "");
  EXPECT_THAT(rows.Texts("_unmapped"), ElementsAre(R"([{"q":2}])"));
  EXPECT_THAT(rows["_unmapped"].presence(), ElementsAre(1, 0));
}

TEST(DatasetDecoder, TextAndRawTakeTheWholePayload) {
  DatasetSpec spec;
  spec.id = "lines";
  spec.payload = PayloadKind::kText;
  spec.fields = {Field(1000, "line", "string", true)};
  spec.fields[0].from.pointer = "";
  Rows text(spec);
  EXPECT_EQ(text.ReasonOf("a line"), "");
  EXPECT_EQ(text.ReasonOf("\xff"), "decode.utf8");
  EXPECT_THAT(text.Texts("line"), ElementsAre("a line"));
  spec.payload = PayloadKind::kRaw;
  spec.fields[0].type.kind = format::ColumnKind::kBinary;
  Rows raw(spec);
  EXPECT_EQ(raw.ReasonOf("\xff"), "");
  EXPECT_THAT(raw.Texts("line"), ElementsAre("\xff"));
}

TEST(DatasetDecoder, RoutesBySourceAndTopic) {
  DatasetSpec spec = Telemetry();
  spec.sources = {"fleet", "drop"};
  spec.topic_filter = "robots/+/telemetry";
  const auto decoder = DatasetDecoder::Create(spec, "gw", {}).value();
  format::WalRecord record;
  record.source = "drop";
  record.topic = "robots/r1/telemetry";
  EXPECT_TRUE(decoder->Takes(record));
  record.source = "ingest";
  EXPECT_FALSE(decoder->Takes(record));
  record.source = "fleet";
  record.topic = "robots/r1/log";
  EXPECT_FALSE(decoder->Takes(record));
}

class BrokenDocument : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BrokenDocument, IsNamedByItsReason) {
  DatasetSpec spec = Telemetry();
  spec.unknown = UnknownFields::kLenient;
  EXPECT_EQ(Rows(spec).ReasonOf(GetParam().first), GetParam().second) << GetParam().first;
}

INSTANTIATE_TEST_SUITE_P(
    Documents,
    BrokenDocument,
    ::testing::Values(std::pair{"", "decode.json"},
                      std::pair{"   ", "decode.json"},
                      std::pair{"{", "decode.json"},
                      std::pair{R"({"seq":1)", "decode.json"},
                      std::pair{R"({"seq":1} x)", "decode.json"},
                      std::pair{R"({"seq":1}{})", "decode.json"},
                      std::pair{R"({"seq":01})", "decode.json"},
                      std::pair{R"({"seq":1.})", "decode.json"},
                      std::pair{R"({"seq":tru})", "decode.json"},
                      std::pair{R"({"seq":1 2})", "decode.json"},
                      std::pair{R"({"seq" 1})", "decode.json"},
                      std::pair{R"({"seq":1,})", "decode.json"},
                      std::pair{R"({"seq":1,"x":[1 2]})", "decode.json"},
                      std::pair{R"({"seq":1,"x":"y":2})", "decode.json"},
                      std::pair{R"({"seq":1,"x":"y":]})", "decode.json"},
                      std::pair{R"({"seq":1,"x":["y":2]})", "decode.json"},
                      std::pair{R"({"seq":1,"x":{"y":nul}})", "decode.json"},
                      std::pair{R"({"seq":1,"x":"\q"})", "decode.json"},
                      std::pair{R"({"seq":1,"x\q":1})", "decode.json"},
                      std::pair{"{\"seq\":1,\"x\":\"\n\"}", "decode.json"},
                      std::pair{R"({"seq":1,"seq":2})", "decode.duplicate_key"},
                      std::pair{R"({"seq":1,"s\u0065q":2})", "decode.duplicate_key"},
                      std::pair{R"({"seq":1,"x":1,"y":2,"x":3})", "decode.duplicate_key"},
                      std::pair{R"({"seq":1,"x":{"y":1,"y":2}})", "decode.duplicate_key"},
                      std::pair{"5", "schema.type"},
                      std::pair{"[]", "schema.type"},
                      std::pair{"null", "schema.type"},
                      std::pair{"nul", "decode.json"},
                      std::pair{"\xef\xbb\xbf{\"seq\":1}", ""},
                      std::pair{" {\"seq\":1}\r\n", ""}));

TEST(DatasetDecoder, RefusesDeepNesting) {
  DatasetSpec spec = Telemetry();
  spec.unknown = UnknownFields::kLenient;
  const auto nested = [](std::size_t levels) {
    return R"({"seq":1,"x":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_EQ(Rows(spec).ReasonOf(nested(1023)), "");
  EXPECT_EQ(Rows(spec).ReasonOf(nested(1024)), "decode.depth");
}

}  // namespace
}  // namespace tidemark::edge
