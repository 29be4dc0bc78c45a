#include "lake/commit/checkpoints.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "format/object_key.h"
#include "lake/commit/list_keys.h"

namespace tidemark::lake {

namespace {

constexpr std::size_t kKept = 2;

struct Stored {
  format::WindowNumber k;
  std::string key;
};

// Of these keys the checkpoints, newest first.
std::vector<Stored> NewestFirst(const CommitContext& context,
                                const std::vector<store::ObjectInfo>& objects) {
  const CommitOptions& options = context.options;
  std::vector<Stored> checkpoints;
  for (const store::ObjectInfo& object : objects) {
    const auto k = format::ParseCheckpointKey(options.form.prefix, options.queue, object.key);
    if (k) checkpoints.push_back({.k = *k, .key = object.key});
  }
  std::ranges::sort(checkpoints, std::ranges::greater(), &Stored::k);
  return checkpoints;
}

// Leaves the newest two at or below `committed`. One page is enough: it runs after every
// checkpoint.
io::Task<Status> DeleteOthers(CommitContext& context, format::WindowNumber committed) {
  const CommitOptions& options = context.options;
  const std::string prefix = format::CheckpointPrefix(options.form.prefix, options.queue);
  TIDEMARK_CO_TRY(const auto page, co_await context.store.List(prefix, "", 1000));
  std::size_t kept = 0;
  for (const Stored& checkpoint : NewestFirst(context, page.objects)) {
    if (checkpoint.k <= committed && kept++ < kKept) continue;
    if (!context.lease.StillOurs()) co_return Status();
    TIDEMARK_CO_TRY_VOID(co_await context.store.Delete(checkpoint.key));
  }
  co_return Status();
}

}  // namespace

io::Task<Status> WriteCheckpoint(CommitContext& context,
                                 const Documents& documents,
                                 format::Checkpoint checkpoint,
                                 int attempts) {
  const CommitOptions& options = context.options;
  const std::string key = format::CheckpointKey(options.form.prefix, options.queue, checkpoint.k);
  auto encode = [&] { return format::EncodeCheckpoint(std::move(checkpoint)); };
  const auto bytes = std::make_shared<const std::string>(
      co_await io::RunOn(context.loop, context.pool, std::move(encode)));

  for (int attempt = 1;; ++attempt) {
    TIDEMARK_CO_TRY_VOID(co_await context.lease.EnsureOurs());
    auto put = co_await context.store.Put(key, "application/zstd", bytes);
    if (put.has_value()) break;
    if (attempt == attempts || !WorthRepeating(put.error())) co_return put;
    const Error error = std::move(put.error());
    TIDEMARK_CO_TRY_VOID(co_await WaitToRepeat(context, "put " + key, attempt, error));
  }
  auto deleted = co_await DeleteOthers(context, documents.committed_k());
  if (!deleted.has_value()) context.Warn("old checkpoints stay: " + deleted.error().message);
  co_return Status();
}

io::Task<Result<std::optional<format::Checkpoint>>> LoadCheckpoint(CommitContext& context,
                                                                   format::WindowNumber committed) {
  const CommitOptions& options = context.options;
  const std::string prefix = format::CheckpointPrefix(options.form.prefix, options.queue);
  TIDEMARK_CO_TRY(const auto objects, co_await ListKeys(context, prefix, ""));
  for (const Stored& stored : NewestFirst(context, objects)) {
    if (stored.k > committed) continue;
    const auto get = [&] { return context.store.Get(stored.key); };
    TIDEMARK_CO_TRY(const auto bytes, co_await Persist(context, "get " + stored.key, get));
    if (!bytes) continue;
    const auto decode = [&] { return format::DecodeCheckpoint(*bytes); };
    auto checkpoint = co_await io::RunOn(context.loop, context.pool, decode);
    if (checkpoint.has_value() && checkpoint->k == stored.k) co_return std::move(*checkpoint);
    context.Warn(stored.key + " is left out: " +
                 (checkpoint.has_value() ? "it names another window" : checkpoint.error().message));
  }
  co_return std::nullopt;
}

}  // namespace tidemark::lake
