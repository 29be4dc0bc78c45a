#include "queen/answer_body.h"

#include <algorithm>

#include "base/check.h"

namespace tidemark::queen {

namespace {

std::span<const RecordSlice> In(const AnswerBody& body, RecordRange range) {
  return body.records().subspan(range.begin, range.end - range.begin);
}

// Calls `visit(block, part)` for each block that holds records of `range`, `part` being those.
template <typename Visit>
void ForEachBlock(const AnswerBody& body, RecordRange range, Visit visit) {
  while (range.begin < range.end) {
    const PackedBlock& block = body.BlockOf(range.begin);
    const std::uint32_t end = std::min(range.end, block.end);
    visit(block, RecordRange{.begin = range.begin, .end = end});
    range.begin = end;
  }
}

// The parts of a new body, of exactly the size they need.
struct Copy {
  std::string text;
  std::vector<RecordSlice> records;
  std::vector<PackedBlock> blocks;

  void Reserve(const AnswerBody& from, std::span<const RecordRange> ranges) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    std::size_t block_count = 0;
    for (const RecordRange& range : ranges) {
      count += range.end - range.begin;
      if (from.packed()) {
        ForEachBlock(from, range, [&](const PackedBlock& block, RecordRange) {
          bytes += block.packed_size;
          ++block_count;
        });
      } else {
        for (const RecordSlice& record : In(from, range)) bytes += record.text_bytes();
      }
    }
    text.reserve(bytes);
    records.reserve(count);
    blocks.reserve(block_count);
  }

  void AddText(const AnswerBody& from, RecordRange range) {
    for (const RecordSlice& record : In(from, range)) {
      records.push_back(record.MovedFrom(from.text(), text));
    }
  }

  void AddBlocks(const AnswerBody& from, RecordRange range) {
    ForEachBlock(from, range, [&](PackedBlock block, RecordRange part) {
      const std::string_view held = from.HeldOf(block);
      block.at = static_cast<std::uint32_t>(text.size());
      text.append(held);
      block.begin = static_cast<std::uint32_t>(records.size());
      for (const RecordSlice& record : In(from, part)) records.push_back(record);
      block.end = static_cast<std::uint32_t>(records.size());
      blocks.push_back(block);
    });
  }
};

}  // namespace

RecordSlice RecordSlice::MovedFrom(std::string_view text, std::string& to) const {
  RecordSlice moved = *this;
  moved.transaction_id_at = static_cast<std::uint32_t>(to.size());
  to.append(transaction_id(text));
  moved.payload_at = static_cast<std::uint32_t>(to.size());
  to.append(payload(text));
  return moved;
}

std::string_view AnswerBody::text() const {
  TIDEMARK_CHECK(!packed(), "the text of {} blocks", blocks_.size());
  return text_;
}

const PackedBlock& AnswerBody::BlockOf(std::uint32_t record) const {
  const auto found = std::ranges::upper_bound(blocks_, record, {}, &PackedBlock::end);
  TIDEMARK_CHECK(found != blocks_.end(), "record {} of {}", record, records_.size());
  return *found;
}

AnswerBody CopyOf(const AnswerBody& from, std::span<const RecordRange> ranges) {
  Copy copy;
  copy.Reserve(from, ranges);
  for (const RecordRange& range : ranges) {
    if (from.packed()) {
      copy.AddBlocks(from, range);
    } else {
      copy.AddText(from, range);
    }
  }
  if (!from.packed()) return AnswerBody(std::move(copy.text), std::move(copy.records));
  const std::size_t bytes = copy.text.size();
  return {std::move(copy.text), std::move(copy.records), std::move(copy.blocks), bytes};
}

std::size_t CopyBytes(const AnswerBody& from, RecordRange range) {
  std::size_t bytes = (range.end - range.begin) * sizeof(RecordSlice);
  if (from.packed()) {
    ForEachBlock(from, range, [&](const PackedBlock& block, RecordRange) {
      bytes += block.packed_size + sizeof(PackedBlock);
    });
  } else {
    for (const RecordSlice& record : In(from, range)) bytes += record.text_bytes();
  }
  return bytes;
}

}  // namespace tidemark::queen
