#include "edge/source/file_tail.h"

#include <algorithm>

#include "edge/source/lines.h"

namespace tidemark::edge {

namespace {

constexpr std::int64_t kGrowth = 4;
// Line feed and carriage return.
constexpr std::int64_t kLineEndBytes = 2;

// `full_bytes` of a line, of which `text` is the beginning or all.
LineBatch::Record RecordOf(std::string_view text, std::int64_t full_bytes, std::int64_t max_bytes) {
  if (full_bytes <= max_bytes) return {.payload = text};
  const std::size_t cut = std::min(FileTail::kCutBytes, static_cast<std::size_t>(max_bytes));
  return {.payload = text.substr(0, cut), .full_bytes = static_cast<std::uint64_t>(full_bytes)};
}

}  // namespace

// True when the file is not the one we have read so far: it begins anew.
Result<bool> FileTail::Restart() {
  TIDEMARK_TRY(const bool fits, Fits(*file_, mark_));
  if (fits) return false;
  ++mark_.generation;
  TIDEMARK_TRY(mark_, MarkAt(*file_, mark_, 0));
  return true;
}

Result<LineBatch> FileTail::Read(bool to_end) {
  LineBatch batch;
  TIDEMARK_TRY(batch.restarted, Restart());
  batch.mark = mark_;
  std::int64_t end = mark_.offset;
  const std::int64_t longest = limits_.max_record_bytes + kLineEndBytes;
  for (std::int64_t wanted = limits_.batch_bytes; end == mark_.offset; wanted *= kGrowth) {
    wanted = std::max(std::min(wanted, longest), limits_.batch_bytes);
    batch.bytes.reset();  // what was read of a longer line, which is read again
    TIDEMARK_TRY(std::string bytes, file_->Read(mark_.offset, wanted));
    batch.at_end = static_cast<std::int64_t>(bytes.size()) < wanted;
    batch.bytes = std::make_unique<const std::string>(std::move(bytes));
    const Lines lines = CutLines(*batch.bytes, to_end && batch.at_end, limits_.batch_lines);
    const bool is_full = lines.lines.size() == limits_.batch_lines;
    if (is_full && lines.consumed < batch.bytes->size()) batch.at_end = false;
    batch.records.reserve(lines.lines.size());
    for (const Line& line : lines.lines) {
      const auto size = static_cast<std::int64_t>(line.text.size());
      batch.records.push_back(RecordOf(line.text, size, limits_.max_record_bytes));
    }
    end += static_cast<std::int64_t>(lines.consumed);
    if (batch.at_end) break;
    if (end == mark_.offset && wanted >= longest) {
      TIDEMARK_TRY_VOID(ReadLongLine(batch, end, to_end));
      break;
    }
  }
  if (end != mark_.offset) {
    TIDEMARK_TRY(batch.mark, MarkAt(*file_, mark_, end));
  }
  return batch;
}

// A line that is longer than what was read of it: keeps its head and looks for its end.
Status FileTail::ReadLongLine(LineBatch& batch, std::int64_t& end, bool to_end) {
  auto at = mark_.offset + static_cast<std::int64_t>(batch.bytes->size());
  char last = batch.bytes->back();
  while (true) {
    TIDEMARK_TRY(const std::string more, file_->Read(at, limits_.batch_bytes));
    const std::size_t feed = more.find('\n');
    if (feed == std::string::npos && more.empty()) {
      batch.at_end = true;
      if (!to_end) return {};
      break;
    }
    if (const auto text = std::string_view(more).substr(0, feed); !text.empty()) last = text.back();
    at += static_cast<std::int64_t>(std::min(feed, more.size()));
    if (feed == std::string::npos) continue;
    end = at + 1;
    break;
  }
  end = std::max(end, at);
  const std::int64_t length = at - mark_.offset - (last == '\r' ? 1 : 0);
  batch.records.push_back(RecordOf(*batch.bytes, length, limits_.max_record_bytes));
  return {};
}

}  // namespace tidemark::edge
