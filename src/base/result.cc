#include "base/result.h"

#include <fmt/format.h>

namespace tidemark {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kAlreadyExists:
      return "already exists";
    case ErrorCode::kPreconditionFailed:
      return "precondition failed";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kOutcomeUnknown:
      return "outcome unknown";
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kExhausted:
      return "exhausted";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kPermissionDenied:
      return "permission denied";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

std::unexpected<Error> Annotate(Error error, std::string_view context) {
  error.message = fmt::format("{}: {}", context, error.message);
  return std::unexpected(std::move(error));
}

}  // namespace tidemark
