#include "store/upload.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace tidemark::store {

namespace {

constexpr auto kPart = static_cast<std::size_t>(kPartBytes);

// Smaller buffers grow as strings do; the largest room that is asked for at once.
constexpr std::size_t kGrowBytes = std::size_t{4} << 20;
constexpr std::size_t kRoomBytesMax = std::size_t{64} << 20;

}  // namespace

Upload::Upload(ObjectStore& store, std::string key, std::string content_type, UploadOptions options)
    : store_(store),
      key_(std::move(key)),
      content_type_(std::move(content_type)),
      options_(std::move(options)) {}

io::Task<Status> Upload::Append(std::string bytes) {
  TIDEMARK_CHECK(!spent_, "append to {} after its end", key_);
  const std::int64_t held = buffered_bytes() + static_cast<std::int64_t>(bytes.size());
  if (upload_id_.empty() && held <= options_.multipart_threshold_bytes) {
    Hold(std::move(bytes));
    co_return Status();
  }
  Status sent = co_await AppendInParts(std::move(bytes));
  if (!sent) co_await Abort();
  co_return sent;
}

void Upload::Hold(std::string bytes) {
  if (buffer_.empty() && bytes.size() < kGrowBytes) {
    buffer_ = std::move(bytes);
  } else {
    MakeRoom(bytes.size());
    buffer_ += bytes;
  }
}

// A buffer that grows by itself is copied, and for a moment there twice. Memory that was never
// written to is not taken.
void Upload::MakeRoom(std::size_t bytes) {
  const std::size_t needed = buffer_.size() + bytes;
  if (needed <= buffer_.capacity() || needed < kGrowBytes) return;
  const auto threshold = static_cast<std::size_t>(options_.multipart_threshold_bytes);
  const std::size_t most = upload_id_.empty() ? std::min(threshold, kRoomBytesMax) : kPart;
  buffer_.reserve(std::max(needed, most));
}

// A full part waits for one more byte, so that what is sent here is never the last one.
io::Task<Status> Upload::AppendInParts(std::string bytes) {
  if (upload_id_.empty()) TIDEMARK_CO_TRY_VOID(co_await Begin());
  std::string_view rest = bytes;
  while (buffer_.size() + rest.size() > kPart) {
    const auto head = rest.substr(0, kPart - std::min(kPart, buffer_.size()));
    MakeRoom(head.size());
    buffer_ += head;
    rest.remove_prefix(head.size());
    TIDEMARK_CO_TRY_VOID(co_await SendFirstPart());
    if (options_.between_parts) options_.between_parts();
  }
  MakeRoom(rest.size());
  buffer_ += rest;
  co_return Status();
}

io::Task<Status> Upload::Finish() {
  TIDEMARK_CHECK(!spent_, "finish {} twice", key_);
  if (upload_id_.empty()) {
    spent_ = true;
    auto whole = std::make_shared<const std::string>(std::move(buffer_));
    buffer_.clear();
    co_return co_await store_.Put(key_, content_type_, std::move(whole));
  }
  Status stored = co_await SendPart(std::move(buffer_));
  buffer_.clear();
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

io::Task<Status> Upload::Begin() {
  auto upload = co_await store_.CreateUpload(key_, content_type_);
  if (!upload) co_return std::unexpected(std::move(upload.error()));
  upload_id_ = std::move(upload->id);
  co_return Status();
}

// Of a buffer that holds one part at least.
io::Task<Status> Upload::SendFirstPart() {
  std::string rest = buffer_.substr(kPart);
  buffer_.resize(kPart);
  co_return co_await SendPart(std::exchange(buffer_, std::move(rest)));
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
