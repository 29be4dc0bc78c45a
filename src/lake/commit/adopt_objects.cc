#include "lake/commit/adopt_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "format/object_key.h"
#include "lake/commit/list_keys.h"
#include "lake/commit/stored_object.h"

namespace tidemark::lake {

namespace {

using format::DataKeyParts;

struct Found {
  store::ObjectInfo info;
  DataKeyParts parts;
};

std::unexpected<Error> DoesNotFit(const std::string& key, std::string_view why) {
  return Fail(ErrorCode::kCorruption,
              fmt::format("{} is in the bucket already and does not fit: {}", key, why));
}

// The objects of the intent's own window.
io::Task<Result<std::vector<Found>>> FindStored(CommitContext& context,
                                                const format::Intent& intent) {
  const format::Form& form = intent.form;
  const std::string stem = format::WindowStem(form, context.options.queue, intent.window);
  TIDEMARK_CO_TRY(auto objects, co_await ListKeys(context, stem, ""));
  std::vector<Found> found;
  for (store::ObjectInfo& info : objects) {
    auto parts = format::ParseDataKey(form.prefix, info.key);
    if (!parts.has_value() || parts->window != intent.window) continue;
    const bool lanes = form.layout == format::Layout::kPerPartition;
    if (parts->extension != format::Extension(form) || parts->lane.has_value() != lanes)
      co_return DoesNotFit(info.key, "the intent promises another form");
    found.push_back({.info = std::move(info), .parts = std::move(*parts)});
  }
  co_return found;
}

// What the object holds, or nullopt when it cannot be read: then it is no better than none.
io::Task<Result<std::optional<StoredObject>>> ReadIfSound(CommitContext& context,
                                                          const format::Form& form,
                                                          std::string key) {
  auto stored = co_await ReadStored(context, form, key);
  if (stored.has_value()) co_return std::move(*stored);
  if (stored.error().code != ErrorCode::kCorruption)
    co_return std::unexpected(std::move(stored.error()));
  context.Warn(stored.error().message + "; it is built anew");
  co_return std::nullopt;
}

// Bytes and digest of what the log gives now, without storing anything.
io::Task<Result<EncodedObject>> Rehearse(CommitContext& context,
                                         const format::Form& form,
                                         WindowSource& source) {
  RecordCursor cursor(source);
  TIDEMARK_CO_TRY(const bool any, co_await cursor.Fill());
  if (!any) co_return EncodedObject{};
  const auto discard = [](std::string /*bytes*/) -> io::Task<Status> { co_return Status(); };
  co_return co_await EncodeRecords(context, form, cursor, false, discard, {});
}

RedoneObjects Adopt(StoredObject stored) {
  RedoneObjects redone{.window = {.objects = {}, .facts = stored.facts, .newline_payloads = 0},
                       .adopted = Normalized(std::move(stored.runs))};
  redone.window.objects.push_back(std::move(stored.object));
  return redone;
}

// nullopt: nothing to adopt. Most redos find the very bytes that they would upload: comparing
// digests spares holding the object; only where they differ is it read as a whole.
io::Task<Result<std::optional<RedoneObjects>>> AdoptMerged(CommitContext& context,
                                                           const format::Form& form,
                                                           const Found& found,
                                                           WindowSource& source) {
  const std::string& key = found.info.key;
  const auto rehearse = [&] { return Rehearse(context, form, source); };
  TIDEMARK_CO_TRY(const auto rebuilt, co_await Persist(context, "rebuild of " + key, rehearse));
  if (rebuilt.stats.bytes == found.info.bytes) {
    TIDEMARK_CO_TRY(const auto digest, co_await DigestOf(context, found.info));
    if (digest == rebuilt.stats.sha256) {
      StoredObject same{.object = {.key = key,
                                   .bytes = rebuilt.stats.bytes,
                                   .records = rebuilt.stats.records,
                                   .sha256 = ToHex(digest),
                                   .lane = std::nullopt},
                        .facts = rebuilt.facts,
                        .runs = {}};
      co_return Adopt(std::move(same));
    }
  }
  TIDEMARK_CO_TRY(auto stored, co_await ReadIfSound(context, form, key));
  if (!stored || stored->facts.records < rebuilt.facts.records) co_return std::nullopt;
  co_return Adopt(std::move(*stored));
}

const LaneExtent* FindLane(const std::vector<LaneExtent>& lanes, std::string_view partition) {
  const auto found = std::ranges::find(lanes, partition, &LaneExtent::partition);
  return found == lanes.end() ? nullptr : &*found;
}

struct AdoptedLanes {
  std::map<std::string, StoredLane> stored;
  LostRanges runs;
};

io::Task<Status> AdoptLane(CommitContext& context,
                           const format::Form& form,
                           const Found& found,
                           const LaneExtent* rebuilt,
                           AdoptedLanes& adopted) {
  const DataKeyParts::Lane& lane = *found.parts.lane;
  const std::string& key = found.info.key;
  if (adopted.stored.contains(lane.partition))
    co_return DoesNotFit(key, "its partition has another object in this window");
  const bool same_key =
      rebuilt != nullptr && rebuilt->first == lane.first && rebuilt->last == lane.last;
  TIDEMARK_CO_TRY(auto stored, co_await ReadIfSound(context, form, key));
  const std::int64_t still_there = rebuilt == nullptr ? 0 : rebuilt->records;
  const bool covers =
      rebuilt == nullptr || (lane.first <= rebuilt->first && rebuilt->last <= lane.last);
  if (!stored || stored->facts.records < still_there || !covers) {
    // Under its own key the upload replaces it; under another the partition would be in the window
    // twice.
    if (same_key) co_return Status();
    co_return DoesNotFit(key, "the log gives other offsets of its partition");
  }
  stored->object.lane = {.partition = lane.partition, .first = lane.first, .last = lane.last};
  adopted.runs = Union(std::move(adopted.runs), stored->runs);
  adopted.stored.emplace(lane.partition,
                         StoredLane{.object = std::move(stored->object), .facts = stored->facts});
  co_return Status();
}

io::Task<Result<RedoneObjects>> RedoLanes(CommitContext& context,
                                          const format::Intent& intent,
                                          const std::vector<Found>& found,
                                          std::int64_t records,
                                          WindowSource& source) {
  const auto scan = [&] { return ScanLanes(source); };
  TIDEMARK_CO_TRY(const auto lanes, co_await Persist(context, "scan of lanes", scan));
  AdoptedLanes adopted;
  for (const Found& one : found) {
    const LaneExtent* const rebuilt = FindLane(lanes, one.parts.lane->partition);
    TIDEMARK_CO_TRY_VOID(co_await AdoptLane(context, intent.form, one, rebuilt, adopted));
  }
  RedoneObjects redone;
  TIDEMARK_CO_TRY(
      redone.window,
      co_await UploadLanes(
          context, intent.form, intent.window, records, source, std::move(adopted.stored)));
  redone.adopted = std::move(adopted.runs);
  co_return redone;
}

io::Task<Result<RedoneObjects>> RedoMerged(CommitContext& context,
                                           const format::Intent& intent,
                                           const std::vector<Found>& found,
                                           std::int64_t records,
                                           WindowSource& source) {
  if (!found.empty()) {
    TIDEMARK_CO_TRY(auto adopted,
                    co_await AdoptMerged(context, intent.form, found.front(), source));
    if (adopted) co_return std::move(*adopted);
  }
  RedoneObjects redone;
  TIDEMARK_CO_TRY(redone.window,
                  co_await UploadMerged(context, intent.form, intent.window, records, source));
  co_return redone;
}

}  // namespace

io::Task<Result<RedoneObjects>> AdoptOrUpload(CommitContext& context,
                                              const format::Intent& intent,
                                              std::int64_t records,
                                              WindowSource& source) {
  TIDEMARK_CO_TRY(const auto found, co_await FindStored(context, intent));
  if (intent.form.layout == format::Layout::kPerPartition)
    co_return co_await RedoLanes(context, intent, found, records, source);
  co_return co_await RedoMerged(context, intent, found, records, source);
}

}  // namespace tidemark::lake
