#include "datafile/jsonl_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "format/json_text.h"

namespace tidemark::datafile {

namespace {

constexpr std::size_t kLinesBytes = 128 * 1024;

void AppendNumber(std::int64_t value, std::string& out) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

bool HasLineBreak(std::string_view text) {
  return text.find('\n') != std::string_view::npos || text.find('\r') != std::string_view::npos;
}

}  // namespace

JsonlWriter::JsonlWriter(std::unique_ptr<Compressor> compressor)
    : compressor_(std::move(compressor)) {}

Status JsonlWriter::Append(const format::RecordView& record) {
  if (order_.Advance(record)) {
    line_head_ = R"({"partition":)";
    format::AppendJsonString(record.partition, line_head_);
    line_head_ += R"(,"offset":)";
  }
  if (record.ts != ts_) {
    ts_ = record.ts;
    ts_text_.clear();
    AppendIso(ts_, ts_text_);
  }
  lines_ += line_head_;
  AppendNumber(record.offset.value(), lines_);
  lines_ += R"(,"transactionId":)";
  format::AppendJsonString(record.transaction_id, lines_);
  lines_ += R"(,"ts":")";
  lines_ += ts_text_;
  lines_ += R"(","payload":)";
  AppendPayload(record.payload);
  lines_ += "}\n";
  ++stats_.records;
  if (lines_.size() >= kLinesBytes) CompressLines();
  return {};
}

// Valid JSON holds a raw line break only as white space between tokens, so another white space says
// the same; in a line it would end the record (decision 13 raw: framing wins).
void JsonlWriter::AppendPayload(std::string_view payload) {
  const std::size_t at = lines_.size();
  lines_ += payload.empty() ? "null" : payload;
  if (!HasLineBreak(payload)) return;
  std::replace_if(
      lines_.begin() + static_cast<std::ptrdiff_t>(at),
      lines_.end(),
      [](char c) { return c == '\n' || c == '\r'; },
      ' ');
  ++stats_.newline_payloads;
}

void JsonlWriter::CompressLines() {
  compressor_->Write(lines_, buffer_.tail());
  buffer_.Seal();
  lines_.clear();
}

std::size_t JsonlWriter::memory_bytes() const {
  return lines_.capacity() + compressor_->memory_bytes() + buffer_.memory_bytes();
}

Result<ObjectStats> JsonlWriter::Finish() {
  CompressLines();
  compressor_->Finish(buffer_.tail());
  buffer_.Seal();
  stats_.bytes = buffer_.total_bytes();
  stats_.sha256 = buffer_.FinishDigest();
  return stats_;
}

}  // namespace tidemark::datafile
