#include "verify/stray_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tidemark::verify {

namespace {

constexpr int kPageKeys = 1000;
// Objects above the last manifest that are looked at one by one; a window in flight has as many as
// it has lanes.
constexpr std::size_t kAheadMax = 1'000'000;

std::string Bounds(const format::Window& window) {
  return fmt::format("[{}, {})", FormatIso(window.start), FormatIso(window.end));
}

}  // namespace

StrayCheck::StrayCheck(store::ObjectStore& store,
                       std::string prefix,
                       const std::map<std::string, KnownWindows>& windows,
                       Report& report)
    : store_(store), prefix_(std::move(prefix)), windows_(windows), report_(report) {}

io::Task<Status> StrayCheck::Run() {
  const std::string root = prefix_.empty() ? "" : prefix_ + "/";
  std::string after;
  while (true) {
    TIDEMARK_CO_TRY(const auto page, co_await store_.List(root, after, kPageKeys));
    TIDEMARK_CO_TRY_VOID(co_await CheckPage(page.objects));
    if (!page.truncated || page.objects.empty()) break;
    after = page.objects.back().key;
  }
  for (auto& [queue, objects] : ahead_) {
    TIDEMARK_CO_TRY_VOID(co_await JudgeAhead(queue, std::move(objects)));
  }
  co_return Status();
}

io::Task<Status> StrayCheck::CheckPage(const std::vector<store::ObjectInfo>& objects) {
  const auto sidecars = format::SidecarRoot(prefix_);
  for (const auto& object : objects) {
    if (object.key.starts_with(sidecars)) continue;
    TIDEMARK_CO_TRY_VOID(co_await CheckData(object));
  }
  co_return Status();
}

io::Task<Status> StrayCheck::CheckData(store::ObjectInfo object) {
  auto parts = format::ParseDataKey(prefix_, object.key);
  if (!parts) {
    Stray({}, object.key, parts.error().message);
    co_return Status();
  }
  const auto windows = windows_.find(parts->queue);
  const bool is_ahead = windows == windows_.end() || windows->second.empty() ||
                        parts->window.k > windows->second.back().window.k;
  if (is_ahead) {
    auto& ahead = ahead_[parts->queue];
    if (ahead.size() < kAheadMax) {
      ahead.push_back({std::move(*parts), std::move(object)});
    } else {
      Stray(*parts, object.key, "it is one of too many objects above the last manifest");
    }
    co_return Status();
  }
  const auto known = std::ranges::lower_bound(
      windows->second, parts->window.k, {}, [](const KnownWindow& w) { return w.window.k; });
  if (known == windows->second.end() || known->window.k != parts->window.k || !known->is_readable) {
    Stray(*parts, object.key, "no readable manifest stands for its window");
    co_return Status();
  }
  co_return co_await CheckInWindow(std::move(*parts), std::move(object.key), *known);
}

io::Task<Status> StrayCheck::CheckInWindow(format::DataKeyParts parts,
                                           std::string key,
                                           KnownWindow known) {
  if (parts.window != known.window) {
    Stray(parts,
          key,
          fmt::format("its name says {}, the window's manifest says {}",
                      Bounds(parts.window),
                      Bounds(known.window)));
    co_return Status();
  }
  bool is_named = known.is_merged && std::hash<std::string>()(key) == known.merged_key_hash;
  if (!known.is_merged) {
    if (named_queue_ != parts.queue || named_k_ != parts.window.k) {
      named_queue_ = parts.queue;
      named_k_ = parts.window.k;
      named_keys_.clear();
      auto manifest_key = format::ManifestKey(prefix_, parts.queue, parts.window.k);
      TIDEMARK_CO_TRY(const auto text, co_await store_.Get(std::move(manifest_key)));
      const auto manifest = format::DecodeManifest(text.value_or(""));
      if (manifest) {
        for (const auto& object : manifest->objects) named_keys_.insert(object.key);
      }
    }
    is_named = named_keys_.contains(key);
  }
  if (!is_named) Stray(parts, key, "its window's manifest does not name it");
  co_return Status();
}

io::Task<Status> StrayCheck::JudgeAhead(std::string queue, std::vector<Ahead> objects) {
  std::ranges::sort(objects, {}, [](const Ahead& ahead) {
    return std::make_pair(ahead.parts.window.k, std::string_view(ahead.object.key));
  });
  format::WindowNumber judged;
  bool is_committed = false;
  bool is_next = false;
  for (auto& [parts, object] : objects) {
    if (parts.window.k != judged) {
      judged = parts.window.k;
      TIDEMARK_CO_TRY(is_committed, co_await HasManifest(queue, judged));
      is_next = judged.value() == 1;
      if (!is_next) {
        TIDEMARK_CO_TRY(is_next, co_await HasManifest(queue, judged - 1));
      }
      if (is_committed) ++ReportOf(queue).committed_meanwhile;
    }
    if (is_committed) continue;
    auto& pending = ReportOf(queue).pending;
    if (!is_next || (pending && pending->window != parts.window)) {
      Stray(parts,
            object.key,
            fmt::format("window {} has no manifest and is not the one in flight", judged.value()));
      continue;
    }
    if (!pending) pending = Pending{.window = parts.window, .objects = 0, .bytes = 0};
    ++pending->objects;
    pending->bytes += object.bytes;
  }
  co_return Status();
}

io::Task<Result<bool>> StrayCheck::HasManifest(std::string queue, format::WindowNumber k) {
  auto key = format::ManifestKey(prefix_, queue, k);
  TIDEMARK_CO_TRY(const auto head, co_await store_.Head(std::move(key)));
  co_return head.has_value();
}

QueueReport& StrayCheck::ReportOf(const std::string& queue) {
  const auto it = std::ranges::lower_bound(report_.queues, queue, {}, &QueueReport::queue);
  if (it != report_.queues.end() && it->queue == queue) return *it;
  QueueReport fresh;
  fresh.queue = queue;
  return *report_.queues.insert(it, std::move(fresh));
}

void StrayCheck::Stray(const format::DataKeyParts& parts, const std::string& key, std::string why) {
  std::optional<format::WindowNumber> k;
  if (parts.window.k.value() > 0) k = parts.window.k;
  report_.findings.Add({.kind = FindingKind::kStray,
                        .queue = parts.queue,
                        .k = k,
                        .key = key,
                        .message = std::move(why)});
}

}  // namespace tidemark::verify
