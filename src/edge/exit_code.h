#pragma once
// How `tidemark run` ends, and what `tidemark validate` says it would.

#include "base/result.h"

namespace tidemark::edge {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadConfiguration = 2;
inline constexpr int kExitDamaged = 3;
inline constexpr int kExitSchemaRefused = 4;

// Of a start that ends with `error`.
inline int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return kExitBadConfiguration;
    case ErrorCode::kCorruption:
      return kExitDamaged;
    case ErrorCode::kPreconditionFailed:
      return kExitSchemaRefused;
    default:
      return kExitFailed;
  }
}

}  // namespace tidemark::edge
