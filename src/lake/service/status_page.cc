#include "lake/service/status_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "lake/service/page_words.h"

namespace tidemark::lake {

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="10">
<title>Tidemark lake</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #777; --good: #18794e; --bad: #c62a2f; --wait: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --soft: #aaa; --good: #4cc38a; --bad: #ff8589; --wait: #f1a10d; } }
* { box-sizing: border-box; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 0; }
p { margin: .3rem 0; }
section { border: 1px solid var(--line); border-left: .4rem solid var(--good); border-radius: .4rem; padding: .7rem; margin: .8rem 0; }
section.bad { border-left-color: var(--bad); }
section.wait { border-left-color: var(--wait); }
.good { color: var(--good); } .bad p.state, p.bad, dd.bad, td.bad { color: var(--bad); } .wait p.state { color: var(--wait); }
p.state, p.good, p.bad { font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem .8rem; margin: .6rem 0 0; }
dt, th, small, footer { color: var(--soft); font-size: .8rem; font-weight: 400; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; margin-top: .6rem; font-variant-numeric: tabular-nums; font-size: .85rem; }
th, td { text-align: right; padding: .2rem; border-top: 1px solid var(--line); white-space: nowrap; }
th:nth-child(2), td:nth-child(2) { text-align: left; white-space: normal; }
header dl > :first-child { grid-column: 1 / -1; }
</style>
</head>
<body>
)";

void Fact(std::string& page, std::string_view name, std::string_view value, bool is_bad = false) {
  fmt::format_to(std::back_inserter(page),
                 "<div><dt>{}</dt><dd{}>{}</dd></div>\n",
                 name,
                 is_bad ? R"( class="bad")" : "",
                 value);
}

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
  Fact(page, "lag", SpanWords(queue.lag_seconds));
  Fact(page, "complete through", TimeWords(queue.complete_through));
  Fact(page, "last window", queue.committed_k ? CountWords(*queue.committed_k) : "not known");
  Fact(page, "lost offsets", CountWords(queue.lost), queue.lost > 0);
  Fact(page, "lease", OwnerWords(queue, lake));
  Fact(page,
       "throughput",
       fmt::format(
           "{:.1f} records/s, {}/s", queue.records_per_second, SizeWords(queue.bytes_per_second)));
  Fact(page, "partitions", CountWords(queue.partitions));
  Fact(page, "in memory", SizeWords(static_cast<double>(queue.buffered_bytes)));
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
  Fact(page, "bucket", HtmlText(lake.bucket));
  Fact(page, "sink", HtmlText(lake.sink));
  Fact(page, "instance", HtmlText(lake.instance));
  Fact(page,
       "in memory",
       fmt::format("{} of {}",
                   SizeWords(static_cast<double>(lake.buffered_bytes())),
                   SizeWords(static_cast<double>(lake.memory_bytes))));
  Fact(page,
       "broker's clock",
       lake.newest_safe_time == kMinusInfinity
           ? "not heard of"
           : SpanWords(static_cast<double>(lake.now - lake.newest_safe_time) / 1e6) + " behind");
  Fact(page, "up", SpanWords(static_cast<double>(lake.now - lake.started_at) / 1e6));
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
  std::string page(kHead);
  AppendHeader(lake, page);
  for (const auto* queue : queues) AppendQueue(*queue, lake, page);
  fmt::format_to(
      std::back_inserter(page),
      "</main>\n<footer>tidemark {} at {} UTC. Losses and throughput count since the process "
      "began; throughput over the last ten minutes.</footer>\n</body>\n</html>\n",
      HtmlText(lake.version),
      TimeWords(lake.now));
  return page;
}

}  // namespace tidemark::lake
