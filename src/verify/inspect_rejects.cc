#include "verify/inspect_rejects.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

#include "format/log_frame.h"
#include "format/reject_record.h"
#include "format/segment_name.h"
#include "verify/printable.h"

namespace tidemark::verify {

namespace {

constexpr std::size_t kCellBytesMax = 100;

template <typename... Args>
void Line(std::string& out, fmt::format_string<Args...> text, Args&&... args) {
  fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  out += '\n';
}

std::string NameOf(const format::RejectRecord& reject) {
  if (reject.dataset.empty()) return "(no data set)";
  return Printable(format::DatasetFolder(reject.dataset, reject.version));
}

void AppendReject(const format::RejectRecord& reject, std::string& out) {
  Line(out,
       "\n{} of {}: {}",
       reject.position.value(),
       FormatIso(reject.ingest_time),
       Printable(reject.reason));
  Line(out,
       "  {}, source {}, topic {}",
       NameOf(reject),
       Printable(reject.source),
       Printable(reject.topic));
  Line(out, "  {}", Printable(reject.detail, 4 * kCellBytesMax));
  Line(out, "  {}", Printable(reject.payload, kCellBytesMax));
}

}  // namespace

Result<std::string> InspectRejects(std::string_view bytes, std::int64_t rows_max) {
  if (!bytes.starts_with(format::kRejectMagic)) {
    return Fail(
        ErrorCode::kCorruption,
        fmt::format("a log of rejects begins with {}, this does not", format::kRejectMagic));
  }
  std::string_view rest = bytes.substr(format::kRejectMagic.size());
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  std::int64_t rejects = 0;
  std::string rows;
  while (const auto body = format::TakeLogFrame(rest)) {
    TIDEMARK_TRY(const auto entry, format::DecodeRejectEntry(*body));
    const auto* reject = std::get_if<format::RejectRecord>(&entry);
    if (reject == nullptr) continue;
    ++counts[{NameOf(*reject), Printable(reject->reason)}];
    if (rejects++ < rows_max) AppendReject(*reject, rows);
  }
  if (const auto marks = format::RejectMarksIn(rest); marks.size() > 1) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("damaged at byte {}, behind {} rejects: {} of the log's marks stand "
                            "behind it",
                            bytes.size() - rest.size(),
                            rejects,
                            marks.size()));
  }
  std::string out;
  Line(out, "log of rejects: {} in {} bytes", rejects, bytes.size());
  for (const auto& [key, count] : counts) {
    Line(out, "  {:>12}  {}  {}", count, key.first, key.second);
  }
  if (!rest.empty()) Line(out, "  {} bytes at the end are no whole entry", rest.size());
  out += rows;
  if (rejects > rows_max && rows_max > 0) Line(out, "\n… and {} more rejects", rejects - rows_max);
  return out;
}

}  // namespace tidemark::verify
