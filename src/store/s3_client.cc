#include "store/s3_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "io/async.h"
#include "store/s3_xml.h"

namespace tidemark::store {

namespace {

constexpr std::size_t kHashOnLoopBytes = 64 << 10;
constexpr std::size_t kQuotedBytes = 200;

ErrorCode CodeOf(int status) {
  switch (status) {
    case 401:
    case 403:
      return ErrorCode::kPermissionDenied;
    case 429:
    case 503:  // "slow down": refused at the door
      return ErrorCode::kUnavailable;
    case 408:
      return ErrorCode::kOutcomeUnknown;
    default:
      return status >= 500 ? ErrorCode::kOutcomeUnknown : ErrorCode::kInvalidArgument;
  }
}

// Refusals of the credentials that come with other statuses than 401 and 403: versitygw's 404 for
// an access key it does not know, and S3's 400 for a session token that has run out.
bool RefusesCredentials(const S3Error& error) {
  return error.code == "XAdminUserNotFound" || error.code == "ExpiredToken";
}

// What S3 says to who asks the wrong region for a bucket, in a header alone where it is a HEAD.
std::string RegionHint(const io::HttpResponse& response) {
  const std::string_view region = response.Header("x-amz-bucket-region");
  const bool elsewhere = response.status == 301 || response.status == 307 || response.status == 400;
  return elsewhere && !region.empty() ? fmt::format(" (the bucket is in region {})", region) : "";
}

Error ErrorOf(const io::HttpResponse& response) {
  Error error;
  error.code = CodeOf(response.status);
  error.status = response.status;
  error.retry_after_ms = io::RetryAfterMs(response);
  if (const auto s3_error = ParseS3Error(response.body)) {
    if (RefusesCredentials(*s3_error)) error.code = ErrorCode::kPermissionDenied;
    error.message = fmt::format("{} {}: {}", response.status, s3_error->code, s3_error->message);
  } else {
    error.message = fmt::format("{} {}", response.status, response.body.substr(0, kQuotedBytes));
  }
  error.message += RegionHint(response);
  return error;
}

bool MayHelpToRepeat(const Error& error) {
  return IsRetriable(error) || error.code == ErrorCode::kCorruption;
}

bool IsWrite(Operation operation) {
  switch (operation) {
    case Operation::kPut:
    case Operation::kDelete:
    case Operation::kCreateUpload:
    case Operation::kPutPart:
    case Operation::kCompleteUpload:
      return true;
    default:
      return false;
  }
}

// Of a 404: that the key or the upload is what is not there. Where a document comes with it, it
// says so; one that names something else (the bucket, the access key) is a refusal.
bool SaysAbsent(const io::HttpResponse& response) {
  const auto error = ParseS3Error(response.body);
  return !error || error->code == "NoSuchKey" || error->code == "NoSuchVersion" ||
         error->code == "NoSuchUpload";
}

bool IsAccepted(const S3Request& request, const io::HttpResponse& response) {
  if (response.status >= 200 && response.status < 300) return true;
  if (std::ranges::count(request.accepted, response.status) == 0) return false;
  return response.status != 404 || SaysAbsent(response);
}

}  // namespace

io::Task<Result<io::HttpResponse>> S3Client::Call(S3Request request) {
  auto hash = [&request] { return ToHex(Sha256Of(request.body ? *request.body : "")); };
  std::string sha256;
  if (request.body && request.body->size() > kHashOnLoopBytes) {
    sha256 = co_await io::RunOn(world_.loop, world_.pool, hash);
  } else {
    sha256 = hash();
  }
  const int attempts_max =
      IsWrite(request.operation) ? options_.write_attempts_max : options_.attempts_max;
  bool reloaded = false;
  for (int attempt = 1;; ++attempt) {
    const Credentials used = options_.credentials;
    auto response = co_await Attempt(request, sha256);
    if (response) co_return std::move(*response);
    Error& error = response.error();
    bool again = false;
    if (error.code == ErrorCode::kPermissionDenied && !std::exchange(reloaded, true)) {
      again = co_await ReloadCredentials(used);
      if (again && attempts_max == 1) {
        again = false;
        error.code = ErrorCode::kUnavailable;
      }
    } else if (MayHelpToRepeat(error) && attempt < attempts_max) {
      again = co_await WaitAfter(attempt, error);
    }
    if (again) continue;
    const std::string& about = request.about.empty() ? request.key : request.about;
    const std::string what = fmt::format("{} {}", ToString(request.operation), about);
    co_return Annotate(std::move(error), what);
  }
}

io::Task<Result<io::HttpResponse>> S3Client::Attempt(const S3Request& request,
                                                     const std::string& sha256) {
  io::HttpRequest http = Sign(request, sha256);
  auto response = co_await world_.http.Send(std::move(http));
  if (world_.on_request) world_.on_request(request.operation, response ? response->status : 0);
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (!IsAccepted(request, *response)) co_return std::unexpected(ErrorOf(*response));
  if (request.judge) {
    Status judged = request.judge(*response);
    if (!judged) {
      judged.error().status = response->status;
      co_return std::unexpected(std::move(judged.error()));
    }
  }
  co_return std::move(*response);
}

io::HttpRequest S3Client::Sign(const S3Request& request, const std::string& sha256) const {
  const S3Target target =
      TargetOf(options_.endpoint, options_.bucket, options_.path_style, request.key, request.query);
  const std::string date = AmzDate(world_.clock.Now());
  RequestToSign to_sign;
  to_sign.method = request.method;
  to_sign.path = target.path;
  to_sign.query = target.query;
  to_sign.payload_sha256 = sha256;
  to_sign.headers = request.headers;
  to_sign.headers.emplace_back("host", target.host);
  to_sign.headers.emplace_back("x-amz-content-sha256", sha256);
  to_sign.headers.emplace_back("x-amz-date", date);
  if (!options_.credentials.session_token.empty()) {
    to_sign.headers.emplace_back("x-amz-security-token", options_.credentials.session_token);
  }

  io::HttpRequest http;
  http.method = request.method;
  http.url = target.url;
  http.headers = to_sign.headers;
  http.headers.emplace_back("authorization",
                            Authorization(to_sign, options_.credentials, options_.region, date));
  http.body = request.body;
  http.connect_timeout = options_.connect_timeout;
  http.timeout = options_.timeout;
  http.max_response_bytes = request.max_response_bytes;
  http.ca_file = options_.ca_file;
  return http;
}

io::Task<bool> S3Client::ReloadCredentials(Credentials refused) {
  if (!options_.reload_credentials) co_return false;
  auto reload = [this] { return options_.reload_credentials(); };
  auto reloaded = co_await io::RunOn(world_.loop, world_.pool, reload);
  if (!reloaded || *reloaded == refused) co_return false;
  options_.credentials = std::move(*reloaded);
  co_return true;
}

io::Task<bool> S3Client::WaitAfter(int attempt, Error error) {
  if (world_.stop.stop_requested()) co_return false;
  const io::Duration floor =
      std::chrono::milliseconds(std::exchange(error.retry_after_ms, std::int64_t{-1}));
  const io::Duration step = io::WaitAfter(options_.backoff, attempt, error, world_.random);
  const io::Duration wait = std::min(std::max(step, floor), options_.backoff.most);
  co_return co_await io::Sleep(world_.loop, wait, world_.stop);
}

}  // namespace tidemark::store
