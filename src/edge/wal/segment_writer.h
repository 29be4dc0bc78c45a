#pragma once
// The segment being written. Blocking; one thread at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/wal_segment.h"
#include "io/file_system.h"

namespace tidemark::edge {

class SegmentWriter {
 public:
  // Makes the segment with `groups` in it, durable in all its parts before it gets its name: a
  // segment that is there has a whole header. Replaces one of the same first position, which held
  // nothing durable. After an error nothing of it is there.
  static Result<SegmentWriter> Create(io::FileSystem& files,
                                      const std::string& folder,
                                      const format::WalSegmentHeader& header,
                                      std::string_view groups);

  // Puts one group at the end, and on disk when `sync`. kExhausted: the disk is full, and the file
  // ends where it did. Any other error: what the file holds behind its old end is unknown, and it
  // must not be written any more.
  Status Append(std::string_view group, bool sync);

  // Bytes [begin, end) are synced, and nobody is expected to read them.
  void DropCached(std::int64_t begin, std::int64_t end) { file_->DropCached(begin, end); }

  const std::string& path() const { return path_; }

  std::int64_t bytes() const { return bytes_; }

  // Of these; the rest is groups.
  std::int64_t header_bytes() const { return header_bytes_; }

 private:
  SegmentWriter(std::string path,
                std::unique_ptr<io::File> file,
                std::int64_t header_bytes,
                std::int64_t bytes)
      : path_(std::move(path)),
        file_(std::move(file)),
        header_bytes_(header_bytes),
        bytes_(bytes) {}

  std::string path_;
  std::unique_ptr<io::File> file_;
  std::int64_t header_bytes_;
  std::int64_t bytes_;
};

// Writes `bytes` to a new file `folder`/`name`, durably, replacing what was there. After an error
// nothing new is there.
Status PublishFile(io::FileSystem& files,
                   const std::string& folder,
                   std::string_view name,
                   std::string_view bytes);

}  // namespace tidemark::edge
