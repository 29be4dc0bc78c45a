#include "edge/source/file_marks.h"

#include <algorithm>
#include <optional>

namespace tidemark::edge {

FileMarks::FileMarks(std::string source, Wal& wal, std::size_t closed_max)
    : source_(std::move(source)), wal_(wal), closed_max_(closed_max) {
  for (const auto& token : wal_.Streams(source_)) {
    if (const auto mark = DecodeFileMark(token)) known_[{mark->inode, mark->generation}] = *mark;
  }
}

std::vector<FileMark> FileMarks::Of(std::uint64_t inode) const {
  std::vector<FileMark> marks;
  for (auto at = known_.lower_bound({inode, 0}); at != known_.end(); ++at) {
    if (at->first.first != inode) break;
    marks.push_back(at->second);
  }
  return marks;
}

void FileMarks::Take(const FileMark& mark, const IsOpen& is_open) {
  const bool is_new = known_.insert_or_assign({mark.inode, mark.generation}, mark).second;
  ForgetBefore(mark, is_open);
  if (is_new && known_.size() > closed_max_) ForgetOldest(is_open);
}

void FileMarks::Forget(const FileMark& mark) {
  wal_.Forget(source_, StreamOf(mark));
  known_.erase({mark.inode, mark.generation});
}

// On one device an inode is one file at a time. Of another device it may be another file.
void FileMarks::ForgetBefore(const FileMark& mark, const IsOpen& is_open) {
  for (const FileMark& other : Of(mark.inode)) {
    const bool is_before = IsYounger(mark, other) && other.device == mark.device;
    if (is_before && !is_open(other)) Forget(other);
  }
}

void FileMarks::ForgetOldest(const IsOpen& is_open) {
  std::vector<FileMark> closed;
  for (const auto& [stream, mark] : known_) {
    if (!is_open(mark)) closed.push_back(mark);
  }
  if (closed.size() <= closed_max_) return;
  std::ranges::sort(closed, IsYounger);
  for (std::size_t i = closed_max_; i < closed.size(); ++i) Forget(closed[i]);
}

}  // namespace tidemark::edge
