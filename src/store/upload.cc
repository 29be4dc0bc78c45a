#include "store/upload.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tidemark::store {

namespace {

constexpr auto kPart = static_cast<std::size_t>(kPartBytes);

}  // namespace

Upload::Upload(ObjectStore& store, std::string key, std::string content_type, UploadOptions options)
    : store_(store),
      key_(std::move(key)),
      content_type_(std::move(content_type)),
      options_(std::move(options)) {}

io::Task<Status> Upload::Append(std::string bytes) {
  TIDEMARK_CHECK(!spent_, "append to {} after its end", key_);
  const bool in_parts = !upload_id_.empty();
  if (in_parts && buffer_.empty()) buffer_.reserve(kPart + bytes.size());
  if (buffer_.empty() && !in_parts) {
    buffer_ = std::move(bytes);
  } else {
    buffer_ += bytes;
  }
  if (!in_parts && buffered_bytes() <= options_.multipart_threshold_bytes) co_return Status();
  Status sent = co_await FlushParts(false);
  if (!sent) co_await Abort();
  co_return sent;
}

io::Task<Status> Upload::Finish() {
  TIDEMARK_CHECK(!spent_, "finish {} twice", key_);
  if (upload_id_.empty()) {
    spent_ = true;
    auto whole = std::make_shared<const std::string>(std::move(buffer_));
    buffer_.clear();
    co_return co_await store_.Put(key_, content_type_, std::move(whole));
  }
  Status stored = co_await FlushParts(true);
  if (stored) {
    const UploadId upload{key_, upload_id_};
    stored = co_await store_.CompleteUpload(upload, part_tags_);
  }
  if (!stored) co_await Abort();
  spent_ = true;
  co_return stored;
}

io::Task<void> Upload::Abort() {
  if (std::exchange(spent_, true)) co_return;
  buffer_.clear();
  if (upload_id_.empty()) co_return;
  const UploadId upload{key_, upload_id_};
  const Status aborted = co_await store_.AbortUpload(upload);
  IgnoreError(aborted, "a lifecycle rule of the bucket removes what is left");
}

io::Task<Status> Upload::FlushParts(bool last) {
  if (upload_id_.empty()) {
    auto upload = co_await store_.CreateUpload(key_, content_type_);
    if (!upload) co_return std::unexpected(std::move(upload.error()));
    upload_id_ = std::move(upload->id);
  }
  // A full part waits for one more byte, so that what is sent here is never the last one.
  while (buffer_.size() > kPart) {
    std::string rest = buffer_.substr(kPart);
    buffer_.resize(kPart);
    TIDEMARK_CO_TRY_VOID(co_await SendPart(std::exchange(buffer_, std::move(rest))));
    if (options_.between_parts) options_.between_parts();
  }
  if (last) {
    TIDEMARK_CO_TRY_VOID(co_await SendPart(std::move(buffer_)));
    buffer_.clear();
  }
  co_return Status();
}

io::Task<Status> Upload::SendPart(std::string bytes) {
  const UploadId upload{key_, upload_id_};
  const int number = static_cast<int>(part_tags_.size()) + 1;
  auto part = std::make_shared<const std::string>(std::move(bytes));
  auto tag = co_await store_.PutPart(upload, number, std::move(part));
  if (!tag) co_return std::unexpected(std::move(tag.error()));
  part_tags_.push_back(std::move(*tag));
  co_return Status();
}

}  // namespace tidemark::store
