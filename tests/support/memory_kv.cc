#include "tests/support/memory_kv.h"

#include <fmt/format.h>

#include <set>

namespace tidemark::testing {

namespace {

constexpr std::size_t kOperationsMax = 256;
constexpr std::size_t kKeysMax = 1024;
constexpr std::size_t kValueBytesMax = 65'536;

Status CheckPut(const queen::KvPut& put) {
  if (put.ttl_seconds && *put.ttl_seconds <= 0) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("kv_bad_ttl {}", *put.ttl_seconds));
  }
  if (put.expect && *put.expect < 0) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("kv_bad_expect {}", *put.expect));
  }
  if (put.value.size() > kValueBytesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("value of {} bytes for {}", put.value.size(), put.key));
  }
  return {};
}

}  // namespace

MemoryKv::Row* MemoryKv::Find(const std::string& key, io::Duration now) {
  const auto found = rows_.find(key);
  if (found == rows_.end()) return nullptr;
  if (found->second.expires_at && *found->second.expires_at <= now) {
    rows_.erase(found);
    return nullptr;
  }
  return &found->second;
}

Result<std::vector<queen::KvRow>> MemoryKv::GetMany(const std::vector<std::string>& keys,
                                                    io::Duration now) {
  if (keys.size() > kKeysMax) return Fail(ErrorCode::kInvalidArgument, "kv_too_many_keys");
  std::vector<queen::KvRow> rows;
  for (const auto& key : keys) {
    if (const Row* row = Find(key, now)) rows.push_back({key, row->value, row->version});
  }
  return rows;
}

std::vector<queen::KvRow> MemoryKv::GetPrefix(const std::string& prefix, io::Duration now) {
  std::erase_if(rows_, [now](const auto& row) {
    return row.second.expires_at && *row.second.expires_at <= now;
  });
  std::vector<queen::KvRow> rows;
  for (auto at = rows_.lower_bound(prefix); at != rows_.end() && at->first.starts_with(prefix);
       ++at)
    rows.push_back({at->first, at->second.value, at->second.version});
  return rows;
}

bool MemoryKv::Holds(const queen::KvPut& put, io::Duration now) {
  if (!put.expect) return true;
  const Row* row = Find(put.key, now);
  return (row == nullptr ? 0 : row->version) == *put.expect;
}

std::int64_t MemoryKv::Write(const queen::KvPut& put, io::Duration now) {
  // Steps of 3, 5, 3, 5...: whoever computes the next version instead of reading it is found out.
  last_version_ += last_version_ % 4 == 0 ? 3 : 5;
  Row& row = rows_[put.key];
  row = {.value = put.value, .version = last_version_, .expires_at = std::nullopt};
  if (put.ttl_seconds) row.expires_at = now + std::chrono::seconds(*put.ttl_seconds);
  return row.version;
}

Result<queen::KvResult> MemoryKv::Put(const queen::KvPut& put, io::Duration now) {
  TIDEMARK_TRY_VOID(CheckPut(put));
  if (Holds(put, now)) return queen::KvResult{.applied = true, .version = Write(put, now)};
  const Row* row = Find(put.key, now);
  if (row == nullptr) return queen::KvResult{};
  return queen::KvResult{.version = row->version, .current_value = row->value};
}

Result<queen::KvBatchResult> MemoryKv::PutAll(const std::vector<queen::KvPut>& puts,
                                              io::Duration now) {
  if (puts.size() > kOperationsMax) return Fail(ErrorCode::kInvalidArgument, "kv_too_many_ops");
  std::set<std::string> keys;
  for (const auto& put : puts) {
    TIDEMARK_TRY_VOID(CheckPut(put));
    if (!keys.insert(put.key).second) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("{} written twice", put.key));
    }
  }
  queen::KvBatchResult result;
  for (std::size_t i = 0; i < puts.size(); ++i) {
    if (Holds(puts[i], now)) continue;
    if (!omit_failed_index_) result.failed_index = i;
    return result;
  }
  result.applied = true;
  for (const auto& put : puts) result.versions.push_back(Write(put, now));
  return result;
}

queen::KvResult MemoryKv::Delete(const std::string& key, std::int64_t expect, io::Duration now) {
  const Row* row = Find(key, now);
  if (row == nullptr) return {};
  if (row->version != expect) return {.version = row->version, .current_value = row->value};
  rows_.erase(key);
  return {.applied = true};
}

}  // namespace tidemark::testing
