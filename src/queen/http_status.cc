#include "queen/http_status.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "queen/answer_json.h"

namespace tidemark::queen {

namespace {

using answer_json::Key;
using answer_json::Value;

constexpr std::size_t kBodyShownMax = 300;

// `error` and `reason` of an error body; empty where it is none.
struct Refusal {
  std::string error;
  std::string reason;
};

Refusal ReadRefusal(std::string body) {
  Refusal refusal;
  answer_json::Reader reader("error", body);
  const Status read = reader.ReadObject([&](const Key& key, Value value) -> Status {
    if (key == "error") return reader.Read(value, refusal.error);
    if (key == "reason") return reader.Read(value, refusal.reason);
    return {};
  });
  IgnoreError(read, "a proxy's error page says nothing about the batch");
  return refusal;
}

bool SaysNothingHappened(const io::HttpResponse& response) {
  if (response.status == 429) return true;
  if (response.status != 503) return false;
  const Refusal refusal = ReadRefusal(response.body);
  const bool refused = refusal.error == "kv_unavailable" || refusal.error == "kv_disabled";
  return refused && refusal.reason != "kv_timeout";
}

ErrorCode CodeOf(const io::HttpResponse& response, bool changes_something) {
  const int status = response.status;
  if (status == 401 || status == 403) return ErrorCode::kPermissionDenied;
  if (status == 408 || status == 429 || status >= 500) {
    const bool unknown = changes_something && !SaysNothingHappened(response);
    return unknown ? ErrorCode::kOutcomeUnknown : ErrorCode::kUnavailable;
  }
  return status >= 400 ? ErrorCode::kInvalidArgument : ErrorCode::kInternal;
}

Result<std::string> Answer(std::string_view call,
                           Result<io::HttpResponse> response,
                           bool changes_something) {
  if (!response) {
    Error error = std::move(response.error());
    if (!changes_something && error.code == ErrorCode::kOutcomeUnknown) {
      error.code = ErrorCode::kUnavailable;
    }
    return Annotate(std::move(error), call);
  }
  if (response->status >= 200 && response->status < 300) return std::move(response->body);
  return std::unexpected(Error{
      .code = CodeOf(*response, changes_something),
      .message =
          fmt::format("{}: {} {}", call, response->status, response->body.substr(0, kBodyShownMax)),
      .retry_after_ms = io::RetryAfterMs(*response),
      .status = response->status});
}

}  // namespace

Result<std::string> ReadAnswer(std::string_view call, Result<io::HttpResponse> response) {
  return Answer(call, std::move(response), false);
}

Result<std::string> WriteAnswer(std::string_view call, Result<io::HttpResponse> response) {
  return Answer(call, std::move(response), true);
}

}  // namespace tidemark::queen
