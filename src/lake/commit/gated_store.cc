#include "lake/commit/gated_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "lake/commit/put_sidecar.h"

namespace tidemark::lake {

namespace {

constexpr int kAttempts = 6;

// Whether the same request may succeed. Without room it is better to give up what is stored so far,
// and an upload that the store does not know is spent.
bool MayHelpToRepeat(const Error& error) {
  const bool spent = error.code == ErrorCode::kOutcomeUnknown && error.status == 404;
  return WorthRepeating(error) && error.code != ErrorCode::kExhausted && !spent;
}

}  // namespace

template <typename F, typename R>
R GatedStore::Attempt(store::Operation operation, std::string key, F send) {
  const std::int64_t longest_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(context_.options.backoff.most).count();
  for (int attempt = 1;; ++attempt) {
    TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context_));
    auto answer = co_await send();
    if (answer.has_value() || attempt == kAttempts || !MayHelpToRepeat(answer.error()))
      co_return answer;
    Error error = std::move(answer.error());
    error.retry_after_ms = std::min(error.retry_after_ms, longest_ms);
    const std::string what = fmt::format("{} {}", store::ToString(operation), key);
    TIDEMARK_CO_TRY_VOID(co_await WaitToRepeat(context_, what, attempt, error));
  }
}

io::Task<Status> GatedStore::Put(std::string key, std::string content_type, store::Bytes bytes) {
  const auto send = [&] { return context_.store.Put(key, content_type, bytes); };
  co_return co_await Attempt(store::Operation::kPut, key, send);
}

io::Task<Result<store::UploadId>> GatedStore::CreateUpload(std::string key,
                                                           std::string content_type) {
  const auto send = [&] { return context_.store.CreateUpload(key, content_type); };
  co_return co_await Attempt(store::Operation::kCreateUpload, key, send);
}

io::Task<Result<std::string>> GatedStore::PutPart(store::UploadId upload,
                                                  int number,
                                                  store::Bytes bytes) {
  const auto send = [&] { return context_.store.PutPart(upload, number, bytes); };
  co_return co_await Attempt(store::Operation::kPutPart, upload.key, send);
}

io::Task<Status> GatedStore::CompleteUpload(store::UploadId upload,
                                            std::vector<std::string> part_tags) {
  const auto send = [&] { return context_.store.CompleteUpload(upload, part_tags); };
  co_return co_await Attempt(store::Operation::kCompleteUpload, upload.key, send);
}

io::Task<Status> GatedStore::Delete(std::string key) {
  const auto send = [&] { return context_.store.Delete(key); };
  co_return co_await Attempt(store::Operation::kDelete, key, send);
}

io::Task<Status> GatedStore::AbortUpload(store::UploadId upload) {
  return context_.store.AbortUpload(std::move(upload));
}

io::Task<Result<std::vector<store::UploadId>>> GatedStore::ListUploads(std::string prefix) {
  return context_.store.ListUploads(std::move(prefix));
}

io::Task<Result<std::optional<store::ObjectInfo>>> GatedStore::Head(std::string key) {
  return context_.store.Head(std::move(key));
}

io::Task<Result<std::optional<std::string>>> GatedStore::Get(std::string key) {
  return context_.store.Get(std::move(key));
}

io::Task<Result<std::string>> GatedStore::GetRange(std::string key,
                                                   std::int64_t offset,
                                                   std::int64_t size) {
  return context_.store.GetRange(std::move(key), offset, size);
}

io::Task<Result<store::ListPage>> GatedStore::List(std::string prefix,
                                                   std::string start_after,
                                                   int max_keys) {
  return context_.store.List(std::move(prefix), std::move(start_after), max_keys);
}

}  // namespace tidemark::lake
