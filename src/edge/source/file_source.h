#pragma once
// Takes in the lines of files. Each batch carries how far its file has been read, in the same group
// of the log as its last line, so that no line is taken twice or left out, whenever the process
// dies.

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/source/file_marks.h"
#include "edge/source/file_tail.h"
#include "edge/source/source.h"
#include "edge/wal/wal.h"
#include "io/async.h"
#include "io/file_system.h"
#include "io/worker_pool.h"

namespace tidemark::edge {

struct FileSourceOptions {
  std::string id = {};
  std::vector<std::string> paths = {};  // absolute, with `*`, `?`, `[…]` (glob.h)
  // `{basename}`: the file's name when it was first seen, bytes that are no UTF-8 as %XX.
  std::string topic = "{basename}";
  // Goes on with what is appended, through renames and truncation, and looks for new files; else
  // reads what is there to its end.
  bool follow = false;
  io::Duration poll_interval = std::chrono::milliseconds(250);
  // A file that no pattern names any more is read so long after its last line.
  io::Duration gone_after = std::chrono::seconds(5);
  TailLimits limits = {};
};

// Belongs to the loop's thread; everything borrowed outlives it.
class FileSource final : public Source {
 public:
  // Told once what happens and may matter: a file truncated, one that cannot be read.
  using OnNote = std::function<void(const std::string& note)>;

  FileSource(FileSourceOptions options,
             Wal& wal,
             io::FileSystem& files,
             io::Loop& loop,
             io::WorkerPool& pool,
             OnNote on_note);

  // Runs until `stop`, or until all is read when it does not follow. Errors: a path without a
  // pattern that is not there (kNotFound) and unreadable files, when it does not follow; a failed
  // log.
  io::Task<Status> Run(std::stop_token stop) override;

  SourceCounters counters() const override { return counters_; }

  std::string stuck() const override { return stuck_; }

 private:
  struct OpenFile {
    std::string topic;
    FileTail tail;
    bool named = true;         // by a pattern, at the last look
    io::Duration last_line{};  // when one was taken, or the file was found to be gone
  };

  struct Found {
    std::string path;
    std::unique_ptr<io::ReadFile> file;
    FileMark mark;
  };

  struct Look {
    std::vector<Found> fresh;
    std::vector<io::FileIdentity> known;
    std::string note;
  };

  // On the pool.
  Result<Look> LookForFiles() const;
  Status LookAt(const std::string& path, Look& look) const;
  bool IsOpen(const io::FileIdentity& identity) const;
  bool IsBeingRead(const FileMark& mark) const;
  // Of the files of that inode that are being read, on whatever device, without this one.
  std::vector<FileMark> MarksOfOthers(const io::FileIdentity& identity) const;
  void BeginAnew(OpenFile& file, LineBatch& batch);

  io::Task<Status> FindFiles();
  io::Task<Status> TakeAll(std::stop_token stop);
  // One batch of the file; true when there may be more now.
  io::Task<Result<bool>> TakeSome(OpenFile& file, bool to_end, std::stop_token stop);
  io::Task<Status> Append(const OpenFile& file, const LineBatch& batch, std::stop_token stop);
  io::Task<Status> CloseGone(std::stop_token stop);
  io::Task<Status> Close(const OpenFile& file);
  void Note(const std::string& note);

  const FileSourceOptions options_;
  Wal& wal_;
  FileMarks marks_;
  io::FileSystem& files_;
  io::Loop& loop_;
  io::WorkerPool& pool_;
  OnNote on_note_;
  std::string last_note_;
  std::vector<std::unique_ptr<OpenFile>> open_;  // in the order they were found
  SourceCounters counters_;
  std::string stuck_;
};

}  // namespace tidemark::edge
