#include "broker/kv_table.h"

#include <fmt/format.h>

#include <charconv>

#include "format/json_text.h"

namespace tidemark::broker {

namespace {

constexpr std::size_t kReadBudgetBytes = std::size_t{4} << 20;
constexpr std::size_t kLostDetailBytesMax = 4096;
constexpr std::uint64_t kVersionStepMax = 997;

std::string Quoted(std::string_view text) {
  std::string out;
  format::AppendJsonString(text, out);
  return out;
}

std::string TimeOrNull(const std::optional<Micros>& t) {
  return t ? fmt::format("\"{}\"", FormatIso(*t)) : "null";
}

std::string_view ValueOrNull(const KvEntry& entry) {
  return entry.version == 0 ? std::string_view("null") : std::string_view(entry.value);
}

std::string_view OpName(KvOpKind kind) {
  switch (kind) {
    case KvOpKind::kGet:
      return "get";
    case KvOpKind::kGetMany:
      return "getMany";
    case KvOpKind::kGetPrefix:
      return "getPrefix";
    case KvOpKind::kPut:
      return "put";
    case KvOpKind::kDelete:
      return "delete";
    case KvOpKind::kIncr:
      return "incr";
  }
  return "";
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

KvEntry EntryOf(const Statement& row) {
  KvEntry entry{.value = std::string(row.Text(0)),
                .version = row.Int(1),
                .expires_at = std::nullopt,
                .updated_at = Micros(row.Int(3))};
  if (!row.IsNull(2)) entry.expires_at = Micros(row.Int(2));
  return entry;
}

// The end of the keys that start with `prefix`, in byte order: the prefix with its last byte
// counted up. UTF-8 has no byte 0xFF, so this never overflows.
std::string PrefixEnd(std::string prefix) {
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

std::string RenderLost(std::size_t index, std::string_view reason, const KvEntry& entry) {
  std::string detail = fmt::format(
      R"(,"failedIndex":{},"kvReason":"{}","version":{},"value":)", index, reason, entry.version);
  detail += ValueOrNull(entry);
  // The database this stands in for carries the detail in an error field of bounded size.
  if (detail.size() > kLostDetailBytesMax) detail.clear();
  return fmt::format(R"({{"ok":false,"reason":"kv_precondition"{}}})", detail);
}

}  // namespace

KvTable::KvTable(Database& db, io::Random& random, std::int64_t last_version)
    : db_(db),
      random_(random),
      last_version_(last_version),
      select_(db.Prepare("SELECT value, version, expires_at, updated_at FROM kv "
                         "WHERE ns = ?1 AND key = ?2 AND (expires_at IS NULL OR expires_at > ?3)")),
      upsert_(
          db.Prepare("INSERT OR REPLACE INTO kv(ns, key, value, version, expires_at, updated_at) "
                     "VALUES(?1, ?2, ?3, ?4, ?5, ?6)")),
      delete_(db.Prepare("DELETE FROM kv WHERE ns = ?1 AND key = ?2")),
      prefix_(db.Prepare("SELECT value, version, expires_at, updated_at, key FROM kv WHERE ns = ?1 "
                         "AND key >= ?2 AND key < ?3 AND key > ?4 "
                         "AND (expires_at IS NULL OR expires_at > ?5) ORDER BY key LIMIT ?6")),
      purge_(db.Prepare("DELETE FROM kv WHERE (ns, key) IN (SELECT ns, key FROM kv WHERE "
                        "expires_at IS NOT NULL AND expires_at <= ?1 LIMIT ?2)")),
      update_version_(db.Prepare("UPDATE meta SET value = ?1 WHERE name = 'kv_version'")) {}

// A sequence with gaps: unique for ever, but never the next number, so that nobody learns to count
// on it.
std::int64_t KvTable::NextVersion() {
  last_version_ += 2 + static_cast<std::int64_t>(random_.Next() % kVersionStepMax);
  return last_version_;
}

Result<std::optional<KvEntry>> KvTable::Get(std::string_view ns, std::string_view key, Micros now) {
  TIDEMARK_TRY(const bool row, select_.With(ns, key, now.value()).Step());
  std::optional<KvEntry> entry;
  if (row) entry = EntryOf(select_);
  select_.Reset();
  return entry;
}

Result<std::string> KvTable::Apply(const std::vector<KvOp>& ops, Micros now) {
  // Others share the transaction: a lost batch undoes itself alone.
  TIDEMARK_TRY_VOID(db_.Execute("SAVEPOINT kv"));
  bool lost = false;
  TIDEMARK_TRY(std::string body, ApplyAll(ops, now, lost));
  if (lost) TIDEMARK_TRY_VOID(db_.Execute("ROLLBACK TO kv"));
  TIDEMARK_TRY_VOID(db_.Execute("RELEASE kv"));
  return body;
}

Result<std::string> KvTable::ApplyAll(const std::vector<KvOp>& ops, Micros now, bool& lost) {
  std::vector<std::string> results(ops.size());
  const std::int64_t version_before = last_version_;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const KvOp& op = ops[i];
    if (!op.writes()) continue;
    TIDEMARK_TRY(const Written written, Write(op, now));
    if (!written.applied && op.required) {
      lost = true;
      return RenderLost(i, written.reason, written.entry);
    }
    results[i] =
        fmt::format(R"({{"index":{},"op":"{}","applied":{},"key":{},"value":{},"version":{})",
                    i,
                    OpName(op.kind),
                    written.applied,
                    Quoted(op.key),
                    ValueOrNull(written.entry),
                    written.entry.version);
    if (!written.applied) results[i] += fmt::format(R"(,"reason":"{}")", written.reason);
    results[i] += '}';
  }
  if (last_version_ != version_before) {
    TIDEMARK_TRY_VOID(update_version_.With(last_version_).Run());
  }
  std::size_t budget = kReadBudgetBytes;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].writes()) continue;
    results[i] = fmt::format(R"({{"index":{},"op":"{}")", i, OpName(ops[i].kind));
    TIDEMARK_TRY_VOID(Read(ops[i], now, budget, results[i]));
    results[i] += '}';
  }
  return fmt::format(R"({{"results":[{}]}})", fmt::join(results, ","));
}

Result<KvTable::Written> KvTable::Write(const KvOp& op, Micros now) {
  TIDEMARK_TRY(const std::optional<KvEntry> row, Get(op.ns, op.key, now));
  const auto refuse = [&](std::string_view reason) {
    return Written{.applied = false, .reason = reason, .entry = row.value_or(KvEntry())};
  };
  if (op.expect && *op.expect == 0 && row) return refuse("exists");
  if (op.expect && *op.expect > 0) {
    if (!row) return refuse("absent");
    if (row->version != *op.expect) return refuse("version");
  }
  if (op.kind == KvOpKind::kIncr) return Increment(op, row, now);
  if (op.kind == KvOpKind::kPut) return Store(op, op.value, now);
  if (!row && !op.expect) return refuse("absent");
  TIDEMARK_TRY_VOID(delete_.With(std::string_view(op.ns), std::string_view(op.key)).Run());
  return Written{.applied = true, .reason = {}, .entry = {}};
}

Result<KvTable::Written> KvTable::Increment(const KvOp& op,
                                            const std::optional<KvEntry>& row,
                                            Micros now) {
  const auto refuse = [&](std::string_view reason) {
    return Written{.applied = false, .reason = reason, .entry = row.value_or(KvEntry())};
  };
  std::int64_t before = 0;
  if (row) {
    const auto number = ParseInteger(row->value);
    if (!number) return refuse("type");
    before = *number;
  }
  std::int64_t after = 0;
  if (__builtin_add_overflow(before, op.delta, &after)) return refuse("limit");
  if ((op.min && after < *op.min) || (op.max && after > *op.max)) return refuse("limit");
  return Store(op, fmt::format("{}", after), now);
}

Result<KvTable::Written> KvTable::Store(const KvOp& op, std::string value, Micros now) {
  KvEntry entry{.value = std::move(value),
                .version = NextVersion(),
                .expires_at = std::nullopt,
                .updated_at = now};
  const std::string_view ns = op.ns;
  const std::string_view key = op.key;
  const std::string_view text = entry.value;
  if (op.ttl_seconds) {
    entry.expires_at = now + *op.ttl_seconds * kMicrosPerSecond;
    upsert_.With(ns, key, text, entry.version, entry.expires_at->value(), now.value());
  } else {
    upsert_.With(ns, key, text, entry.version, Null(), now.value());
  }
  TIDEMARK_TRY_VOID(upsert_.Run());
  return Written{.applied = true, .reason = {}, .entry = std::move(entry)};
}

Status KvTable::Read(const KvOp& op, Micros now, std::size_t& budget, std::string& out) {
  if (op.kind == KvOpKind::kGetMany) return ReadMany(op, now, budget, out);
  if (op.kind == KvOpKind::kGetPrefix) return ReadPrefix(op, now, budget, out);
  TIDEMARK_TRY(const std::optional<KvEntry> row, Get(op.ns, op.key, now));
  const KvEntry entry = row.value_or(KvEntry());
  budget -= std::min(budget, entry.value.size());
  out +=
      fmt::format(R"(,"found":{},"key":{},"value":{},"version":{},"expiresAt":{},"updatedAt":{})",
                  row.has_value(),
                  Quoted(op.key),
                  ValueOrNull(entry),
                  entry.version,
                  TimeOrNull(entry.expires_at),
                  row ? TimeOrNull(entry.updated_at) : std::string("null"));
  return {};
}

Status KvTable::ReadMany(const KvOp& op, Micros now, std::size_t& budget, std::string& out) {
  std::vector<std::string> rows;
  std::vector<std::string> missing;
  bool truncated = false;
  for (const std::string& key : op.keys) {
    TIDEMARK_TRY(const std::optional<KvEntry> row, Get(op.ns, key, now));
    if (!row) {
      missing.push_back(Quoted(key));
    } else if (row->value.size() > budget) {
      truncated = true;
    } else {
      budget -= row->value.size();
      rows.push_back(fmt::format(
          R"({{"key":{},"value":{},"version":{}}})", Quoted(key), row->value, row->version));
    }
  }
  out += fmt::format(R"(,"rows":[{}],"missing":[{}],"truncated":{})",
                     fmt::join(rows, ","),
                     fmt::join(missing, ","),
                     truncated);
  return {};
}

Status KvTable::ReadPrefix(const KvOp& op, Micros now, std::size_t& budget, std::string& out) {
  std::vector<std::string> rows;
  std::string last = op.after;
  bool truncated = false;
  const std::string end = PrefixEnd(op.key);
  // One row more than asked tells whether there are more.
  prefix_.With(std::string_view(op.ns),
               std::string_view(op.key),
               std::string_view(end),
               std::string_view(op.after),
               now.value(),
               op.limit + 1);
  while (true) {
    TIDEMARK_TRY(const bool row, prefix_.Step());
    if (!row) break;
    const std::string_view value = op.keys_only ? std::string_view() : prefix_.Text(0);
    truncated = std::ssize(rows) == op.limit || value.size() > budget;
    if (truncated) break;
    budget -= value.size();
    last = prefix_.Text(4);
    const std::string value_part = op.keys_only ? "" : fmt::format(R"(,"value":{})", value);
    rows.push_back(
        fmt::format(R"({{"key":{}{},"version":{}}})", Quoted(last), value_part, prefix_.Int(1)));
  }
  prefix_.Reset();
  out += fmt::format(R"(,"rows":[{}],"truncated":{},"nextAfter":{})",
                     fmt::join(rows, ","),
                     truncated,
                     truncated && !last.empty() ? Quoted(last) : std::string("null"));
  return {};
}

Status KvTable::Purge(Micros now, std::size_t limit) {
  return purge_.With(now.value(), static_cast<std::int64_t>(limit)).Run();
}

}  // namespace tidemark::broker
