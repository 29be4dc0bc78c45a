#include "verify/queue_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "format/checkpoint.h"
#include "format/kv_documents.h"
#include "format/object_key.h"
#include "verify/lost_count.h"
#include "verify/manifest_check.h"

namespace tidemark::verify {

namespace {

using format::Manifest;
using format::WindowNumber;

std::string Range(const format::LostRange& range) {
  return fmt::format(
      "partition \"{}\", offsets {} to {}", range.partition, range.from.value(), range.to.value());
}

// Finer alignments win over coarser ones: "none" once seen stays.
std::string_view Finer(std::string_view seen, format::Align now) {
  if (seen == "none" || now == format::Align::kNone) return "none";
  return ToString(now);
}

}  // namespace

QueueCheck::QueueCheck(store::ObjectStore& store,
                       std::string prefix,
                       std::string queue,
                       const QueueSidecars& sidecars,
                       Findings& findings)
    : store_(store), prefix_(std::move(prefix)), sidecars_(sidecars), findings_(findings) {
  report_.queue = std::move(queue);
}

io::Task<Status> QueueCheck::Run(const std::function<void(std::int64_t bytes)>& on_window) {
  for (const auto k : sidecars_.manifests) {
    const auto bytes_before = report_.bytes;
    MissBefore(k);
    TIDEMARK_CO_TRY_VOID(co_await CheckWindow(k));
    last_seen_ = k;
    on_window(report_.bytes - bytes_before);
  }
  report_.windows = static_cast<std::int64_t>(sidecars_.manifests.size());
  report_.last = last_seen_;
  CheckLanes();
  for (const auto k : sidecars_.checkpoints) {
    TIDEMARK_CO_TRY_VOID(co_await CheckCheckpoint(k));
  }
  for (const auto& key : sidecars_.lost_keys) {
    TIDEMARK_CO_TRY_VOID(co_await CheckLostSidecar(key));
  }
  if (sidecars_.has_complete) {
    TIDEMARK_CO_TRY_VOID(co_await CheckComplete());
  }
  co_return Status();
}

// Numbers between the last manifest and this one have none.
void QueueCheck::MissBefore(WindowNumber k) {
  if (last_seen_.value() == 0) report_.first = k;
  const auto from = last_seen_ + 1;
  if (k <= from) return;
  const auto to = k - 1;
  AddFinding(FindingKind::kMissingWindow,
             from,
             format::ManifestKey(prefix_, report_.queue, from),
             from == to
                 ? fmt::format("window {} has no manifest", from.value())
                 : fmt::format("windows {} to {} have no manifest", from.value(), to.value()));
  previous_.reset();
  ledger_.SkipUnknown();
}

io::Task<Status> QueueCheck::CheckWindow(WindowNumber k) {
  const auto key = format::ManifestKey(prefix_, report_.queue, k);
  TIDEMARK_CO_TRY(const auto text, co_await store_.Get(key));
  const auto previous = std::exchange(previous_, std::nullopt);
  ledger_.BeginWindow(k);
  known_.push_back({});
  known_.back().window.k = k;
  auto manifest = format::DecodeManifest(text.value_or(""));
  if (!manifest) {
    AddFinding(FindingKind::kBadManifest,
               k,
               key,
               text ? manifest.error().message : "it was listed, but is not there");
    ledger_.SkipUnknown();
    co_return Status();
  }
  const ManifestPlace place{prefix_, report_.queue, k, key};
  if (!CheckManifest(place, *manifest, previous, findings_)) {
    ledger_.SkipUnknown();
    co_return Status();
  }
  previous_ = manifest->window;
  Enter(*manifest);
  co_return co_await CheckObjects(*manifest);
}

// Takes what the manifest says by itself into the books.
void QueueCheck::Enter(const Manifest& manifest) {
  auto& known = known_.back();
  known.window = manifest.window;
  known.is_readable = true;
  known.is_merged = manifest.layout == "merged" && manifest.objects.size() <= 1;
  if (!manifest.objects.empty()) {
    known.merged_key_hash = std::hash<std::string>()(manifest.objects.front().key);
    const auto parts = format::ParseDataKey(prefix_, manifest.objects.front().key);
    if (parts) report_.align = Finer(report_.align, AlignOf(*parts));
  }
  const bool is_first = report_.start == Micros() && report_.end == Micros();
  if (is_first) report_.start = manifest.window.start;
  report_.end = manifest.window.end;
  complete_check_.Enter(manifest);
  for (const auto& range : manifest.lost) {
    if (!IsSound(range)) {
      AddFinding(FindingKind::kBadManifest,
                 manifest.window.k,
                 format::ManifestKey(prefix_, report_.queue, manifest.window.k),
                 fmt::format("a lost range {}: {}",
                             range.from > range.to ? "ends before it begins" : "is below offset 0",
                             Range(range)));
      continue;
    }
    report_.lost_offsets = SaturatingAdd(report_.lost_offsets, CountOf(range));
    report_.lost.push_back({manifest.window.k, range});
    ledger_.AddLost(range);
  }
}

io::Task<Status> QueueCheck::CheckObjects(const Manifest& manifest) {
  ObjectFacts sum;
  sum.is_read = true;
  for (const auto& object : manifest.objects) {
    TIDEMARK_CO_TRY(const auto facts, co_await ReadOne(manifest, object));
    sum.is_read = sum.is_read && facts.is_read;
    if (!facts.is_read) continue;
    sum.records += facts.records;
    sum.partitions += facts.partitions;
    if (!facts.min_ts) continue;
    sum.min_ts = std::min(sum.min_ts.value_or(*facts.min_ts), *facts.min_ts);
    sum.max_ts = std::max(sum.max_ts.value_or(*facts.max_ts), *facts.max_ts);
  }
  report_.records += sum.records;
  if (sum.min_ts) {
    report_.min_ts = std::min(report_.min_ts.value_or(*sum.min_ts), *sum.min_ts);
    report_.max_ts = std::max(report_.max_ts.value_or(*sum.max_ts), *sum.max_ts);
  }
  if (sum.is_read) {
    CheckTotals(manifest, sum);
  } else {
    ledger_.SkipUnknown();
  }
  co_return Status();
}

io::Task<Result<ObjectFacts>> QueueCheck::ReadOne(const Manifest& manifest,
                                                  const format::ManifestObject& object) {
  TIDEMARK_CO_TRY(const auto bytes, co_await store_.Get(object.key));
  if (!bytes) {
    AddFinding(FindingKind::kMissingObject,
               manifest.window.k,
               object.key,
               "its window's manifest names it, but it is not there");
    co_return ObjectFacts();
  }
  ++report_.objects;
  report_.bytes += static_cast<std::int64_t>(bytes->size());
  const auto parts = format::ParseDataKey(prefix_, object.key);
  if (!parts) co_return ObjectFacts();
  const ObjectPromise promise{manifest, object, parts->extension};
  co_return CheckObject(promise, *bytes, ledger_, findings_);
}

void QueueCheck::CheckTotals(const Manifest& manifest, const ObjectFacts& sum) {
  const auto key = format::ManifestKey(prefix_, report_.queue, manifest.window.k);
  if (sum.partitions != manifest.partitions) {
    AddFinding(FindingKind::kWrongCount,
               manifest.window.k,
               key,
               fmt::format("it says {} partitions, its objects hold rows of {}",
                           manifest.partitions,
                           sum.partitions));
  }
  const auto words = [](const std::optional<Micros>& t) {
    return t ? FormatIso(*t) : std::string("none");
  };
  const auto expect = [&](std::string_view name, const auto& stated, const auto& found) {
    if (stated == found) return;
    AddFinding(FindingKind::kWrongTime,
               manifest.window.k,
               key,
               fmt::format("its {} is {}, its rows' is {}", name, words(stated), words(found)));
  };
  expect("minTs", manifest.min_ts, sum.min_ts);
  expect("maxTs", manifest.max_ts, sum.max_ts);
}

void QueueCheck::CheckLanes() {
  report_.partitions = ledger_.lanes();
  report_.partitions_recreated = ledger_.recreated();
  for (const auto& gap : ledger_.UnexplainedGaps()) {
    AddFinding(FindingKind::kHole,
               gap.k,
               "",
               fmt::format("{} are in no window and in no lost range", Range(gap.range)));
  }
  for (const auto& range : ledger_.FalseLosses()) {
    AddFinding(FindingKind::kFalseLoss,
               std::nullopt,
               "",
               fmt::format("{} are listed as lost, but are in the lake", Range(range)));
  }
}

io::Task<Status> QueueCheck::CheckCheckpoint(WindowNumber k) {
  const auto key = format::CheckpointKey(prefix_, report_.queue, k);
  TIDEMARK_CO_TRY(const auto bytes, co_await store_.Get(key));
  // The sink keeps the newest two and deletes others while we read.
  if (!bytes) co_return Status();
  ++report_.checkpoints;
  const auto checkpoint = format::DecodeCheckpoint(*bytes);
  if (!checkpoint) {
    AddFinding(FindingKind::kBadSidecar, k, key, checkpoint.error().message);
    co_return Status();
  }
  if (checkpoint->k != k) {
    AddFinding(FindingKind::kBadSidecar,
               k,
               key,
               fmt::format("it is the checkpoint of window {}", checkpoint->k.value()));
  }
  const auto window = std::ranges::lower_bound(
      known_, k, {}, [](const KnownWindow& known) { return known.window.k; });
  const bool is_known = window != known_.end() && window->window.k == k && window->is_readable;
  if (is_known && checkpoint->t_end != window->window.end) {
    AddFinding(FindingKind::kBadSidecar,
               k,
               key,
               fmt::format("its tEnd is {}, its window ends at {}",
                           FormatIso(checkpoint->t_end),
                           FormatIso(window->window.end)));
  }
  if (k > last_seen_) {
    const auto manifest_key = format::ManifestKey(prefix_, report_.queue, k);
    TIDEMARK_CO_TRY(const auto manifest, co_await store_.Head(manifest_key));
    if (!manifest) {
      AddFinding(FindingKind::kBadSidecar, k, key, "it is of a window that was never committed");
    }
  }
  co_return Status();
}

io::Task<Status> QueueCheck::CheckLostSidecar(const std::string& key) {
  TIDEMARK_CO_TRY(const auto text, co_await store_.Get(key));
  if (!text) co_return Status();
  const auto digest = ToHex(Sha256Of(*text));
  const auto ranges = format::DecodeLostRanges(*text);
  if (!ranges) {
    AddFinding(FindingKind::kBadSidecar, std::nullopt, key, ranges.error().message);
  } else if (!key.ends_with(digest + ".json")) {
    AddFinding(FindingKind::kBadSidecar,
               std::nullopt,
               key,
               fmt::format("its SHA-256 is {}, its name says otherwise", digest));
  }
  co_return Status();
}

io::Task<Status> QueueCheck::CheckComplete() {
  const auto key = format::CompleteKey(prefix_, report_.queue);
  TIDEMARK_CO_TRY(const auto text, co_await store_.Get(key));
  if (!text) co_return Status();
  const auto complete = format::DecodeComplete(*text);
  const auto finding = [&](std::string message) {
    AddFinding(FindingKind::kBadSidecar, std::nullopt, key, std::move(message));
  };
  if (!complete) {
    finding(complete.error().message);
    co_return Status();
  }
  if (complete->queue != report_.queue) {
    finding(fmt::format("it is of queue \"{}\"", complete->queue));
  }
  // Written after its manifest: a later window was committed while we read.
  if (complete->k > last_seen_) {
    const auto manifest_key = format::ManifestKey(prefix_, report_.queue, complete->k);
    TIDEMARK_CO_TRY(const auto manifest, co_await store_.Head(manifest_key));
    if (!manifest) finding("it is of a window that was never committed");
    co_return Status();
  }
  for (auto& why : complete_check_.Contradictions(*complete)) finding(std::move(why));
  co_return Status();
}

void QueueCheck::AddFinding(FindingKind kind,
                            std::optional<WindowNumber> k,
                            std::string key,
                            std::string message) {
  findings_.Add({.kind = kind,
                 .queue = report_.queue,
                 .k = k,
                 .key = std::move(key),
                 .message = std::move(message)});
}

}  // namespace tidemark::verify
