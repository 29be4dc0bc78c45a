#include "store/counted_store.h"

#include <utility>

namespace tidemark::store {

namespace {

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kPermissionDenied:
      return 403;
    case ErrorCode::kExhausted:
      return 507;
    case ErrorCode::kInvalidArgument:
      return 400;
    default:
      return 500;
  }
}

template <typename T>
int StatusOf(const Result<T>& answer) {
  return answer ? 200 : StatusOf(answer.error().code);
}

template <typename T>
int StatusOf(const Result<std::optional<T>>& answer) {
  if (answer && !*answer) return 404;
  return answer ? 200 : StatusOf(answer.error().code);
}

}  // namespace

template <typename R>
io::Task<R> CountedStore::Count(Operation operation, io::Task<R> call) {
  R answer = co_await call;
  on_request_(operation, StatusOf(answer));
  co_return answer;
}

io::Task<Status> CountedStore::Put(std::string key, std::string content_type, Bytes bytes) {
  return Count(Operation::kPut,
               inner_->Put(std::move(key), std::move(content_type), std::move(bytes)));
}

io::Task<Result<std::optional<ObjectInfo>>> CountedStore::Head(std::string key) {
  return Count(Operation::kHead, inner_->Head(std::move(key)));
}

io::Task<Result<std::optional<std::string>>> CountedStore::Get(std::string key) {
  return Count(Operation::kGet, inner_->Get(std::move(key)));
}

io::Task<Result<std::string>> CountedStore::GetRange(std::string key,
                                                     std::int64_t offset,
                                                     std::int64_t size) {
  return Count(Operation::kGet, inner_->GetRange(std::move(key), offset, size));
}

io::Task<Result<ListPage>> CountedStore::List(std::string prefix,
                                              std::string start_after,
                                              int max_keys) {
  return Count(Operation::kList, inner_->List(std::move(prefix), std::move(start_after), max_keys));
}

io::Task<Status> CountedStore::Delete(std::string key) {
  return Count(Operation::kDelete, inner_->Delete(std::move(key)));
}

io::Task<Result<UploadId>> CountedStore::CreateUpload(std::string key, std::string content_type) {
  return Count(Operation::kCreateUpload,
               inner_->CreateUpload(std::move(key), std::move(content_type)));
}

io::Task<Result<std::string>> CountedStore::PutPart(UploadId upload, int number, Bytes bytes) {
  return Count(Operation::kPutPart, inner_->PutPart(std::move(upload), number, std::move(bytes)));
}

io::Task<Status> CountedStore::CompleteUpload(UploadId upload, std::vector<std::string> part_tags) {
  return Count(Operation::kCompleteUpload,
               inner_->CompleteUpload(std::move(upload), std::move(part_tags)));
}

io::Task<Status> CountedStore::AbortUpload(UploadId upload) {
  return Count(Operation::kAbortUpload, inner_->AbortUpload(std::move(upload)));
}

io::Task<Result<std::vector<UploadId>>> CountedStore::ListUploads(std::string prefix) {
  return Count(Operation::kListUploads, inner_->ListUploads(std::move(prefix)));
}

}  // namespace tidemark::store
