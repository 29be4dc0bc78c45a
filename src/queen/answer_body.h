#pragma once
// What a fetch answer brought: records, and the text that their ids and payloads are slices of. As
// it came, or packed: compressed in blocks, for when a window is large (docs/decisions/0007).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::queen {

// One record as positions in a text: its AnswerBody's, or that of its block. 40 bytes: a window may
// hold millions.
struct RecordSlice {
  Offset offset;
  Micros ts;
  std::uint32_t transaction_id_at = 0;
  std::uint32_t transaction_id_size = 0;
  std::uint32_t payload_at = 0;
  std::uint32_t payload_size = 0;  // 0: no payload (JSON null)

  std::string_view transaction_id(std::string_view text) const {
    return text.substr(transaction_id_at, transaction_id_size);
  }

  std::string_view payload(std::string_view text) const {
    return text.substr(payload_at, payload_size);
  }

  // The same record as a slice of `to`, behind which its id and payload are put.
  RecordSlice MovedFrom(std::string_view text, std::string& to) const;

  std::size_t text_bytes() const { return std::size_t{transaction_id_size} + payload_size; }
};

// Consecutive records of one lane, their ids and payloads one after the other.
struct PackedBlock {
  std::uint32_t begin = 0;  // first record, in AnswerBody::records()
  std::uint32_t end = 0;
  std::uint32_t at = 0;           // in what the body holds
  std::uint32_t packed_size = 0;  // LZ4; or as large as `size`, and then the text itself
  std::uint32_t size = 0;         // of the text

  bool compressed() const { return packed_size != size; }
};

// Records by their positions in AnswerBody::records().
struct RecordRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// The body of one fetch answer: never changed, so any thread may read it.
class AnswerBody {
 public:
  // As it came: `records` are slices of `text`, and nothing is copied.
  explicit AnswerBody(std::string text, std::vector<RecordSlice> records = {})
      : text_(std::move(text)), records_(std::move(records)), answer_bytes_(text_.size()) {}

  // Packed: `blocks` hold all records, in order; `answer_bytes` is what the text came with.
  AnswerBody(std::string packed,
             std::vector<RecordSlice> records,
             std::vector<PackedBlock> blocks,
             std::size_t answer_bytes)
      : text_(std::move(packed)),
        records_(std::move(records)),
        blocks_(std::move(blocks)),
        answer_bytes_(answer_bytes) {}

  bool packed() const { return !blocks_.empty(); }

  // What the records are slices of; not of a packed body.
  std::string_view text() const;

  // The records of all entries, one entry after the other: one index, since an answer may have a
  // thousand entries of one record each.
  std::span<const RecordSlice> records() const { return records_; }

  // The block of a record. Of a packed body.
  const PackedBlock& BlockOf(std::uint32_t record) const;

  // What the body holds of a block: the text itself unless it is compressed().
  std::string_view HeldOf(const PackedBlock& block) const {
    return std::string_view(text_).substr(block.at, block.packed_size);
  }

  // Size of the text when it came.
  std::size_t answer_bytes() const { return answer_bytes_; }

  // Memory taken.
  std::size_t held_bytes() const {
    return text_.capacity() + records_.capacity() * sizeof(RecordSlice) +
           blocks_.capacity() * sizeof(PackedBlock);
  }

 private:
  std::string text_;
  std::vector<RecordSlice> records_;
  std::vector<PackedBlock> blocks_;
  std::size_t answer_bytes_;
};

// A body of these records of `from` alone, one range after the other. Of a packed body whole blocks
// are taken over as they are.
AnswerBody CopyOf(const AnswerBody& from, std::span<const RecordRange> ranges);

// What a copy of `range` alone would hold.
std::size_t CopyBytes(const AnswerBody& from, RecordRange range);

}  // namespace tidemark::queen
