#include "queen/pack_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/lz4_block.h"

namespace tidemark::queen {
namespace {

struct Record {
  std::string id;
  std::string payload;

  bool operator==(const Record&) const = default;
};

using Lanes = std::vector<std::vector<Record>>;

// As a broker would send it: ids and payloads with something between them.
FetchAnswer AnswerOf(const Lanes& lanes) {
  std::string text;
  std::vector<RecordSlice> records;
  FetchAnswer answer;
  for (const auto& lane : lanes) {
    for (const Record& record : lane) {
      text += R"({"transactionId":")";
      RecordSlice slice{.offset = Offset(std::ssize(records)), .ts = Micros(7)};
      slice.transaction_id_at = static_cast<std::uint32_t>(text.size());
      slice.transaction_id_size = static_cast<std::uint32_t>(record.id.size());
      text += record.id + R"(","payload":)";
      slice.payload_at = static_cast<std::uint32_t>(text.size());
      slice.payload_size = static_cast<std::uint32_t>(record.payload.size());
      text += record.payload + "}";
      records.push_back(slice);
    }
  }
  answer.body = std::make_shared<const AnswerBody>(std::move(text), std::move(records));
  std::size_t begin = 0;
  for (const auto& lane : lanes) {
    answer.entries.push_back({.records = answer.body->records().subspan(begin, lane.size()),
                              .high_watermark = Offset(1'000'000)});
    begin += lane.size();
  }
  return answer;
}

std::string TextOf(const AnswerBody& body, const PackedBlock& block) {
  const std::string_view held = body.HeldOf(block);
  if (!block.compressed()) return std::string(held);
  std::string text(block.size, '\0');
  UnpackLz4(held, text);
  return text;
}

Record RecordAt(const AnswerBody& body, std::uint32_t i) {
  const RecordSlice& slice = body.records()[i];
  const std::string text = body.packed() ? TextOf(body, body.BlockOf(i)) : std::string(body.text());
  return {std::string(slice.transaction_id(text)), std::string(slice.payload(text))};
}

Lanes LanesOf(const FetchAnswer& answer) {
  Lanes lanes;
  std::uint32_t at = 0;
  for (const auto& entry : answer.entries) {
    lanes.emplace_back();
    EXPECT_EQ(entry.records.data(), answer.body->records().data() + at);
    for (std::size_t i = 0; i < entry.records.size(); ++i) {
      lanes.back().push_back(RecordAt(*answer.body, at++));
    }
  }
  return lanes;
}

std::string Noise(std::size_t bytes, unsigned seed = 3) {
  std::mt19937 numbers(seed);
  std::string noise(bytes, '\0');
  for (char& c : noise) c = static_cast<char>(numbers());
  return noise;
}

std::vector<Record> Regular(int count, std::size_t payload_bytes = 300) {
  std::vector<Record> records;
  records.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    records.push_back({"t-" + std::to_string(i), std::string(payload_bytes, 'x')});
  }
  return records;
}

void ExpectUnchanged(const Lanes& lanes) { EXPECT_EQ(LanesOf(Packed(AnswerOf(lanes))), lanes); }

TEST(PackedAnswer, HoldsTheSameRecordsInLessMemory) {
  const Lanes lanes{Regular(500), Regular(1), Regular(3000, 20)};
  const auto answer = AnswerOf(lanes);
  const std::size_t came_with = answer.body->text().size();
  const auto packed = Packed(answer);
  EXPECT_TRUE(packed.body->packed());
  EXPECT_EQ(LanesOf(packed), lanes);
  EXPECT_EQ(packed.body->answer_bytes(), came_with);
  const std::size_t index = packed.body->records().size() * sizeof(RecordSlice);
  EXPECT_LT(packed.body->held_bytes() - index, came_with / 5);
  EXPECT_EQ(packed.entries[2].high_watermark, Offset(1'000'000));
  EXPECT_EQ(packed.entries[2].records[7].ts, Micros(7));
}

TEST(PackedAnswer, WhatDoesNotCompressIsHeldAsItIs) {
  const Lanes lanes{{{"t-1", Noise(5'000)}, {"t-2", Noise(70'000)}}};
  const auto packed = Packed(AnswerOf(lanes));
  EXPECT_FALSE(packed.body->BlockOf(0).compressed());
  EXPECT_EQ(LanesOf(packed), lanes);
}

TEST(PackedAnswer, OfNothingIsNothing) {
  ExpectUnchanged({});
  ExpectUnchanged({{}, {}});
}

TEST(PackedAnswer, RecordsWithoutTextAreRecords) {
  ExpectUnchanged({{{"", ""}, {"", ""}}, {{"t", ""}}, {}});
}

TEST(PackedAnswer, ARecordLargerThanABlockHasOneToItself) {
  const Lanes lanes{{{"a", "1"}, {"b", std::string(3 * kPackedBlockBytes, 'x')}, {"c", "2"}}};
  const auto packed = Packed(AnswerOf(lanes));
  EXPECT_EQ(LanesOf(packed), lanes);
  EXPECT_EQ(packed.body->BlockOf(1).begin, 1u);
  EXPECT_EQ(packed.body->BlockOf(1).end, 2u);
}

TEST(PackedAnswer, NoBlockSpansLanesOrExceedsItsSize) {
  const auto packed = Packed(AnswerOf({Regular(10), Regular(1000), Regular(5000, 0)}));
  std::vector<std::uint32_t> ends;
  for (std::uint32_t at = 0; at < packed.body->records().size(); at = ends.back()) {
    const PackedBlock& block = packed.body->BlockOf(at);
    EXPECT_LE(block.size, kPackedBlockBytes);
    EXPECT_LE(block.end - block.begin, kPackedBlockRecords);
    ends.push_back(block.end);
  }
  EXPECT_THAT(ends, ::testing::IsSupersetOf({10u, 1010u, 6010u}));
}

TEST(PackedAnswer, IsPackedOnce) {
  const auto once = Packed(AnswerOf({Regular(10)}));
  EXPECT_EQ(Packed(once).body, once.body);
}

// ---- CopyOf

std::vector<Record> RecordsOf(const AnswerBody& body) {
  std::vector<Record> records;
  for (std::uint32_t i = 0; i < body.records().size(); ++i) records.push_back(RecordAt(body, i));
  return records;
}

void ExpectCopied(const AnswerBody& from) {
  const std::vector<RecordRange> ranges{{2, 5}, {400, 401}, {700, 702}};
  const AnswerBody copy = CopyOf(from, ranges);
  std::vector<Record> expected;
  std::size_t bytes = 0;
  for (const RecordRange& range : ranges) {
    bytes += CopyBytes(from, range);
    for (std::uint32_t i = range.begin; i < range.end; ++i) expected.push_back(RecordAt(from, i));
  }
  EXPECT_EQ(RecordsOf(copy), expected);
  EXPECT_EQ(copy.packed(), from.packed());
  EXPECT_EQ(copy.held_bytes(), bytes);
  // A copy of all that the copy holds is no smaller: nobody copies over and over.
  EXPECT_EQ(CopyBytes(copy, {.begin = 0, .end = 3}) + CopyBytes(copy, {.begin = 3, .end = 4}) +
                CopyBytes(copy, {.begin = 4, .end = 6}),
            bytes);
}

TEST(CopyOfABody, HoldsTheseRecordsAlone) {
  ExpectCopied(*AnswerOf({Regular(600), Regular(300)}).body);
}

TEST(CopyOfABody, TakesWholeBlocksOfAPackedOne) {
  ExpectCopied(*Packed(AnswerOf({Regular(600), Regular(300)})).body);
}

}  // namespace
}  // namespace tidemark::queen
