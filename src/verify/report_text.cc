#include "verify/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "verify/printable.h"

namespace tidemark::verify {

namespace {

constexpr std::size_t kLostLinesMax = 20;

std::string Bytes(std::int64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 1 << 20) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  const double mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 1'000 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

std::string Counted(std::int64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

void RenderLost(const QueueReport& queue, std::string& out) {
  if (queue.lost.empty()) return;
  fmt::format_to(std::back_inserter(out),
                 "  lost to retention, as the manifests say: {}\n",
                 Counted(queue.lost_offsets, "offset"));
  const std::size_t shown = std::min(queue.lost.size(), kLostLinesMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [k, range] = queue.lost[i];
    fmt::format_to(std::back_inserter(out),
                   "    window {}: partition \"{}\", offsets {} to {}\n",
                   k.value(),
                   Printable(range.partition),
                   range.from.value(),
                   range.to.value());
  }
  if (shown < queue.lost.size()) {
    fmt::format_to(std::back_inserter(out),
                   "    and {} more ranges (--json lists all)\n",
                   queue.lost.size() - shown);
  }
}

void RenderQueue(const QueueReport& queue, std::string& out) {
  auto to = std::back_inserter(out);
  if (queue.windows == 0) {
    fmt::format_to(to, "queue {}: no window committed\n", Printable(queue.queue));
  } else {
    fmt::format_to(to,
                   "queue {}: {} ({} to {}), {} to {}\n",
                   Printable(queue.queue),
                   Counted(queue.windows, "window"),
                   queue.first.value(),
                   queue.last.value(),
                   FormatIso(queue.start),
                   FormatIso(queue.end));
    fmt::format_to(to,
                   "  {} of {} in {}, {}; {}\n",
                   Counted(queue.records, "record"),
                   Counted(queue.partitions, "partition"),
                   Counted(queue.objects, "object"),
                   Bytes(queue.bytes),
                   Counted(queue.checkpoints, "checkpoint"));
  }
  if (queue.partitions_recreated > 0) {
    fmt::format_to(to,
                   "  {} deleted and created anew at the source\n",
                   Counted(queue.partitions_recreated, "partition"));
  }
  RenderLost(queue, out);
  if (queue.pending) {
    fmt::format_to(
        to,
        "  pending: window {} [{}, {}) has {} and no manifest yet; the sink finishes it\n",
        queue.pending->window.k.value(),
        FormatIso(queue.pending->window.start),
        FormatIso(queue.pending->window.end),
        Counted(queue.pending->objects, "object"));
  }
  if (queue.committed_meanwhile > 0) {
    fmt::format_to(to,
                   "  {} committed while this ran, not looked at\n",
                   Counted(queue.committed_meanwhile, "window"));
  }
}

void RenderFinding(const Finding& finding, std::string& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{}:", ToString(finding.kind));
  if (!finding.queue.empty()) fmt::format_to(to, " queue {}", Printable(finding.queue));
  if (finding.k) fmt::format_to(to, " window {}", finding.k->value());
  const bool has_place = !finding.queue.empty() || finding.k.has_value();
  fmt::format_to(to, "{} {}\n", has_place ? ":" : "", Printable(finding.message));
  if (!finding.key.empty()) fmt::format_to(to, "  at {}\n", Printable(finding.key));
}

std::string Verdict(const Report& report) {
  std::int64_t windows = 0;
  std::int64_t records = 0;
  for (const auto& queue : report.queues) {
    windows += queue.windows;
    records += queue.records;
  }
  if (report.damaged()) {
    return fmt::format("DAMAGED: {}", Counted(report.findings.total(), "finding"));
  }
  if (report.has_losses()) {
    return fmt::format("HOLES: {} lost to retention, each listed; all else is exact",
                       Counted(report.lost_offsets(), "offset"));
  }
  return fmt::format("complete: {} in {}, every one exactly once",
                     Counted(records, "record"),
                     Counted(windows, "window"));
}

}  // namespace

std::string RenderText(const Report& report) {
  std::string out;
  for (const auto& queue : report.queues) RenderQueue(queue, out);
  for (const auto& finding : report.findings.kept()) RenderFinding(finding, out);
  const auto kept = static_cast<std::int64_t>(report.findings.kept().size());
  if (kept < report.findings.total()) {
    fmt::format_to(std::back_inserter(out),
                   "and {} more findings, not kept\n",
                   report.findings.total() - kept);
  }
  return out + Verdict(report) + "\n";
}

}  // namespace tidemark::verify
