#include "lake/commit/gated_store.h"

#include <utility>

#include "lake/commit/put_sidecar.h"

namespace tidemark::lake {

io::Task<Status> GatedStore::Put(std::string key, std::string content_type, store::Bytes bytes) {
  TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context_));
  co_return co_await context_.store.Put(std::move(key), std::move(content_type), std::move(bytes));
}

io::Task<Result<store::UploadId>> GatedStore::CreateUpload(std::string key,
                                                           std::string content_type) {
  TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context_));
  co_return co_await context_.store.CreateUpload(std::move(key), std::move(content_type));
}

io::Task<Result<std::string>> GatedStore::PutPart(store::UploadId upload,
                                                  int number,
                                                  store::Bytes bytes) {
  TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context_));
  co_return co_await context_.store.PutPart(std::move(upload), number, std::move(bytes));
}

io::Task<Status> GatedStore::CompleteUpload(store::UploadId upload,
                                            std::vector<std::string> part_tags) {
  TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context_));
  co_return co_await context_.store.CompleteUpload(std::move(upload), std::move(part_tags));
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

io::Task<Status> GatedStore::Delete(std::string key) {
  TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context_));
  co_return co_await context_.store.Delete(std::move(key));
}

}  // namespace tidemark::lake
