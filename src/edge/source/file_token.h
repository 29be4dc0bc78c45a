#pragma once
// How a file source knows a file again after a restart, whatever it is called by then, and how far
// it had read: its source token (docs/formats/wal.md).
//
// The stream is the file's inode and a generation, which tells apart the files that had that inode
// one after another, or have it at one time on several devices. The place holds the offset, and the
// length and hash of the file's first bytes: a file whose beginning has changed is another one; and
// how far the log was when the file was first seen: of two files that had the inode, the younger
// one says more. The device is a hint only; its number may change when the machine starts again.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_int.h"
#include "format/source_token.h"
#include "io/file_system.h"

namespace tidemark::edge {

struct FileMark {
  std::uint64_t inode = 0;
  std::uint64_t generation = 0;
  std::uint64_t device = 0;
  std::uint64_t head_bytes = 0;
  std::uint64_t head_hash = 0;
  std::int64_t offset = 0;  // all before it is in the log
  Position since = {};      // the log was there when the file was first seen; 0: it is new

  bool operator==(const FileMark&) const = default;
};

// Of so many bytes at most; less where less has been read.
inline constexpr std::int64_t kHeadBytes = 4096;

std::string EncodeFileMark(const FileMark& mark);

// The stream of its token.
std::string StreamOf(const FileMark& mark);

// They are one stream: marks of one file, in one of its lives.
bool AreOneStream(const FileMark& mark, const FileMark& other);

// `mark` stands for a later life of the inode than `other`.
bool IsYounger(const FileMark& mark, const FileMark& other);

// nullopt for a token that no file source wrote.
std::optional<FileMark> DecodeFileMark(const format::SourceToken& token);

// Where to go on in `file`: the youngest mark that fits it (its beginning is the
// same, it has at least so many bytes, and of several the one of the same device), or one of a new
// generation at offset 0. `marks` are all of the source; those in `of_others` belong to other files
// that are there now. Blocking.
Result<FileMark> FindMark(const io::ReadFile& file,
                          const std::vector<FileMark>& marks,
                          const std::vector<FileMark>& of_others = {});

// The generation of `mark`, or the first behind those of its inode in `others`.
std::uint64_t FreeGeneration(const FileMark& mark, const std::vector<FileMark>& others);

// `mark` moved on to `offset`, with the beginning of the file as it is now. Blocking.
Result<FileMark> MarkAt(const io::ReadFile& file, FileMark mark, std::int64_t offset);

// Whether the beginning of the file is still that of `mark`, and the file not shorter. Blocking.
Result<bool> Fits(const io::ReadFile& file, const FileMark& mark);

}  // namespace tidemark::edge
