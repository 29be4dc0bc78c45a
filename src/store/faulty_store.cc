#include "store/faulty_store.h"

#include <algorithm>
#include <type_traits>

#include "io/async.h"

namespace tidemark::store {

int FaultyStore::calls(Operation operation) const {
  const auto found = calls_.find(operation);
  return found == calls_.end() ? 0 : found->second;
}

std::optional<Fault> FaultyStore::NextFault(Operation operation, std::string_view key) {
  ++calls_[operation];
  const auto fits = [&](const Fault& fault) {
    return fault.operation == operation && key.find(fault.key_part) != std::string_view::npos;
  };
  const auto found = std::ranges::find_if(faults_, fits);
  if (found == faults_.end()) return std::nullopt;
  Fault fault = *found;
  if (--found->times <= 0) faults_.erase(found);
  return fault;
}

template <typename R>
io::Task<R> FaultyStore::Disturb(Operation operation, std::string key, io::Task<R> call) {
  const std::optional<Fault> fault = NextFault(operation, key);
  if (!fault) co_return co_await call;
  if (fault->kind == Fault::Kind::kFail) {
    const io::Yield pause{loop_};
    co_await pause;
    co_return std::unexpected(fault->error);
  }
  if (fault->kind == Fault::Kind::kDelay) {
    std::stop_token never;
    co_await io::Sleep(loop_, fault->delay, never);
    co_return co_await call;
  }
  if constexpr (std::is_same_v<R, Status>) {
    if (fault->kind == Fault::Kind::kPretend) co_return Status();
  }
  co_await call;
  co_return std::unexpected(fault->error);
}

io::Task<Status> FaultyStore::Put(std::string key, std::string content_type, Bytes bytes) {
  auto call = inner_.Put(key, std::move(content_type), std::move(bytes));
  return Disturb(Operation::kPut, std::move(key), std::move(call));
}

io::Task<Result<std::optional<ObjectInfo>>> FaultyStore::Head(std::string key) {
  auto call = inner_.Head(key);
  return Disturb(Operation::kHead, std::move(key), std::move(call));
}

io::Task<Result<std::optional<std::string>>> FaultyStore::Get(std::string key) {
  auto call = inner_.Get(key);
  return Disturb(Operation::kGet, std::move(key), std::move(call));
}

io::Task<Result<std::string>> FaultyStore::GetRange(std::string key,
                                                    std::int64_t offset,
                                                    std::int64_t size) {
  auto call = inner_.GetRange(key, offset, size);
  return Disturb(Operation::kGet, std::move(key), std::move(call));
}

io::Task<Result<ListPage>> FaultyStore::List(std::string prefix,
                                             std::string start_after,
                                             int max_keys) {
  auto call = inner_.List(prefix, std::move(start_after), max_keys);
  return Disturb(Operation::kList, std::move(prefix), std::move(call));
}

io::Task<Status> FaultyStore::Delete(std::string key) {
  auto call = inner_.Delete(key);
  return Disturb(Operation::kDelete, std::move(key), std::move(call));
}

io::Task<Result<UploadId>> FaultyStore::CreateUpload(std::string key, std::string content_type) {
  auto call = inner_.CreateUpload(key, std::move(content_type));
  return Disturb(Operation::kCreateUpload, std::move(key), std::move(call));
}

io::Task<Result<std::string>> FaultyStore::PutPart(UploadId upload, int number, Bytes bytes) {
  auto call = inner_.PutPart(upload, number, std::move(bytes));
  return Disturb(Operation::kPutPart, std::move(upload.key), std::move(call));
}

io::Task<Status> FaultyStore::CompleteUpload(UploadId upload, std::vector<std::string> part_tags) {
  auto call = inner_.CompleteUpload(upload, std::move(part_tags));
  return Disturb(Operation::kCompleteUpload, std::move(upload.key), std::move(call));
}

io::Task<Status> FaultyStore::AbortUpload(UploadId upload) {
  auto call = inner_.AbortUpload(upload);
  return Disturb(Operation::kAbortUpload, std::move(upload.key), std::move(call));
}

io::Task<Result<std::vector<UploadId>>> FaultyStore::ListUploads(std::string prefix) {
  auto call = inner_.ListUploads(prefix);
  return Disturb(Operation::kListUploads, std::move(prefix), std::move(call));
}

}  // namespace tidemark::store
