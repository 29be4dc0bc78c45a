#include "lake/commit/shipped_since.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "datafile/reader.h"
#include "format/manifest.h"
#include "format/object_key.h"
#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

namespace {

using format::Manifest;
using format::WindowNumber;
using Names = std::set<std::string, std::less<>>;
using Heads = std::map<std::string, Offset, std::less<>>;  // the offset after the last one seen

void Warn(const CommitContext& context, const std::string& message) {
  if (context.options.on_warning) {
    context.options.on_warning(message + "; what its window holds may be told lost");
  }
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

// A question, and the losses told by the windows looked at so far, none of which has a row.
struct Open {
  AuditQuestion question;
  LostRanges lost;
};

// The end of the losses that begin at offset 0 and are no more than what the partition can have
// had.
Offset OwnEnd(const Open& open) {
  for (const format::LostRange& range : Normalized(open.lost)) {
    const bool fits = range.from == Offset(0) && range.to < open.question.to;
    return fits ? range.to + 1 : Offset(0);
  }
  return Offset(0);
}

// `end`, or where the losses that follow on it end.
Offset EndAfter(Offset end, const LostRanges& lost, const std::string& partition) {
  for (const format::LostRange& range : lost) {
    if (range.partition == partition && range.from <= end) end = std::max(end, range.to + 1);
  }
  return end;
}

AuditAnswer Judge(const Open& open, Offset rows_end, const LostRanges& beside) {
  const AuditQuestion& question = open.question;
  Offset end = EndAfter(rows_end, beside, question.partition);
  for (const format::LostRange& range : open.lost) end = std::max(end, range.to + 1);
  if (end <= question.to) return {question.partition, end, end < question.from};
  // Rows that the predecessor in the checkpoint cannot have had, and a loss of it beside them; or
  // they are a predecessor's themselves: such a window tells nothing of its successor.
  const bool own_rows = rows_end <= question.from;
  return {question.partition, own_rows ? std::max(rows_end, OwnEnd(open)) : OwnEnd(open), true};
}

// Of a partition without rows. A loss below what the checkpoint knows was told late.
std::optional<AuditAnswer> JudgeLosses(const Open& open) {
  const AuditQuestion& question = open.question;
  Offset end(0);
  for (const format::LostRange& range : open.lost) end = std::max(end, range.to + 1);
  if (end > question.to) return AuditAnswer{question.partition, OwnEnd(open), true};
  if (end <= question.from) return std::nullopt;
  return AuditAnswer{question.partition, end};
}

}  // namespace

io::Task<Result<std::vector<AuditAnswer>>> ShippedSince(CommitContext& context,
                                                        const Documents& documents,
                                                        WindowNumber after,
                                                        std::vector<AuditQuestion> questions,
                                                        MemoryBudget& budget) {
  std::vector<AuditAnswer> answers;
  std::vector<Open> open;
  Names wanted;
  for (AuditQuestion& question : questions) {
    wanted.insert(question.partition);
    open.push_back({.question = std::move(question), .lost = {}});
  }
  const auto prefixes = PrefixesOf(context, documents);
  for (WindowNumber k = documents.committed_k(); k > after && !open.empty(); k = k - 1) {
    TIDEMARK_CO_TRY(const auto placed, co_await ReadManifest(context, prefixes, k));
    if (!placed) continue;
    Heads heads;
    for (const format::ManifestObject& object : placed->manifest.objects) {
      const Reservation held = budget.ReserveAnyway(object.lane ? 0 : object.bytes);
      TIDEMARK_CO_TRY_VOID(co_await SearchObject(context, *placed, object, wanted, heads));
    }
    const LostRanges lost = Normalized(placed->manifest.lost);
    std::erase_if(open, [&](Open& one) {
      const auto head = heads.find(one.question.partition);
      if (head == heads.end()) {
        std::ranges::copy_if(lost, std::back_inserter(one.lost), [&](const auto& range) {
          return range.partition == one.question.partition;
        });
        return false;
      }
      answers.push_back(Judge(one, head->second, lost));
      wanted.erase(one.question.partition);
      return true;
    });
  }
  for (const Open& one : open) {
    if (auto answer = JudgeLosses(one)) answers.push_back(std::move(*answer));
  }
  co_return answers;
}

}  // namespace tidemark::lake
