#include "store/s3_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/check.h"
#include "base/digest.h"
#include "store/s3_xml.h"

namespace tidemark::store {

namespace {

// Above what a window can weigh (QUEEN_S3_TARGET_MB is at most 5120).
constexpr std::uint64_t kMaxObjectBytes = std::uint64_t{6} << 30;
constexpr int kUploadPagesMax = 1000;
constexpr std::uint64_t kRangeSlackBytes = 64 << 10;

std::string_view Unquoted(std::string_view tag) {
  if (tag.size() >= 2 && tag.starts_with('"') && tag.ends_with('"')) {
    return tag.substr(1, tag.size() - 2);
  }
  return tag;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

bool IsMd5(std::string_view tag) {
  return tag.size() == 32 &&
         tag.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// With keys of a KMS or of the customer an ETag has the look of an MD5 and is none.
bool TagMayBeMd5(const io::HttpResponse& response) {
  const std::string_view sse = response.Header("x-amz-server-side-encryption");
  return (sse.empty() || sse == "AES256") &&
         response.Header("x-amz-server-side-encryption-customer-algorithm").empty();
}

Status CheckTag(const io::HttpResponse& response, const std::string& md5_hex) {
  const std::string_view tag = Unquoted(response.Header("etag"));
  if (!TagMayBeMd5(response) || !IsMd5(tag) || Lower(tag) == md5_hex) return {};
  return Fail(ErrorCode::kCorruption,
              fmt::format("the store holds other bytes: MD5 {} sent, ETag {}", md5_hex, tag));
}

// A store, or what stands before it, may say 200 and then that it failed (as of a completion,
// decision 10).
Status CheckNoError(const io::HttpResponse& response) {
  const auto error = ParseS3Error(response.body);
  if (!error) return {};
  return Fail(ErrorCode::kOutcomeUnknown,
              fmt::format("{} with {}: {}", response.status, error->code, error->message));
}

// Of "…-<n>": n. -1 when the tag does not end so.
std::int64_t PartsInTag(std::string_view tag) {
  tag = Unquoted(tag);
  const std::size_t dash = tag.rfind('-');
  if (dash == std::string_view::npos) return -1;
  const std::string_view digits = tag.substr(dash + 1);
  std::int64_t parts = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts);
  return error == std::errc() && end == digits.data() + digits.size() ? parts : -1;
}

std::string RangeHeader(std::int64_t offset, std::int64_t size) {
  if (size > INT64_MAX - offset) return fmt::format("bytes={}-", offset);
  return fmt::format("bytes={}-{}", offset, offset + size - 1);
}

}  // namespace

io::HttpHeaders S3Store::CreationHeaders(const std::string& content_type) const {
  const S3Options& options = client_.options();
  io::HttpHeaders headers = {{"content-type", content_type}};
  if (!options.sse.empty()) headers.emplace_back("x-amz-server-side-encryption", options.sse);
  if (!options.sse_kms_key_id.empty()) {
    headers.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", options.sse_kms_key_id);
  }
  return headers;
}

io::Task<Md5Digest> S3Store::Md5OnWorker(Bytes bytes) {
  auto hash = [&bytes] { return Md5Of(*bytes); };
  co_return co_await io::RunOn(world_.loop, world_.pool, hash);
}

io::Task<Status> S3Store::Put(std::string key, std::string content_type, Bytes bytes) {
  const Md5Digest md5 = co_await Md5OnWorker(bytes);
  S3Request request;
  request.operation = Operation::kPut;
  request.method = "PUT";
  request.key = key;
  request.headers = CreationHeaders(content_type);
  request.headers.emplace_back("content-md5",
                               ToBase64({reinterpret_cast<const char*>(md5.data()), md5.size()}));
  request.body = bytes;
  request.judge = [md5_hex = ToHex(md5)](const io::HttpResponse& r) -> Status {
    TIDEMARK_TRY_VOID(CheckNoError(r));
    return CheckTag(r, md5_hex);
  };
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  // Whoever answered may never have seen the object: a proxy, a captive portal.
  const bool is_plain = !response->Header("etag").empty() && response->body.empty();
  if (!is_plain) co_return co_await CheckStored(key, std::ssize(*bytes));
  co_return Status();
}

io::Task<Status> S3Store::CheckStored(std::string key, std::int64_t bytes) {
  TIDEMARK_CO_TRY(const auto found, co_await Head(key));
  if (found && found->bytes == bytes) co_return Status();
  const std::string there =
      found ? fmt::format("{} bytes are there", found->bytes) : "it is not there";
  co_return Fail(
      ErrorCode::kOutcomeUnknown,
      fmt::format("put {}: answered without an ETag or with a page, {} bytes were sent, {}",
                  key,
                  bytes,
                  there));
}

io::Task<Result<std::optional<ObjectInfo>>> S3Store::Head(std::string key) {
  S3Request request;
  request.operation = Operation::kHead;
  request.method = "HEAD";
  request.key = key;
  request.accepted = {404};
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (response->status == 404) {
    // An answer to HEAD has no document: a GET says what is not there, if not the key.
    TIDEMARK_CO_TRY_VOID(co_await CheckAbsent(key));
    co_return std::optional<ObjectInfo>();
  }
  const std::string_view length = response->Header("content-length");
  ObjectInfo info;
  info.key = key;
  const auto [end, error] =
      std::from_chars(length.data(), length.data() + length.size(), info.bytes);
  if (error != std::errc() || end != length.data() + length.size()) {
    co_return Fail(ErrorCode::kCorruption,
                   fmt::format("head {}: Content-Length `{}`", key, length));
  }
  co_return info;
}

io::Task<Status> S3Store::CheckAbsent(std::string key) {
  S3Request request;
  request.key = std::move(key);
  request.headers = {{"range", RangeHeader(0, 1)}};
  request.accepted = {404, 416};
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return Status();
}

io::Task<Result<std::optional<std::string>>> S3Store::Get(std::string key) {
  S3Request request;
  request.key = key;
  request.accepted = {404};
  request.max_response_bytes = kMaxObjectBytes;
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (response->status == 404) co_return std::optional<std::string>();
  co_return std::move(response->body);
}

io::Task<Result<std::string>> S3Store::GetRange(std::string key,
                                                std::int64_t offset,
                                                std::int64_t size) {
  TIDEMARK_CHECK(offset >= 0 && size > 0, "range {}+{} of {}", offset, size, key);
  S3Request request;
  request.key = key;
  request.headers = {{"range", RangeHeader(offset, size)}};
  request.accepted = {404, 416};
  request.max_response_bytes =
      std::min(kMaxObjectBytes, static_cast<std::uint64_t>(size) + kRangeSlackBytes);
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (response->status == 404) {
    co_return Fail(ErrorCode::kNotFound, fmt::format("get {}: no such object", key));
  }
  if (response->status == 416) co_return std::string();
  if (response->status != 206) {  // a store that does not serve ranges sends it all
    const std::size_t begin = std::min(static_cast<std::size_t>(offset), response->body.size());
    co_return response->body.substr(begin, static_cast<std::size_t>(size));
  }
  co_return std::move(response->body);
}

io::Task<Result<ListPage>> S3Store::List(std::string prefix,
                                         std::string start_after,
                                         int max_keys) {
  S3Request request;
  request.operation = Operation::kList;
  request.about = prefix;
  request.query = {
      {"list-type", "2"}, {"max-keys", fmt::format("{}", max_keys)}, {"prefix", prefix}};
  if (!start_after.empty()) request.query.emplace_back("start-after", start_after);
  ListPage page;
  request.judge = [&page](const io::HttpResponse& r) -> Status {
    TIDEMARK_TRY(page, ParseListing(r.body));
    return {};
  };
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return page;
}

io::Task<Status> S3Store::Delete(std::string key) {
  S3Request request;
  request.operation = Operation::kDelete;
  request.method = "DELETE";
  request.key = key;
  request.accepted = {404};
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return Status();
}

io::Task<Result<UploadId>> S3Store::CreateUpload(std::string key, std::string content_type) {
  S3Request request;
  request.operation = Operation::kCreateUpload;
  request.method = "POST";
  request.key = key;
  request.query = {{"uploads", ""}};
  request.headers = CreationHeaders(content_type);
  UploadId upload;
  upload.key = key;
  request.judge = [&upload](const io::HttpResponse& r) -> Status {
    TIDEMARK_TRY(upload.id, ParseUploadId(r.body));
    return {};
  };
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return upload;
}

io::Task<Result<std::string>> S3Store::PutPart(UploadId upload, int number, Bytes bytes) {
  const Md5Digest md5 = co_await Md5OnWorker(bytes);
  S3Request request;
  request.operation = Operation::kPutPart;
  request.method = "PUT";
  request.key = upload.key;
  request.query = {{"partNumber", fmt::format("{}", number)}, {"uploadId", upload.id}};
  request.body = bytes;
  request.judge = [md5_hex = ToHex(md5)](const io::HttpResponse& r) -> Status {
    if (r.Header("etag").empty()) return Fail(ErrorCode::kCorruption, "the answer has no ETag");
    return CheckTag(r, md5_hex);
  };
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return std::string(response->Header("etag"));
}

io::Task<Status> S3Store::CompleteUpload(UploadId upload, std::vector<std::string> part_tags) {
  S3Request request;
  request.operation = Operation::kCompleteUpload;
  request.method = "POST";
  request.key = upload.key;
  request.query = {{"uploadId", upload.id}};
  request.headers = {{"content-type", "application/xml"}};
  request.body = std::make_shared<const std::string>(CompletionDocument(part_tags));
  request.accepted = {404};
  std::string tag;
  request.judge = [&tag](const io::HttpResponse& r) -> Status {
    if (r.status == 404) return {};
    TIDEMARK_TRY(tag, ParseCompletion(r.body));
    return {};
  };
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (response->status == 404) {
    Error unknown;
    unknown.code = ErrorCode::kOutcomeUnknown;
    unknown.message =
        fmt::format("multipart_complete {}: the store knows no such upload", upload.key);
    unknown.status = 404;
    co_return std::unexpected(std::move(unknown));
  }
  const std::int64_t parts = PartsInTag(tag);
  if (parts >= 0 && parts != static_cast<std::int64_t>(part_tags.size())) {
    co_return Fail(
        ErrorCode::kCorruption,
        fmt::format(
            "multipart_complete {}: {} parts sent, ETag {}", upload.key, part_tags.size(), tag));
  }
  co_return Status();
}

io::Task<Status> S3Store::AbortUpload(UploadId upload) {
  S3Request request;
  request.operation = Operation::kAbortUpload;
  request.method = "DELETE";
  request.key = upload.key;
  request.query = {{"uploadId", upload.id}};
  request.accepted = {404};
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return Status();
}

io::Task<Result<UploadPage>> S3Store::UploadsFrom(std::string prefix, UploadId from) {
  S3Request request;
  request.operation = Operation::kListUploads;
  request.about = prefix;
  request.query = {{"prefix", prefix}, {"uploads", ""}};
  if (!from.key.empty()) request.query.emplace_back("key-marker", from.key);
  if (!from.id.empty()) request.query.emplace_back("upload-id-marker", from.id);
  UploadPage page;
  request.judge = [&page](const io::HttpResponse& r) -> Status {
    TIDEMARK_TRY(page, ParseUploads(r.body));
    return {};
  };
  auto response = co_await client_.Call(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return page;
}

io::Task<Result<std::vector<UploadId>>> S3Store::ListUploads(std::string prefix) {
  std::vector<UploadId> found;
  UploadId from;
  for (int pages = 0; pages < kUploadPagesMax; ++pages) {
    TIDEMARK_CO_TRY(auto page, co_await UploadsFrom(prefix, from));
    std::ranges::move(page.uploads, std::back_inserter(found));
    if (page.next.key.empty()) co_return found;
    from = std::move(page.next);
  }
  co_return Fail(ErrorCode::kInvalidArgument,
                 fmt::format("multipart_list {}: more than {} uploads", prefix, found.size()));
}

}  // namespace tidemark::store
