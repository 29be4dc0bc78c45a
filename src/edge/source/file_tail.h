#pragma once
// One file being read line by line, over renames, truncation and restarts. Blocking; one thread at
// a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edge/source/file_token.h"
#include "io/file_system.h"

namespace tidemark::edge {

struct TailLimits {
  std::int64_t batch_bytes = 1 << 20;
  std::size_t batch_lines = 16'384;  // short lines weigh more in memory than their bytes
  std::int64_t max_record_bytes = 16 << 20;
};

// Lines that follow each other; views into `bytes`.
struct LineBatch {
  struct Record {
    std::string_view payload;
    std::uint64_t full_bytes = 0;  // as in format::WalRecord
  };

  std::unique_ptr<const std::string> bytes;
  std::vector<Record> records;
  FileMark mark;           // how far the file has been read when these are taken in
  bool restarted = false;  // the file was found truncated or rewritten and begins anew here
  bool at_end = false;     // nothing more is there now
};

class FileTail {
 public:
  FileTail(std::unique_ptr<io::ReadFile> file, FileMark mark, TailLimits limits)
      : file_(std::move(file)), mark_(mark), limits_(limits) {}

  io::FileIdentity identity() const { return file_->identity(); }

  // As of the last Advance.
  const FileMark& mark() const { return mark_; }

  // False: the file was removed.
  Result<bool> HasName() const { return file_->HasName(); }

  // The next lines, about limits.batch_bytes of them and no more than
  // limits.batch_lines; none when there is no whole line. `to_end`:
  // what follows the last line feed is a line too. A line above max_record_bytes is cut to
  // kCutBytes. Reads the same again until Advance.
  Result<LineBatch> Read(bool to_end);

  // To be called with a batch that begins anew, before it is in the log: where another file had
  // that inode and generation, the caller gives one that is free.
  void BeginAnewAs(std::uint64_t generation, LineBatch& batch) {
    mark_.generation = generation;
    batch.mark.generation = generation;
  }

  // The batch is in the log.
  void Advance(const LineBatch& batch) { mark_ = batch.mark; }

  // What is left of a line that was too long.
  static constexpr std::size_t kCutBytes = 64 << 10;

 private:
  Result<bool> Restart();
  Status ReadLongLine(LineBatch& batch, std::int64_t& end, bool to_end);

  std::unique_ptr<io::ReadFile> file_;
  FileMark mark_;
  TailLimits limits_;
};

}  // namespace tidemark::edge
