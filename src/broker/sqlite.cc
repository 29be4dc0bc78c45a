#include "broker/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "base/check.h"

namespace tidemark::broker {

namespace {

std::unexpected<Error> SqliteError(sqlite3* db, std::string_view what) {
  const int code = sqlite3_extended_errcode(db);
  ErrorCode error = ErrorCode::kInternal;
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
      error = ErrorCode::kExhausted;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      error = ErrorCode::kCorruption;
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      error = ErrorCode::kUnavailable;
      break;
    default:
      break;
  }
  return Fail(error, fmt::format("{}: {} (sqlite {})", what, sqlite3_errmsg(db), code));
}

// After every commit. A checkpoint every 64 MiB of log keeps its two syncs rare beside the commits'
// own. One that runs beside readers leaves the log's end, and with readers all the time the log
// would never start over: at 512 MiB it waits for those under way (they are short; new ones no
// longer need the log).
int CheckpointWhenLarge(void* /*context*/, sqlite3* db, const char* name, int pages) {
  constexpr int kPassivePages = 8192;
  constexpr int kRestartPages = 65'536;
  if (pages < kPassivePages) return SQLITE_OK;
  const int mode = pages < kRestartPages ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART;
  // A failure leaves the log as it is; the next commit tries again.
  sqlite3_wal_checkpoint_v2(db, name, mode, nullptr, nullptr);
  return SQLITE_OK;
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteError(sqlite3_db_handle(statement_), "step");
}

Status Statement::Run() {
  while (true) {
    const Result<bool> row = Step();
    if (row && *row) continue;
    Reset();
    if (!row) return std::unexpected(row.error());
    return {};
  }
}

void Statement::Reset() { sqlite3_reset(statement_); }

std::int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Statement::Blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::int64_t Statement::BlobSize(int column) const {
  return sqlite3_column_bytes(statement_, column);
}

void Statement::Bind(int index, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_, index, value);
  TIDEMARK_CHECK(code == SQLITE_OK, "bind {}: {}", index, code);
}

void Statement::Bind(int index, std::string_view text) {
  const int code = sqlite3_bind_text64(statement_,
                                       index,
                                       text.data() == nullptr ? "" : text.data(),
                                       text.size(),
                                       SQLITE_STATIC,
                                       SQLITE_UTF8);
  TIDEMARK_CHECK(code == SQLITE_OK, "bind {}: {}", index, code);
}

void Statement::Bind(int index, AsBlob blob) {
  const int code = sqlite3_bind_blob64(statement_,
                                       index,
                                       blob.bytes.data() == nullptr ? "" : blob.bytes.data(),
                                       blob.bytes.size(),
                                       SQLITE_STATIC);
  TIDEMARK_CHECK(code == SQLITE_OK, "bind {}: {}", index, code);
}

void Statement::Bind(int index, Null /*null*/) {
  const int code = sqlite3_bind_null(statement_, index);
  TIDEMARK_CHECK(code == SQLITE_OK, "bind {}: {}", index, code);
}

Result<Database> Database::Open(const std::string& path, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database db(raw);
  if (code != SQLITE_OK) return SqliteError(raw, fmt::format("open {}", path));
  // Only a checkpoint at the wrong moment can make a connection wait, and never for long.
  sqlite3_busy_timeout(raw, 10'000);
  return db;
}

Result<Database> Database::OpenForWriting(const std::string& path) {
  TIDEMARK_TRY(Database db, Open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  // The page size counts only before the first table.
  TIDEMARK_TRY_VOID(
      db.Execute("PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                 "PRAGMA cache_size=-65536; PRAGMA journal_size_limit=134217728"));
  sqlite3_wal_hook(db.db_.get(), &CheckpointWhenLarge, nullptr);
  return db;
}

Result<Database> Database::OpenForReading(const std::string& path) {
  TIDEMARK_TRY(Database db, Open(path, SQLITE_OPEN_READONLY));
  TIDEMARK_TRY_VOID(db.Execute("PRAGMA cache_size=-16384"));
  return db;
}

void Database::Closer::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Status Database::Execute(const char* sql) {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return SqliteError(db_.get(), sql);
  }
  return {};
}

Statement Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_.get(),
                                      sql.data(),
                                      static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT,
                                      &statement,
                                      nullptr);
  TIDEMARK_CHECK(code == SQLITE_OK, "{}: {}", sql, sqlite3_errmsg(db_.get()));
  return Statement(statement);
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(db_.get()); }

std::int64_t Database::changes() const { return sqlite3_changes64(db_.get()); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

}  // namespace tidemark::broker
