#pragma once
// The frames of a sink's append-only log (format/log_frame.h), read one after the other: of a log
// of any length, memory holds a chunk, or one frame where that is longer.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"

namespace tidemark::edge {

// Blocking; one thread at a time.
class LogFrames {
 public:
  // nullopt when there is no such file. kCorruption: it has bytes and does not begin with `magic`.
  static Result<std::optional<LogFrames>> Open(io::FileSystem& files,
                                               const std::string& path,
                                               std::string_view magic);

  // The next frame with its header, checked; valid until the next call. nullopt: what stands at
  // end() is no whole frame.
  Result<std::optional<std::string_view>> Next();

  // Up to so many bytes behind end(), frames or not; valid until the next call.
  Result<std::string_view> Ahead(std::int64_t bytes);

  void Skip(std::int64_t bytes) { end_ += bytes; }

  // Where the last frame ended, or the magic.
  std::int64_t end() const { return end_; }

  // Of the file, as of Open.
  std::int64_t size() const { return size_; }

 private:
  LogFrames(std::unique_ptr<io::ReadFile> file, std::int64_t size)
      : file_(std::move(file)), size_(size) {}

  Result<bool> IsWhole(std::int64_t bytes, std::uint32_t crc) const;

  std::unique_ptr<io::ReadFile> file_;
  std::int64_t size_;
  std::int64_t end_ = 0;
  std::string chunk_;
  std::int64_t chunk_begin_ = 0;
};

// The body of a frame that LogFrames gave.
std::string_view BodyOf(std::string_view frame);

}  // namespace tidemark::edge
