#include "broker/schema.h"

#include <fmt/format.h>

#include <bit>

namespace tidemark::broker {

namespace {

// Segments are appended in the order of their stamps, so that one push of many lanes writes
// neighbouring pages; the index finds a lane's. `data` stands last: the columns before it are read
// without touching its pages.
constexpr const char* kTables = R"(
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE queues(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, options TEXT NOT NULL);
CREATE TABLE partitions(
  id INTEGER PRIMARY KEY AUTOINCREMENT, queue_id INTEGER NOT NULL, name TEXT NOT NULL,
  log_start INTEGER NOT NULL, next_offset INTEGER NOT NULL, last_write_at INTEGER NOT NULL,
  UNIQUE(queue_id, name));
CREATE TABLE segments(
  id INTEGER PRIMARY KEY, partition_id INTEGER NOT NULL, base_offset INTEGER NOT NULL,
  record_count INTEGER NOT NULL, ts INTEGER NOT NULL, payload_bytes INTEGER NOT NULL,
  marks BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX segments_by_offset ON segments(partition_id, base_offset);
CREATE TABLE dead_partitions(id INTEGER PRIMARY KEY);
CREATE TABLE kv(
  ns TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL,
  expires_at INTEGER, updated_at INTEGER NOT NULL, PRIMARY KEY(ns, key)) WITHOUT ROWID;
CREATE INDEX kv_by_expiry ON kv(expires_at) WHERE expires_at IS NOT NULL;
)";

Status CreateTables(Database& db, const SipKey& key) {
  TIDEMARK_TRY_VOID(db.Execute("BEGIN IMMEDIATE"));
  TIDEMARK_TRY_VOID(db.Execute(kTables));
  Statement insert = db.Prepare("INSERT INTO meta(name, value) VALUES(?1, ?2)");
  const auto put = [&](std::string_view name, std::int64_t value) {
    return insert.With(name, value).Run();
  };
  TIDEMARK_TRY_VOID(put("format", kStoreFormat));
  TIDEMARK_TRY_VOID(put("floor", 0));
  TIDEMARK_TRY_VOID(put("kv_version", 0));
  TIDEMARK_TRY_VOID(put("dedup_key_0", std::bit_cast<std::int64_t>(key[0])));
  TIDEMARK_TRY_VOID(put("dedup_key_1", std::bit_cast<std::int64_t>(key[1])));
  return db.Execute("COMMIT");
}

Result<std::int64_t> ReadMeta(Database& db, std::string_view name) {
  Statement select = db.Prepare("SELECT value FROM meta WHERE name = ?1");
  TIDEMARK_TRY(const bool found, select.With(name).Step());
  if (!found) return Fail(ErrorCode::kCorruption, fmt::format("meta has no \"{}\"", name));
  return select.Int(0);
}

Status LoadPartitions(Database& db, QueueId id, const std::string& queue, Catalog& catalog) {
  Statement select = db.Prepare(
      "SELECT id, name, log_start, next_offset, last_write_at FROM partitions WHERE queue_id = ?1");
  select.With(id.value());
  Catalog::Update update(catalog);
  while (true) {
    TIDEMARK_TRY(const bool row, select.Step());
    if (!row) return {};
    const PartitionState state{.log_start = Offset(select.Int(2)),
                               .next = Offset(select.Int(3)),
                               .last_write_at = Micros(select.Int(4))};
    update.PutPartition({.id = PartitionId(select.Int(0)),
                         .queue = queue,
                         .name = std::string(select.Text(1)),
                         .state = state});
  }
}

}  // namespace

Result<StoreMeta> OpenSchema(Database& db, const SipKey& fresh_key) {
  Statement any = db.Prepare("SELECT count(*) FROM sqlite_schema");
  TIDEMARK_TRY_VOID(any.Step());
  const bool empty = any.Int(0) == 0;
  any.Reset();
  if (empty) TIDEMARK_TRY_VOID(CreateTables(db, fresh_key));

  Statement is_ours = db.Prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'");
  TIDEMARK_TRY_VOID(is_ours.Step());
  if (is_ours.Int(0) == 0) return Fail(ErrorCode::kCorruption, "not a broker's database");
  TIDEMARK_TRY(const std::int64_t format, ReadMeta(db, "format"));
  if (format != kStoreFormat) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("the data is of format {}; this program reads {}", format, kStoreFormat));
  }
  StoreMeta meta;
  TIDEMARK_TRY(const std::int64_t floor, ReadMeta(db, "floor"));
  TIDEMARK_TRY(meta.kv_version, ReadMeta(db, "kv_version"));
  TIDEMARK_TRY(const std::int64_t key_0, ReadMeta(db, "dedup_key_0"));
  TIDEMARK_TRY(const std::int64_t key_1, ReadMeta(db, "dedup_key_1"));
  meta.floor = Micros(floor);
  meta.dedup_key = {std::bit_cast<std::uint64_t>(key_0), std::bit_cast<std::uint64_t>(key_1)};
  return meta;
}

Status LoadCatalog(Database& db, Catalog& catalog) {
  Statement select = db.Prepare("SELECT id, name, options FROM queues");
  while (true) {
    TIDEMARK_TRY(const bool row, select.Step());
    if (!row) return {};
    const QueueId id(select.Int(0));
    const std::string name(select.Text(1));
    JsonCursor json(select.Text(2));
    auto options = ReadQueueOptions(json);
    if (!options) return Annotate(options.error(), fmt::format("stored options of \"{}\"", name));
    Catalog::Update(catalog).PutQueue(name, id, *options);
    TIDEMARK_TRY_VOID(LoadPartitions(db, id, name, catalog));
  }
}

}  // namespace tidemark::broker
