#pragma once
// What one push (or a part of a large one) leaves in one partition: its records, already written as
// the text a fetch answers, so that a fetch copies bytes and renders nothing. Format:
// docs/formats/broker-store.md. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_int.h"
#include "base/time.h"
#include "broker/siphash.h"

namespace tidemark::broker {

// A push is cut into segments of about this size, all with its one stamp, so that one entry of a
// fetch with the usual budget of 1 MiB always gets at least one (unless a single record is larger).
inline constexpr std::size_t kSegmentBytesTarget = 256 << 10;

// Per record in `marks`, little-endian: where it ends in the text (4 bytes), the size of its
// payload (4), and its identity for the dedup window (16).
inline constexpr std::size_t kMarkBytes = 24;

// Builds one segment. Text: `{"offset":…,"transactionId":"…","payload":…,"ts":"…"}` records with
// commas between.
class SegmentBuilder {
 public:
  SegmentBuilder(Offset base, Micros ts);

  void Add(std::string_view transaction_id, std::string_view payload, const Hash128& id);

  Offset base() const { return base_; }

  std::int64_t count() const { return static_cast<std::int64_t>(marks_.size() / kMarkBytes); }

  // As minBytes of a fetch counts: at least 1 a record.
  std::int64_t payload_bytes() const { return payload_bytes_; }

  std::string_view text() const { return text_; }

  std::string_view marks() const { return marks_; }

  bool full() const { return text_.size() >= kSegmentBytesTarget; }

 private:
  Offset base_;
  std::string tail_;  // `,"ts":"…"}`
  std::string text_;
  std::string marks_;
  std::int64_t payload_bytes_ = 0;
};

// Read access to a stored segment; borrows both texts.
class SegmentView {
 public:
  // kCorruption when marks and text do not fit each other.
  static Result<SegmentView> Of(std::string_view text, std::string_view marks);

  std::int64_t count() const { return static_cast<std::int64_t>(marks_.size() / kMarkBytes); }

  // Records [first, first + n) as text, commas between; n > 0, inside the segment.
  std::string_view Slice(std::int64_t first, std::int64_t n) const;
  // How many records from `first` on fit in `bytes` of text.
  std::int64_t Fitting(std::int64_t first, std::size_t bytes) const;
  // As minBytes counts, of records [first, first + n).
  std::int64_t PayloadBytes(std::int64_t first, std::int64_t n) const;

 private:
  SegmentView(std::string_view text, std::string_view marks) : text_(text), marks_(marks) {}

  std::size_t Begin(std::int64_t index) const;
  std::size_t End(std::int64_t index) const;

  std::string_view text_;
  std::string_view marks_;
};

// The identities in a segment's marks, in record order.
std::vector<Hash128> IdsOf(std::string_view marks);

}  // namespace tidemark::broker
