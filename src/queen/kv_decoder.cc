#include "queen/kv_decoder.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "queen/answer_json.h"

namespace tidemark::queen {

namespace {

using answer_json::Key;
using answer_json::Reader;
using answer_json::Value;

struct Operation {
  std::int64_t index = -1;
  bool applied = false;
  std::int64_t version = 0;
  std::string value;  // JSON text
  std::vector<KvRow> rows;
  std::vector<std::string> missing;
};

// A batch's answer: either results, or `ok: false` with the reason it was rolled back.
struct Batch {
  bool ok = true;
  std::string reason;
  std::optional<std::int64_t> failed_index;
  std::vector<Operation> operations;
};

Status ReadText(Reader& reader, Value value, std::string& out) {
  std::string_view text;
  TIDEMARK_TRY_VOID(reader.ReadRaw(value, text));
  out = text == "null" ? "" : text;
  return {};
}

Status ReadVersion(Reader& reader, Value value, std::int64_t& out) {
  if (answer_json::Is(value, simdjson::ondemand::json_type::null)) return {};
  return reader.Read(value, out);
}

Status ReadRow(Reader& reader, Value value, std::vector<KvRow>& rows) {
  KvRow row;
  TIDEMARK_TRY_VOID(reader.ForEachField(value, [&](const Key& key, Value field) -> Status {
    if (key == "key") return reader.Read(field, row.key);
    if (key == "value") return ReadText(reader, field, row.value);
    if (key == "version") return reader.Read(field, row.version);
    return {};
  }));
  rows.push_back(std::move(row));
  return {};
}

Status ReadMissing(Reader& reader, Value value, std::vector<std::string>& missing) {
  std::string key;
  TIDEMARK_TRY_VOID(reader.Read(value, key));
  missing.push_back(std::move(key));
  return {};
}

Status ReadOperation(Reader& reader, Value value, std::vector<Operation>& operations) {
  Operation op;
  TIDEMARK_TRY_VOID(reader.ForEachField(value, [&](const Key& key, Value field) -> Status {
    if (key == "index") return reader.Read(field, op.index);
    if (key == "applied") return reader.Read(field, op.applied);
    if (key == "version") return ReadVersion(reader, field, op.version);
    if (key == "value") return ReadText(reader, field, op.value);
    if (key == "rows") {
      return reader.ForEachElement(field, [&](Value row) { return ReadRow(reader, row, op.rows); });
    }
    if (key == "missing") {
      return reader.ForEachElement(
          field, [&](Value name) { return ReadMissing(reader, name, op.missing); });
    }
    return {};
  }));
  operations.push_back(std::move(op));
  return {};
}

Result<Batch> ReadBatch(Reader& reader) {
  Batch batch;
  TIDEMARK_TRY_VOID(reader.ReadObject([&](const Key& key, Value value) -> Status {
    if (key == "ok") return reader.Read(value, batch.ok);
    if (key == "reason") return reader.Read(value, batch.reason);
    if (key == "failedIndex") return reader.Read(value, batch.failed_index.emplace());
    if (key != "results") return {};
    return reader.ForEachElement(
        value, [&](Value op) { return ReadOperation(reader, op, batch.operations); });
  }));
  return batch;
}

// Exactly one operation for each index below `asked`, brought into that order.
Result<std::vector<Operation>> Align(Reader& reader, Batch batch, std::size_t asked) {
  if (!batch.ok) return reader.Fail(fmt::format("ok is false, reason \"{}\"", batch.reason));
  std::vector<Operation> aligned(asked);
  for (auto& op : batch.operations) {
    const auto at = static_cast<std::size_t>(op.index);
    if (op.index < 0 || at >= asked || aligned[at].index == op.index) {
      return reader.Fail(fmt::format("result index {} of {} operations", op.index, asked));
    }
    aligned[at] = std::move(op);
  }
  if (batch.operations.size() != asked) {
    return reader.Fail(fmt::format("{} results for {} operations", batch.operations.size(), asked));
  }
  return aligned;
}

}  // namespace

Result<std::vector<KvRow>> DecodeKvGetMany(std::string body, const std::vector<std::string>& keys) {
  Reader reader("kv", body);
  TIDEMARK_TRY(Batch batch, ReadBatch(reader));
  TIDEMARK_TRY(auto operations, Align(reader, std::move(batch), 1));
  Operation& read = operations.front();
  const std::set<std::string_view> asked(keys.begin(), keys.end());
  std::set<std::string_view> answered(read.missing.begin(), read.missing.end());
  for (const auto& row : read.rows) {
    if (!asked.contains(row.key) || !answered.insert(row.key).second) {
      return reader.Fail(fmt::format("a row of key \"{}\", not asked or there twice", row.key));
    }
  }
  for (const auto& key : keys) {
    if (!answered.contains(key)) return reader.Fail(fmt::format("nothing about key {}", key));
  }
  return std::move(read.rows);
}

Result<std::vector<KvRow>> DecodeKvGetPrefix(std::string body) {
  Reader reader("kv", body);
  TIDEMARK_TRY(Batch batch, ReadBatch(reader));
  TIDEMARK_TRY(auto operations, Align(reader, std::move(batch), 1));
  return std::move(operations.front().rows);
}

Result<std::vector<KvResult>> DecodeKvEach(std::string body, std::size_t asked) {
  Reader reader("kv", body);
  TIDEMARK_TRY(Batch batch, ReadBatch(reader));
  TIDEMARK_TRY(auto operations, Align(reader, std::move(batch), asked));
  std::vector<KvResult> results;
  results.reserve(operations.size());
  for (Operation& op : operations) {
    KvResult& result = results.emplace_back();
    result.applied = op.applied;
    result.version = op.version;
    if (!op.applied) result.current_value = std::move(op.value);
  }
  return results;
}

Result<KvResult> DecodeKvOne(std::string body) {
  TIDEMARK_TRY(auto results, DecodeKvEach(std::move(body), 1));
  return std::move(results.front());
}

Result<KvBatchResult> DecodeKvBatch(std::string body, std::size_t puts) {
  Reader reader("kv", body);
  TIDEMARK_TRY(Batch batch, ReadBatch(reader));
  KvBatchResult result;
  if (!batch.ok && batch.reason == "kv_precondition") {
    const auto index = batch.failed_index.value_or(-1);
    if (index >= 0 && static_cast<std::size_t>(index) < puts) {
      result.failed_index = static_cast<std::size_t>(index);
    }
    return result;
  }
  TIDEMARK_TRY(auto operations, Align(reader, std::move(batch), puts));
  result.applied = true;
  for (const auto& op : operations) {
    if (!op.applied) return reader.Fail("a required put that was not applied");
    result.versions.push_back(op.version);
  }
  return result;
}

}  // namespace tidemark::queen
