#pragma once
// The body of POST /api/v1/kv, checked (queen-interface 1.3).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidemark::broker {

inline constexpr std::size_t kKvOpsMax = 256;
inline constexpr std::size_t kKvKeysMax = 1024;
inline constexpr std::size_t kKvValueMax = 65'536;
inline constexpr std::size_t kKvKeyBytesMax = 1024;  // a bound of ours
inline constexpr std::int64_t kKvPrefixLimitMax = 1000;

enum class KvOpKind { kGet, kGetMany, kGetPrefix, kPut, kDelete, kIncr };

struct KvOp {
  KvOpKind kind = KvOpKind::kGet;
  std::string ns;
  std::string key;                // of getPrefix: the prefix
  std::vector<std::string> keys;  // getMany

  // getPrefix
  std::int64_t limit = 100;
  std::string after;
  bool keys_only = false;

  // put, delete, incr
  std::string value;                        // JSON text, verbatim
  std::optional<std::int64_t> ttl_seconds;  // nullopt: forever
  std::optional<std::int64_t> expect;       // 0: must not be there
  bool required = false;
  std::int64_t delta = 0;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;

  bool writes() const {
    return kind == KvOpKind::kPut || kind == KvOpKind::kDelete || kind == KvOpKind::kIncr;
  }
};

// `{"operations":[…]}` or the bare array. kInvalidArgument with the API's reason as the message
// (`kv_bad_ttl`, …), or with a sentence where the text is not JSON; kExhausted: a value is above
// kKvValueMax.
Result<std::vector<KvOp>> ParseKvBatch(std::string_view body);

}  // namespace tidemark::broker
