#pragma once
// The one way to fail. A function that can fail returns Result<T>; no exception crosses a folder.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark {

// What the *caller* can do about a failure; nothing else decides on a code.
enum class ErrorCode {
  kInvalidArgument,     // the caller's input is wrong; a repeat fails the same way
  kNotFound,            // the named thing is not there
  kAlreadyExists,       // the named thing is there and should not be
  kPreconditionFailed,  // somebody else changed it first
  kUnavailable,         // nothing happened; trying again may help
  kOutcomeUnknown,      // it may or may not have happened: read back before judging
  kCorruption,          // stored bytes are not what was written
  kExhausted,           // a limit or a disk is full
  kCancelled,           // we were told to stop
  kPermissionDenied,    // credentials refused; new ones may help
  kInternal,            // a bug or an answer that makes no sense
};

// "invalid argument", "outcome unknown", ...
std::string_view ToString(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  // One sentence that names the thing, the value and what would be accepted. No final full stop.
  std::string message;
  // How long the peer asked us to wait, in milliseconds; negative when it did not say.
  std::int64_t retry_after_ms = -1;

  // Kept for the peer's status code where a metric or a rule needs it (HTTP); 0 when there was no
  // answer.
  int status = 0;
};

// True for the failures that a later identical attempt may not meet.
inline bool IsRetriable(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kOutcomeUnknown;
}

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{.code = code, .message = std::move(message)});
}

// The same error with one more layer of context in front: "<context>: <message>".
std::unexpected<Error> Annotate(Error error, std::string_view context);

// A failure that is tolerated on purpose; `why` is for the reader of the code.
template <typename T>
void IgnoreError(const Result<T>& /*result*/, std::string_view /*why*/) {}

}  // namespace tidemark

#define TIDEMARK_CONCAT_INNER(a, b) a##b
#define TIDEMARK_CONCAT(a, b) TIDEMARK_CONCAT_INNER(a, b)

#define TIDEMARK_TRY_INNER(tmp, decl, expr, ret)                     \
  auto tmp = (expr);                                                 \
  if (!tmp.has_value()) ret std::unexpected(std::move(tmp.error())); \
  decl = std::move(tmp.value())

// TIDEMARK_TRY(auto x, F()): x is F's value, or the function returns F's error. CO_ variants are
// for coroutines.
#define TIDEMARK_TRY(decl, expr) \
  TIDEMARK_TRY_INNER(TIDEMARK_CONCAT(try_, __LINE__), decl, expr, return)
#define TIDEMARK_CO_TRY(decl, expr) \
  TIDEMARK_TRY_INNER(TIDEMARK_CONCAT(try_, __LINE__), decl, expr, co_return)

#define TIDEMARK_CHECK_OK_INNER(tmp, expr, ret) \
  if (auto tmp = (expr); !tmp.has_value()) ret std::unexpected(std::move(tmp.error()))

// The same for a Status: nothing to bind.
#define TIDEMARK_TRY_VOID(expr) \
  TIDEMARK_CHECK_OK_INNER(TIDEMARK_CONCAT(try_, __LINE__), expr, return)
#define TIDEMARK_CO_TRY_VOID(expr) \
  TIDEMARK_CHECK_OK_INNER(TIDEMARK_CONCAT(try_, __LINE__), expr, co_return)
