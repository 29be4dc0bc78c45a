#include "edge/status_page.h"

#include <fmt/format.h>

#include <iterator>

#include "obs/page.h"
#include "obs/page_words.h"

namespace tidemark::edge {

namespace {

using obs::AppendFact;
using obs::CountWords;
using obs::HtmlText;
using obs::SizeWords;
using obs::SpanWords;

template <typename Number>
double D(Number number) {
  return static_cast<double>(number);
}

template <typename Number>
std::string Count(Number number) {
  return CountWords(static_cast<std::int64_t>(number));
}

std::string OfLimit(std::int64_t bytes, std::int64_t limit) {
  return fmt::format("{} of {}", SizeWords(D(bytes)), SizeWords(D(limit)));
}

void BeginSection(std::string_view title, const std::string& stuck, std::string& page) {
  fmt::format_to(std::back_inserter(page),
                 "<section class=\"{}\">\n<h2>{}</h2>\n<p class=\"state\">{}</p>\n<dl>\n",
                 stuck.empty() ? "" : "bad",
                 HtmlText(title),
                 stuck.empty() ? "running" : "stands still: " + HtmlText(stuck));
}

void EndSection(std::string& page) { page += "</dl>\n</section>\n"; }

void AppendSource(const SourceStatus& source, std::string& page) {
  BeginSection("source " + source.id, source.stuck, page);
  AppendFact(page, "records taken in", Count(source.counters.records));
  AppendFact(page, "payload bytes", SizeWords(D(source.counters.bytes)));
  for (const auto& [code, count] : source.counters.answers) {
    AppendFact(page, fmt::format("answers {}", code), Count(count));
  }
  EndSection(page);
}

void AppendLog(const WalStatus& wal, std::string& page) {
  const std::string stuck = wal.withheld.empty() ? "" : "intake is withheld: " + wal.withheld;
  BeginSection("write-ahead log", stuck, page);
  AppendFact(page, "last position", Count(wal.synced_through.value()));
  AppendFact(page, "on disk", OfLimit(wal.bytes, wal.bytes_max));
  AppendFact(page, "groups synced", Count(wal.counters.groups));
  AppendFact(page, "appends withheld", Count(wal.counters.withheld), wal.counters.withheld > 0);
  EndSection(page);
}

void AppendSink(const SinkReport& sink, std::string& page) {
  const SinkCounters& counters = sink.status.counters;
  std::int64_t rejects = 0;
  for (const auto& [reason, count] : counters.rejects) rejects += count;
  BeginSection("sink " + sink.id, sink.status.stuck, page);
  AppendFact(page, "watermark", Count(sink.status.watermark.value()));
  AppendFact(page, "behind intake", Count(sink.lag_records) + " records");
  AppendFact(page, "oldest not finalized", SpanWords(D(sink.oldest_age_us) / 1e6));
  AppendFact(page, "rows finalized", Count(counters.rows));
  AppendFact(page, "segments finalized", Count(counters.files));
  AppendFact(page, "open segments", Count(sink.status.open_files));
  AppendFact(page, "on disk", OfLimit(sink.status.disk_bytes, sink.disk_bytes_max));
  AppendFact(page, "rejects", Count(rejects), rejects > 0);
  AppendFact(page, "log of rejects", OfLimit(sink.status.reject_bytes, sink.reject_bytes_max));
  page += "</dl>\n";
  if (rejects > 0) {
    page += "<table>\n<tr><th>rejects</th><th>reason</th></tr>\n";
    for (const auto& [reason, count] : counters.rejects) {
      fmt::format_to(std::back_inserter(page),
                     "<tr><td>{}</td><td>{}</td></tr>\n",
                     Count(count),
                     HtmlText(reason));
    }
    page += "</table>\n";
  }
  page += "</section>\n";
}

void AppendHeader(const PipelineStatus& status,
                  const PageFacts& facts,
                  const std::string& stuck,
                  std::string& page) {
  fmt::format_to(std::back_inserter(page),
                 "<header>\n<h1>Tidemark pipeline</h1>\n<p class=\"{}\">{}</p>\n<dl>\n",
                 stuck.empty() ? "good" : "bad",
                 stuck.empty() ? "healthy" : HtmlText(stuck));
  AppendFact(page, "data", HtmlText(facts.data_dir));
  AppendFact(page, "node", HtmlText(facts.node_id));
  AppendFact(page, "config_hash", HtmlText(facts.config_hash.substr(0, 12)));
  AppendFact(page, "up", SpanWords(D(status.now - facts.started_at) / 1e6));
  page += "</dl>\n</header>\n<main>\n";
}

}  // namespace

std::string RenderStatusPage(const PipelineStatus& status,
                             const PageFacts& facts,
                             const std::string& stuck) {
  std::string page = obs::PageBegin("Tidemark pipeline");
  AppendHeader(status, facts, stuck, page);
  for (const SourceStatus& source : status.sources) AppendSource(source, page);
  AppendLog(status.wal, page);
  for (const SinkReport& sink : status.sinks) AppendSink(sink, page);
  page += "</main>\n";
  obs::PageEnd(page, facts.version, status.now, "Everything counts since the process began.");
  return page;
}

}  // namespace tidemark::edge
