#include "lake/commit/stored_object.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "datafile/reader.h"

namespace tidemark::lake {

namespace {

constexpr std::int64_t kSliceBytes = std::int64_t{8} << 20;

void CountRun(const format::RecordView& record, LostRanges& runs) {
  const bool follows = !runs.empty() && runs.back().partition == record.partition &&
                       runs.back().to + 1 == record.offset;
  if (follows)
    runs.back().to = record.offset;
  else
    runs.push_back(
        {.partition = std::string(record.partition), .from = record.offset, .to = record.offset});
}

Result<StoredObject> Decode(const std::string& key,
                            std::string_view extension,
                            std::string_view bytes) {
  StoredObject stored;
  FactCounter counter;
  const auto visit = [&](const format::RecordView& record) {
    counter.Count(record);
    CountRun(record, stored.runs);
    return true;
  };
  auto summary = datafile::ReadObject(extension, bytes, visit);
  if (!summary.has_value()) return Annotate(std::move(summary.error()), key);
  stored.facts = counter.facts();
  stored.object = {.key = key,
                   .bytes = static_cast<std::int64_t>(bytes.size()),
                   .records = stored.facts.records,
                   .sha256 = ToHex(Sha256Of(bytes)),
                   .lane = std::nullopt};
  return stored;
}

}  // namespace

io::Task<Result<Sha256Digest>> DigestOf(CommitContext& context, store::ObjectInfo object) {
  Sha256 digest;
  for (std::int64_t at = 0; at < object.bytes; at += kSliceBytes) {
    const std::int64_t size = std::min(kSliceBytes, object.bytes - at);
    const auto attempt = [&] { return context.store.GetRange(object.key, at, size); };
    TIDEMARK_CO_TRY(const std::string slice,
                    co_await Persist(context, "get " + object.key, attempt));
    const auto hash = [&] {
      digest.Update(slice);
      return true;
    };
    co_await io::RunOn(context.loop, context.pool, hash);
  }
  co_return digest.Finish();
}

io::Task<Result<StoredObject>> ReadStored(CommitContext& context,
                                          const format::Form& form,
                                          std::string key) {
  const auto attempt = [&] { return context.store.Get(key); };
  TIDEMARK_CO_TRY(const auto bytes, co_await Persist(context, "get " + key, attempt));
  if (!bytes) co_return Fail(ErrorCode::kNotFound, key + ": gone since it was listed");
  const auto decode = [&] { return Decode(key, format::Extension(form), *bytes); };
  co_return co_await io::RunOn(context.loop, context.pool, decode);
}

}  // namespace tidemark::lake
