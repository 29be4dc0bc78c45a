#include "lake/service/status_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "obs/page.h"
#include "obs/page_words.h"

namespace tidemark::lake {

namespace {

using obs::AppendFact;
using obs::CountWords;
using obs::HtmlText;
using obs::SizeWords;
using obs::SpanWords;
using obs::TimeWords;

// Higher ones need a look sooner.
int Urgency(const QueueStatus& queue) {
  if (queue.state == QueueState::kStopped) return 3;
  if (queue.stale) return 2;
  return queue.lost > 0 ? 1 : 0;
}

std::string_view ClassOf(const QueueStatus& queue) {
  if (Urgency(queue) > 0) return "bad";
  return queue.state == QueueState::kServing ? "" : "wait";
}

std::string StateWords(const QueueStatus& queue) {
  switch (queue.state) {
    case QueueState::kStopped:
      return "stopped: " + HtmlText(queue.reason);
    case QueueState::kWaiting:
      return "waits: " + HtmlText(queue.owner) + " holds the lease";
    case QueueState::kStarting:
      return "starting";
    case QueueState::kServing:
      break;
  }
  if (queue.stale) {
    return fmt::format("stands still for {} (allowed are {})",
                       SpanWords(static_cast<double>(queue.stale->stale_ms) / 1e3),
                       SpanWords(static_cast<double>(queue.stale->limit_ms) / 1e3));
  }
  return queue.lost > 0 ? "serving, with losses" : "serving";
}

std::string OwnerWords(const QueueStatus& queue, const LakeStatus& lake) {
  if (queue.owner.empty()) return "not known";
  return HtmlText(queue.owner) + (queue.owner == lake.instance ? " (this one)" : "");
}

void AppendFacts(const QueueStatus& queue, const LakeStatus& lake, std::string& page) {
  page += "<dl>\n";
  AppendFact(page, "lag", SpanWords(queue.lag_seconds));
  AppendFact(page, "complete through", TimeWords(queue.complete_through));
  AppendFact(page, "last window", queue.committed_k ? CountWords(*queue.committed_k) : "not known");
  AppendFact(page, "lost offsets", CountWords(queue.lost), queue.lost > 0);
  AppendFact(page, "lease", OwnerWords(queue, lake));
  AppendFact(
      page,
      "throughput",
      fmt::format(
          "{:.1f} records/s, {}/s", queue.records_per_second, SizeWords(queue.bytes_per_second)));
  AppendFact(page, "partitions", CountWords(queue.partitions));
  AppendFact(page, "in memory", SizeWords(static_cast<double>(queue.buffered_bytes)));
  page += "</dl>\n";
}

void AppendWindows(const QueueStatus& queue, std::string& page) {
  if (queue.windows.empty()) return;
  page += "<table>\n<tr><th>k</th><th>ends</th><th>records</th><th>size</th><th>lost</th></tr>\n";
  for (const auto& window : queue.windows) {
    fmt::format_to(std::back_inserter(page),
                   "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td{}>{}</td></tr>\n",
                   window.k,
                   TimeWords(window.end),
                   CountWords(window.records),
                   SizeWords(static_cast<double>(window.bytes)),
                   window.lost > 0 ? R"( class="bad")" : "",
                   CountWords(window.lost));
  }
  page += "</table>\n";
}

void AppendQueue(const QueueStatus& queue, const LakeStatus& lake, std::string& page) {
  fmt::format_to(std::back_inserter(page),
                 "<section class=\"{}\">\n<h2>{}</h2>\n<p class=\"state\">{}</p>\n",
                 ClassOf(queue),
                 HtmlText(queue.queue),
                 StateWords(queue));
  AppendFacts(queue, lake, page);
  AppendWindows(queue, page);
  if (queue.last_fault_at) {
    fmt::format_to(std::back_inserter(page),
                   "<p><small>last failed call, {} ago: {}</small></p>\n",
                   SpanWords(static_cast<double>(lake.now - *queue.last_fault_at) / 1e6),
                   HtmlText(queue.last_fault));
  }
  page += "</section>\n";
}

std::string Verdict(const LakeStatus& lake) {
  const auto needs_look = std::ranges::count_if(
      lake.queues, [](const QueueStatus& queue) { return Urgency(queue) > 0; });
  return fmt::format(R"(<p class="{}">{} of {} queues need a look</p>)",
                     needs_look == 0 ? "good" : "bad",
                     needs_look,
                     lake.queues.size());
}

void AppendHeader(const LakeStatus& lake, std::string& page) {
  fmt::format_to(
      std::back_inserter(page), "<header>\n<h1>Tidemark lake</h1>\n{}\n<dl>\n", Verdict(lake));
  AppendFact(page, "bucket", HtmlText(lake.bucket));
  AppendFact(page, "sink", HtmlText(lake.sink));
  AppendFact(page, "instance", HtmlText(lake.instance));
  AppendFact(page,
             "in memory",
             fmt::format("{} of {}",
                         SizeWords(static_cast<double>(lake.buffered_bytes())),
                         SizeWords(static_cast<double>(lake.memory_bytes))));
  AppendFact(
      page,
      "broker's clock",
      lake.newest_safe_time == kMinusInfinity
          ? "not heard of"
          : SpanWords(static_cast<double>(lake.now - lake.newest_safe_time) / 1e6) + " behind");
  AppendFact(page, "up", SpanWords(static_cast<double>(lake.now - lake.started_at) / 1e6));
  page += "</dl>\n</header>\n<main>\n";
}

}  // namespace

std::string RenderStatusPage(const LakeStatus& lake) {
  std::vector<const QueueStatus*> queues;
  queues.reserve(lake.queues.size());
  for (const auto& queue : lake.queues) queues.push_back(&queue);
  std::ranges::sort(queues, {}, [](const QueueStatus* queue) {
    return std::make_pair(-Urgency(*queue), std::string_view(queue->queue));
  });
  std::string page = obs::PageBegin("Tidemark lake");
  AppendHeader(lake, page);
  for (const auto* queue : queues) AppendQueue(*queue, lake, page);
  page += "</main>\n";
  obs::PageEnd(page,
               lake.version,
               lake.now,
               "Losses and throughput count since the process began; throughput over the last ten "
               "minutes.");
  return page;
}

}  // namespace tidemark::lake
