#include "lake/commit/shipped_since.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "datafile/reader.h"
#include "format/manifest.h"
#include "format/object_key.h"

namespace tidemark::lake {

namespace {

using format::Manifest;
using format::WindowNumber;
using Names = std::set<std::string, std::less<>>;
using Heads = std::map<std::string, Offset, std::less<>>;  // the offset after the last one seen

void Warn(const CommitContext& context, const std::string& message) {
  context.Warn(message + "; what its window holds may be told lost");
}

// The prefix may have been another one until lately.
std::vector<std::string> PrefixesOf(const CommitContext& context, const Documents& documents) {
  const std::string& ours = context.options.form.prefix;
  std::vector<std::string> prefixes{ours};
  const std::string& last = documents.committed->manifest;
  const std::string tail =
      format::ManifestKey(ours, context.options.queue, documents.committed_k()).substr(ours.size());
  if (last.ends_with(tail)) {
    const std::string former = last.substr(0, last.size() - tail.size());
    if (former != ours) prefixes.push_back(former);
  }
  return prefixes;
}

struct Placed {
  Manifest manifest;
  std::string prefix;
};

io::Task<Result<std::optional<Placed>>> ReadManifest(CommitContext& context,
                                                     const std::vector<std::string>& prefixes,
                                                     WindowNumber k) {
  const std::string& queue = context.options.queue;
  for (const std::string& prefix : prefixes) {
    const std::string key = format::ManifestKey(prefix, queue, k);
    const auto get = [&] { return context.store.Get(key); };
    TIDEMARK_CO_TRY(const auto text, co_await Persist(context, "get " + key, get));
    if (!text) continue;
    auto manifest = format::DecodeManifest(*text);
    if (manifest.has_value()) co_return Placed{std::move(*manifest), prefix};
    Warn(context, key + ": " + manifest.error().message);
    co_return std::nullopt;
  }
  Warn(context, format::ManifestKey(prefixes.front(), queue, k) + " is not there");
  co_return std::nullopt;
}

Result<datafile::ReadSummary> FindHeads(std::string_view extension,
                                        std::string_view bytes,
                                        const Names& wanted,
                                        Heads& heads) {
  std::string partition;  // rows come lane by lane
  Offset* head = nullptr;
  const auto visit = [&](const format::RecordView& row) {
    if (head == nullptr || row.partition != partition) {
      partition = row.partition;
      head = wanted.contains(partition) ? &heads[partition] : nullptr;
    }
    if (head != nullptr) *head = row.offset + 1;
    return true;
  };
  return datafile::ReadObject(extension, bytes, visit);
}

io::Task<Status> SearchObject(CommitContext& context,
                              const Placed& placed,
                              const format::ManifestObject& object,
                              const Names& wanted,
                              Heads& heads) {
  if (object.lane) {
    if (wanted.contains(object.lane->partition)) {
      heads[object.lane->partition] = object.lane->last + 1;
    }
    co_return Status();
  }
  const auto get = [&] { return context.store.Get(object.key); };
  TIDEMARK_CO_TRY(const auto bytes, co_await Persist(context, "get " + object.key, get));
  const auto parts = format::ParseDataKey(placed.prefix, object.key);
  if (!bytes || !parts.has_value()) {
    Warn(context, object.key + " is not there");
    co_return Status();
  }
  const auto search = [&] { return FindHeads(parts->extension, *bytes, wanted, heads); };
  const auto summary = co_await io::RunOn(context.loop, context.pool, search);
  if (!summary.has_value()) Warn(context, object.key + ": " + summary.error().message);
  co_return Status();
}

// A loss moves a head on only where it continues the rows: it may also be what a deleted
// predecessor of the partition did not give.
void AddLosses(const Manifest& manifest, const Names& wanted, Heads& heads) {
  Heads lost_only;
  for (const format::LostRange& range : manifest.lost) {
    if (!wanted.contains(range.partition)) continue;
    const auto head = heads.find(range.partition);
    if (head == heads.end()) {
      Offset& end = lost_only[range.partition];
      end = std::max(end, range.to + 1);
    } else if (range.from <= head->second && head->second <= range.to) {
      head->second = range.to + 1;
    }
  }
  heads.merge(lost_only);
}

}  // namespace

io::Task<Result<std::vector<format::Checkpoint::Position>>> ShippedSince(
    CommitContext& context,
    const Documents& documents,
    WindowNumber after,
    std::vector<std::string> partitions,
    MemoryBudget& budget) {
  std::vector<format::Checkpoint::Position> shipped;
  Names wanted(partitions.begin(), partitions.end());
  const auto prefixes = PrefixesOf(context, documents);
  for (WindowNumber k = documents.committed_k(); k > after && !wanted.empty(); k = k - 1) {
    TIDEMARK_CO_TRY(const auto placed, co_await ReadManifest(context, prefixes, k));
    if (!placed) continue;
    Heads heads;
    for (const format::ManifestObject& object : placed->manifest.objects) {
      const Reservation held = budget.ReserveAnyway(object.lane ? 0 : object.bytes);
      TIDEMARK_CO_TRY_VOID(co_await SearchObject(context, *placed, object, wanted, heads));
    }
    AddLosses(placed->manifest, wanted, heads);
    for (auto& [partition, next] : heads) {
      wanted.erase(partition);
      shipped.push_back({.partition = partition, .next = next});
    }
  }
  co_return shipped;
}

}  // namespace tidemark::lake
