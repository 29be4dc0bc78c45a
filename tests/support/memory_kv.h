#pragma once
// The KV store of a Queen broker in memory (queen-interface 1.3): versions that cannot be guessed,
// expiry, all or nothing. Pure: what the time is, it is told.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/loop.h"
#include "queen/types.h"

namespace tidemark::testing {

class MemoryKv {
 public:
  // `now` is any clock that only moves forward; a row expires `ttl_seconds` after the `now` of its
  // put.
  Result<std::vector<queen::KvRow>> GetMany(const std::vector<std::string>& keys, io::Duration now);
  std::vector<queen::KvRow> GetPrefix(const std::string& prefix, io::Duration now);
  Result<queen::KvResult> Put(const queen::KvPut& put, io::Duration now);
  Result<queen::KvBatchResult> PutAll(const std::vector<queen::KvPut>& puts, io::Duration now);
  queen::KvResult Delete(const std::string& key, std::int64_t expect, io::Duration now);

  // A lost batch is answered without saying which put lost (the broker's detail did not fit).
  void OmitFailedIndex(bool omit) { omit_failed_index_ = omit; }

 private:
  struct Row {
    std::string value;
    std::int64_t version = 0;
    std::optional<io::Duration> expires_at;
  };

  // The live row, or null; an expired one is removed.
  Row* Find(const std::string& key, io::Duration now);
  bool Holds(const queen::KvPut& put, io::Duration now);
  std::int64_t Write(const queen::KvPut& put, io::Duration now);

  std::map<std::string, Row> rows_;
  std::int64_t last_version_ = 40;
  bool omit_failed_index_ = false;
};

}  // namespace tidemark::testing
