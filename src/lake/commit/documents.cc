#include "lake/commit/documents.h"

#include <utility>
#include <vector>

#include "base/check.h"

namespace tidemark::lake {

namespace {

io::Task<Result<std::vector<queen::KvRow>>> ReadRows(queen::Broker& broker,
                                                     std::vector<std::string> keys) {
  auto rows = co_await broker.KvGetMany(std::move(keys));
  // A read that came back garbled may be repeated like one that did not come back.
  if (!rows.has_value() && rows.error().code == ErrorCode::kInternal)
    rows.error().code = ErrorCode::kUnavailable;
  co_return rows;
}

}  // namespace

io::Task<Result<std::int64_t>> WriteFenced(CommitContext& context,
                                           std::string key,
                                           std::string value,
                                           std::int64_t expect,
                                           Lease::SameDocument same) {
  const queen::KvPut put{.key = std::move(key),
                         .value = std::move(value),
                         .ttl_seconds = std::nullopt,
                         .expect = expect};
  const auto attempt = [&] { return context.lease.PutFenced(put, same); };
  co_return co_await Persist(context, "kv " + put.key, attempt);
}

io::Task<Result<Documents>> LoadDocuments(CommitContext& context) {
  const CommitOptions& options = context.options;
  const std::string intent_key = format::IntentKey(options.sink, options.queue);
  const std::string committed_key = format::CommittedKey(options.sink, options.queue);
  const std::vector<std::string> keys{intent_key, committed_key};
  const auto read = [&] { return ReadRows(context.broker, keys); };
  TIDEMARK_CO_TRY(const auto rows, co_await Persist(context, "kv " + committed_key, read));

  Documents documents;
  for (const queen::KvRow& row : rows) {
    if (row.key == intent_key) {
      documents.intent_version = row.version;
      auto intent = format::DecodeIntent(row.value, options.form);
      if (intent.has_value()) documents.intent = std::move(*intent);
    } else if (row.key == committed_key) {
      documents.committed_version = row.version;
      auto committed = format::DecodeCommitted(row.value);
      if (!committed.has_value()) co_return Annotate(std::move(committed.error()), committed_key);
      documents.committed = std::move(*committed);
    }
  }
  co_return documents;
}

io::Task<Status> WriteIntent(CommitContext& context, Documents& documents, format::Intent intent) {
  const format::Form& defaults = context.options.form;
  const std::string key = format::IntentKey(context.options.sink, context.options.queue);
  const std::string value = format::EncodeIntent(intent);
  const auto same = [&](std::string_view stored) {
    return format::DecodeIntent(stored, defaults) == intent;
  };
  TIDEMARK_CO_TRY(documents.intent_version,
                  co_await WriteFenced(context, key, value, documents.intent_version, same));
  documents.intent = std::move(intent);
  co_return Status();
}

io::Task<Status> WriteCommitted(CommitContext& context,
                                Documents& documents,
                                format::Committed committed) {
  const std::string key = format::CommittedKey(context.options.sink, context.options.queue);
  const std::string value = format::EncodeCommitted(committed);
  const auto same = [&](std::string_view stored) {
    return format::DecodeCommitted(stored) == committed;
  };
  TIDEMARK_CO_TRY(documents.committed_version,
                  co_await WriteFenced(context, key, value, documents.committed_version, same));
  documents.committed = std::move(committed);
  co_return Status();
}

io::Task<Status> WriteStart(CommitContext& context, Documents& documents, Micros t_0) {
  TIDEMARK_CHECK(!documents.committed && documents.committed_version == 0,
                 "queue {} has begun already",
                 context.options.queue);
  format::Committed start{.k = format::WindowNumber(0), .t_end = t_0, .manifest = ""};
  start.committed_at_ms = context.clock.Now().value() / kMicrosPerMilli;
  co_return co_await WriteCommitted(context, documents, std::move(start));
}

}  // namespace tidemark::lake
