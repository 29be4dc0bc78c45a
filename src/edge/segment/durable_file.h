#pragma once
// Small files of a sink that are replaced as a whole, and logs that grow: both survive a power
// loss.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/durable_folders.h"
#include "io/file_system.h"

namespace tidemark::edge {

// Where a sink writes. `files` outlives it; one thread.
struct SinkFolder {
  explicit SinkFolder(io::FileSystem& file_system, std::string folder)
      : files(file_system), folders(file_system), path(std::move(folder)) {}

  std::string Sub(std::string_view name) const { return path + "/" + std::string(name); }

  io::FileSystem& files;
  io::DurableFolders folders;
  std::string path;  // absolute
};

// nullopt when there is no such file.
Result<std::optional<std::string>> ReadWhole(io::FileSystem& files, const std::string& path);

// Replaces `<folder>/<name>` at once and durably. The file stays open, and locked, for a log that
// goes on growing.
Result<std::unique_ptr<io::File>> ReplaceDurably(SinkFolder& folder,
                                                 const std::string& name,
                                                 std::string_view bytes);

// A file that only grows. The first failure stays: after it nothing is appended any more, and a
// restart cuts what may be half there.
class DurableLog {
 public:
  // Begins `<folder>/<name>` anew with `content`.
  static Result<DurableLog> Begin(SinkFolder& folder,
                                  const std::string& name,
                                  std::string_view content);

  // The same piece by piece: what is appended until Publish is not yet `<folder>/<name>`, which
  // stays what it was.
  static Result<DurableLog> Prepare(SinkFolder& folder, const std::string& name);
  Status Publish(SinkFolder& folder, const std::string& name);

  // Goes on with `<folder>/<name>` behind its first `end` bytes; what follows them is cut. What
  // stands before `vouched` is known to be on disk, whatever happened; the rest is written again,
  // since after a failed sync the system may show what the disk has not. Durable when it returns.
  static Result<DurableLog> GoOn(SinkFolder& folder,
                                 const std::string& name,
                                 std::int64_t vouched,
                                 std::int64_t end);

  Status Append(std::string_view bytes);
  // What was appended is durable from here on.
  Status Sync();

  std::int64_t bytes() const { return bytes_; }

 private:
  DurableLog(std::unique_ptr<io::File> file, std::string path, std::int64_t bytes)
      : file_(std::move(file)), path_(std::move(path)), bytes_(bytes) {}

  Status WriteAgain(io::FileSystem& files, std::int64_t from);
  Status Keep(Status status);

  std::unique_ptr<io::File> file_;
  std::string path_;
  std::int64_t bytes_ = 0;
  std::optional<Error> failure_;
};

}  // namespace tidemark::edge
