#pragma once
// SQLite as RAII and Result. A Database and its Statements belong to one thread at a time.
//
// Errors: kExhausted (disk full), kCorruption (damaged file, or not one of ours), kUnavailable
// (locked, input/output error), kInternal (anything else).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tidemark::broker {

// Marks a parameter as a blob, or as NULL.
struct AsBlob {
  std::string_view bytes;
};

struct Null {};

// A prepared statement. Rows' texts and blobs are valid until the next Step or Reset.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Starts afresh with these parameters: integers, texts, blobs, nulls. Not copied: they
  // must live until Reset.
  template <typename... Args>
  Statement& With(const Args&... args) {
    Reset();
    int index = 0;
    (Bind(++index, args), ...);
    return *this;
  }

  // True: a row is there. False: done.
  Result<bool> Step();
  // Steps to the end, rows dropped, and resets.
  Status Run();
  void Reset();

  std::int64_t Int(int column) const;
  bool IsNull(int column) const;
  std::string_view Text(int column) const;
  std::string_view Blob(int column) const;
  // Size of a blob without reading it.
  std::int64_t BlobSize(int column) const;

 private:
  void Bind(int index, std::int64_t value);
  void Bind(int index, std::string_view text);
  void Bind(int index, AsBlob blob);
  void Bind(int index, Null null);

  sqlite3_stmt* statement_;
};

class Database {
 public:
  // Opens, or creates, `path` for writing: WAL mode, every commit synced to disk.
  static Result<Database> OpenForWriting(const std::string& path);
  // Opens an existing database for reading beside its writer.
  static Result<Database> OpenForReading(const std::string& path);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  Status Execute(const char* sql);
  // CHECKs that `sql` is well-formed: statements are part of the program.
  Statement Prepare(std::string_view sql);

  std::int64_t last_insert_id() const;
  // Rows touched by the last INSERT, UPDATE or DELETE.
  std::int64_t changes() const;
  bool in_transaction() const;

 private:
  struct Closer {
    void operator()(sqlite3* db) const;
  };

  explicit Database(sqlite3* db) : db_(db) {}

  static Result<Database> Open(const std::string& path, int flags);

  std::unique_ptr<sqlite3, Closer> db_;
};

}  // namespace tidemark::broker
