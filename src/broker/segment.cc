#include "broker/segment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/wire.h"
#include "format/json_text.h"

namespace tidemark::broker {

SegmentBuilder::SegmentBuilder(Offset base, Micros ts)
    : base_(base), tail_(fmt::format(R"(,"ts":"{}"}})", FormatIso(ts))) {}

void SegmentBuilder::Add(std::string_view transaction_id,
                         std::string_view payload,
                         const Hash128& id) {
  if (!text_.empty()) text_ += ',';
  text_ += R"({"offset":)";
  text_ += fmt::format_int((base_ + count()).value()).c_str();
  text_ += R"(,"transactionId":)";
  format::AppendJsonString(transaction_id, text_);
  text_ += R"(,"payload":)";
  text_ += payload;
  text_ += tail_;
  PutU32(static_cast<std::uint32_t>(text_.size()), marks_);
  PutU32(static_cast<std::uint32_t>(payload.size()), marks_);
  PutU64(id.low, marks_);
  PutU64(id.high, marks_);
  payload_bytes_ += static_cast<std::int64_t>(std::max<std::size_t>(payload.size(), 1));
}

Result<SegmentView> SegmentView::Of(std::string_view text, std::string_view marks) {
  const SegmentView view(text, marks);
  if (marks.empty() || marks.size() % kMarkBytes != 0 ||
      view.End(view.count() - 1) != text.size()) {
    return Fail(ErrorCode::kCorruption, "a segment's marks do not fit its text");
  }
  return view;
}

std::size_t SegmentView::End(std::int64_t index) const {
  return WireReader(marks_.substr(static_cast<std::size_t>(index) * kMarkBytes)).U32();
}

std::size_t SegmentView::Begin(std::int64_t index) const {
  return index == 0 ? 0 : End(index - 1) + 1;
}

std::string_view SegmentView::Slice(std::int64_t first, std::int64_t n) const {
  const std::size_t begin = Begin(first);
  return text_.substr(begin, End(first + n - 1) - begin);
}

std::int64_t SegmentView::Fitting(std::int64_t first, std::size_t bytes) const {
  const std::size_t begin = Begin(first);
  std::int64_t low = first;
  std::int64_t high = count();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (End(middle) - begin <= bytes) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - first;
}

std::int64_t SegmentView::PayloadBytes(std::int64_t first, std::int64_t n) const {
  std::int64_t sum = 0;
  for (std::int64_t i = first; i < first + n; ++i) {
    const auto mark = marks_.substr(static_cast<std::size_t>(i) * kMarkBytes);
    const std::uint32_t size = WireReader(mark.substr(sizeof(std::uint32_t))).U32();
    sum += std::max<std::uint32_t>(size, 1);
  }
  return sum;
}

std::vector<Hash128> IdsOf(std::string_view marks) {
  std::vector<Hash128> ids;
  ids.reserve(marks.size() / kMarkBytes);
  for (; marks.size() >= kMarkBytes; marks.remove_prefix(kMarkBytes)) {
    WireReader id(marks.substr(2 * sizeof(std::uint32_t)));
    const std::uint64_t low = id.U64();
    ids.push_back({.low = low, .high = id.U64()});
  }
  return ids;
}

}  // namespace tidemark::broker
