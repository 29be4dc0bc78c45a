#pragma once
// The key-value documents of the broker (queen-interface 1.3). Writer thread, inside its
// transaction.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "broker/kv_batch.h"
#include "broker/sqlite.h"
#include "io/random.h"

namespace tidemark::broker {

struct KvEntry {
  std::string value;
  std::int64_t version = 0;
  std::optional<Micros> expires_at;
  Micros updated_at;
};

class KvTable {
 public:
  // `db` and `random` must outlive this. `last_version`: the highest ever given out.
  KvTable(Database& db, io::Random& random, std::int64_t last_version);

  // Carries the batch out and returns the answer's body: `{"results":[…]}` or, when a `required`
  // condition was lost and nothing of the batch was done, `{"ok":false,…}`. Writes first, then
  // reads. Errors are the database's.
  Result<std::string> Apply(const std::vector<KvOp>& ops, Micros now);

  // The live value of one key.
  Result<std::optional<KvEntry>> Get(std::string_view ns, std::string_view key, Micros now);

  // Deletes up to `limit` rows that have expired.
  Status Purge(Micros now, std::size_t limit);

 private:
  struct Written {
    bool applied = false;
    std::string_view reason;  // when not applied
    KvEntry entry;            // the row now; version 0: not there
  };

  Result<Written> Write(const KvOp& op, Micros now);
  Result<Written> Increment(const KvOp& op, const std::optional<KvEntry>& row, Micros now);
  Result<Written> Store(const KvOp& op, std::string value, Micros now);
  Result<std::string> ApplyAll(const std::vector<KvOp>& ops, Micros now, bool& lost);
  Status Read(const KvOp& op, Micros now, std::size_t& budget, std::string& out);
  Status ReadMany(const KvOp& op, Micros now, std::size_t& budget, std::string& out);
  Status ReadPrefix(const KvOp& op, Micros now, std::size_t& budget, std::string& out);
  std::int64_t NextVersion();

  Database& db_;
  io::Random& random_;
  std::int64_t last_version_;
  Statement select_;
  Statement upsert_;
  Statement delete_;
  Statement prefix_;
  Statement purge_;
  Statement update_version_;
};

}  // namespace tidemark::broker
