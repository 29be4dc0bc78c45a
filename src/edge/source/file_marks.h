#pragma once
// How far a file source has read each file it knows: the latest places of its streams in the
// write-ahead log, and which of them need not be known any more.
//
// Forgotten are the file that no name leads to any more, once all of it is in the log; what a file
// was before it was truncated, or before its inode was given to another, once a line of what it is
// now is in the log; and beyond a number of files, those first seen longest ago that are not open.
// A file that comes back under a name of the source is known until then. A crash may bring back
// what was forgotten: it is older than what has taken its place, and FindMark prefers the younger.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "edge/source/file_token.h"
#include "edge/wal/wal.h"

namespace tidemark::edge {

// Belongs to the loop's thread; Of may be called on another while that one waits. `wal` outlives
// it.
class FileMarks {
 public:
  // Files that are not open and known nevertheless.
  static constexpr std::size_t kClosedMax = 4096;

  FileMarks(std::string source, Wal& wal, std::size_t closed_max = kClosedMax);

  // All of an inode.
  std::vector<FileMark> Of(std::uint64_t inode) const;

  // The mark is in the log. `is_open` tells the files that are being read, this one among them.
  using IsOpen = std::function<bool(const FileMark& mark)>;
  void Take(const FileMark& mark, const IsOpen& is_open);

  // The file is gone for good, and all of it is in the log.
  void Forget(const FileMark& mark);

  std::size_t size() const { return known_.size(); }

 private:
  using Stream = std::pair<std::uint64_t, std::uint64_t>;  // inode, generation

  void ForgetBefore(const FileMark& mark, const IsOpen& is_open);
  void ForgetOldest(const IsOpen& is_open);

  std::string source_;
  Wal& wal_;
  std::size_t closed_max_;
  std::map<Stream, FileMark> known_;
};

}  // namespace tidemark::edge
