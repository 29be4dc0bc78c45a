#include "broker/kv_batch.h"

#include <algorithm>
#include <set>
#include <utility>

#include "broker/json_cursor.h"

namespace tidemark::broker {

namespace {

// A hundred years: far enough, and no sum with the clock overflows.
constexpr std::int64_t kTtlSecondsMax = 3'153'600'000;

std::unexpected<Error> Refuse(std::string_view reason) {
  return Fail(ErrorCode::kInvalidArgument, std::string(reason));
}

// What the members said, before it is known which of them the operation needs.
struct RawOp {
  std::string name;
  KvOp op;
  bool has_key = false;
  bool has_keys = false;
  bool has_prefix = false;
  bool has_value = false;
  bool has_delta = false;
  bool forever = false;
};

bool IsNamespace(std::string_view ns) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (ns.empty() || ns.size() > 64 || !plain(ns[0])) return false;
  return std::ranges::all_of(ns,
                             [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; });
}

bool IsKey(std::string_view key) {
  return !key.empty() && key.size() <= kKvKeyBytesMax && key.find('\0') == std::string_view::npos;
}

// Every wrongly typed member is refused with the reason of its member.
Status ReadText(JsonCursor& json, std::string_view reason, std::string& out) {
  const auto text = json.String();
  if (!text) return Refuse(reason);
  out = *text;
  return {};
}

template <typename Int>
Status ReadInteger(JsonCursor& json, std::string_view reason, Int& out) {
  const auto number = json.Integer();
  if (!number) return Refuse(reason);
  out = *number;
  return {};
}

Status ReadFlag(JsonCursor& json, std::string_view reason, bool& out) {
  const auto flag = json.Bool();
  if (!flag) return Refuse(reason);
  out = *flag;
  return {};
}

Status ReadKeys(JsonCursor& json, RawOp& raw) {
  raw.has_keys = true;
  return json.ReadArray([&]() -> Status {
    std::string key;
    TIDEMARK_TRY_VOID(ReadText(json, "kv_bad_key", key));
    raw.op.keys.push_back(std::move(key));
    return {};
  });
}

Status ReadValue(JsonCursor& json, RawOp& raw) {
  raw.has_value = true;
  TIDEMARK_TRY(const std::string_view text, json.Raw());
  if (text.size() > kKvValueMax) return Fail(ErrorCode::kExhausted, "kv_value_too_large");
  raw.op.value = text;
  return {};
}

Status ReadMember(JsonCursor& json, std::string_view name, RawOp& raw) {
  KvOp& op = raw.op;
  if (name == "tenant" || name == "tenantId" || name == "_tenant") {
    return Refuse("kv_tenant_not_an_input");
  }
  if (name == "op") return ReadText(json, "kv_unknown_op", raw.name);
  if (name == "ns") return ReadText(json, "kv_bad_namespace", op.ns);
  if (name == "value") return ReadValue(json, raw);
  if (name == "expect") return ReadInteger(json, "kv_bad_expect", op.expect);
  // Elsewhere null means what absence does.
  TIDEMARK_TRY(const JsonType type, json.Peek());
  if (type == JsonType::kNull) return json.Skip();
  if (name == "key") {
    raw.has_key = true;
    return ReadText(json, "kv_bad_key", op.key);
  }
  if (name == "prefix") {
    raw.has_prefix = true;
    return ReadText(json, "kv_prefix_required", op.key);
  }
  if (name == "keys") return ReadKeys(json, raw);
  if (name == "limit") return ReadInteger(json, "kv_bad_limit", op.limit);
  if (name == "after") return ReadText(json, "kv_bad_after", op.after);
  if (name == "keysOnly") return ReadFlag(json, "kv_bad_keys_only", op.keys_only);
  if (name == "ttlSeconds") return ReadInteger(json, "kv_bad_ttl", op.ttl_seconds);
  if (name == "forever") return ReadFlag(json, "kv_bad_expiry", raw.forever);
  if (name == "required") return ReadFlag(json, "kv_bad_required", op.required);
  if (name == "delta") {
    raw.has_delta = true;
    return ReadInteger(json, "kv_bad_delta", op.delta);
  }
  if (name == "min") return ReadInteger(json, "kv_bad_limit", op.min);
  if (name == "max") return ReadInteger(json, "kv_bad_limit", op.max);
  return json.Skip();
}

Status CheckExpiry(const RawOp& raw) {
  const auto& ttl = raw.op.ttl_seconds;
  if (!ttl && !raw.forever) return Refuse("kv_expiry_not_specified");
  if (ttl && raw.forever) return Refuse("kv_expiry_ambiguous");
  if (ttl && (*ttl <= 0 || *ttl > kTtlSecondsMax)) return Refuse("kv_bad_ttl");
  return {};
}

Status CheckWrite(RawOp& raw) {
  KvOp& op = raw.op;
  if (!raw.has_key || !IsKey(op.key)) return Refuse("kv_bad_key");
  if (op.expect && *op.expect < 0) return Refuse("kv_bad_expect");
  if (raw.name == "delete") {
    op.kind = KvOpKind::kDelete;
    return {};
  }
  TIDEMARK_TRY_VOID(CheckExpiry(raw));
  if (raw.name == "incr") {
    op.kind = KvOpKind::kIncr;
    if (!raw.has_delta) return Refuse("kv_bad_delta");
    return {};
  }
  op.kind = KvOpKind::kPut;
  if (!raw.has_value) return Refuse("kv_value_required");
  if (raw.name == "putIfAbsent") {
    if (op.expect && *op.expect != 0) return Refuse("kv_bad_expect");
    op.expect = 0;
  }
  return {};
}

Status CheckRead(RawOp& raw) {
  KvOp& op = raw.op;
  if (raw.name == "get") {
    op.kind = KvOpKind::kGet;
    if (!raw.has_key || !IsKey(op.key)) return Refuse("kv_bad_key");
  } else if (raw.name == "getMany") {
    op.kind = KvOpKind::kGetMany;
    if (!raw.has_keys || !std::ranges::all_of(op.keys, IsKey)) return Refuse("kv_bad_key");
  } else {
    op.kind = KvOpKind::kGetPrefix;
    if (!raw.has_prefix || !IsKey(op.key)) return Refuse("kv_prefix_required");
    op.limit = std::clamp<std::int64_t>(op.limit, 1, kKvPrefixLimitMax);
  }
  return {};
}

Result<KvOp> ReadOp(JsonCursor& json) {
  RawOp raw;
  TIDEMARK_TRY_VOID(
      json.ReadObject([&](std::string_view name) { return ReadMember(json, name, raw); }));
  const std::string_view name = raw.name;
  const bool reads = name == "get" || name == "getMany" || name == "getPrefix";
  const bool writes = name == "put" || name == "putIfAbsent" || name == "delete" || name == "incr";
  if (!reads && !writes) return Refuse("kv_unknown_op");
  if (!IsNamespace(raw.op.ns)) return Refuse("kv_bad_namespace");
  TIDEMARK_TRY_VOID(reads ? CheckRead(raw) : CheckWrite(raw));
  return std::move(raw.op);
}

Status CheckBatch(const std::vector<KvOp>& ops) {
  std::size_t keys = 0;
  std::set<std::pair<std::string_view, std::string_view>> written;
  for (const KvOp& op : ops) {
    switch (op.kind) {
      case KvOpKind::kGetMany:
        keys += op.keys.size();
        break;
      case KvOpKind::kGetPrefix:
        keys += static_cast<std::size_t>(op.limit);
        break;
      default:
        keys += 1;
    }
    if (op.writes() && !written.insert({op.ns, op.key}).second) return Refuse("kv_duplicate_key");
  }
  if (keys > kKvKeysMax) return Refuse("kv_too_many_keys");
  return {};
}

}  // namespace

Result<std::vector<KvOp>> ParseKvBatch(std::string_view body) {
  if (!IsUtf8(body)) return Fail(ErrorCode::kInvalidArgument, "the body is not UTF-8");
  JsonCursor json(body);
  std::vector<KvOp> ops;
  bool has_operations = false;
  const auto read_operations = [&]() -> Status {
    if (std::exchange(has_operations, true)) return json.Wrong("operations given twice");
    return json.ReadArray([&]() -> Status {
      if (ops.size() >= kKvOpsMax) return Refuse("kv_too_many_ops");
      TIDEMARK_TRY(KvOp op, ReadOp(json));
      ops.push_back(std::move(op));
      return {};
    });
  };
  TIDEMARK_TRY(const JsonType type, json.Peek());
  if (type == JsonType::kArray) {
    TIDEMARK_TRY_VOID(read_operations());
  } else {
    TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view key) -> Status {
      return key == "operations" ? read_operations() : json.Skip();
    }));
  }
  TIDEMARK_TRY_VOID(json.End());
  if (!has_operations) return Refuse("kv_operations_required");
  TIDEMARK_TRY_VOID(CheckBatch(ops));
  return ops;
}

}  // namespace tidemark::broker
