#include "edge/source/file_token.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/digest.h"
#include "base/wire.h"

namespace tidemark::edge {

namespace {

Result<std::uint64_t> HashOfHead(const io::ReadFile& file, std::uint64_t bytes) {
  TIDEMARK_TRY(const auto head, file.Read(0, static_cast<std::int64_t>(bytes)));
  const Sha256Digest digest = Sha256Of(head);
  return WireReader({reinterpret_cast<const char*>(digest.data()), digest.size()}).U64();
}

}  // namespace

std::string EncodeFileMark(const FileMark& mark) {
  std::string place;
  PutVarint(mark.device, place);
  PutVarint(mark.head_bytes, place);
  PutU64(mark.head_hash, place);
  PutVarint(static_cast<std::uint64_t>(mark.offset), place);
  PutVarint(static_cast<std::uint64_t>(mark.since.value()), place);
  return format::EncodeSourceToken({.stream = StreamOf(mark), .place = place});
}

std::string StreamOf(const FileMark& mark) {
  std::string stream;
  PutVarint(mark.inode, stream);
  PutVarint(mark.generation, stream);
  return stream;
}

bool AreOneStream(const FileMark& mark, const FileMark& other) {
  return mark.inode == other.inode && mark.generation == other.generation;
}

bool IsYounger(const FileMark& mark, const FileMark& other) {
  return std::pair(mark.since, mark.generation) > std::pair(other.since, other.generation);
}

std::optional<FileMark> DecodeFileMark(const format::SourceToken& token) {
  FileMark mark;
  WireReader stream(token.stream);
  mark.inode = stream.Varint();
  mark.generation = stream.Varint();
  WireReader place(token.place);
  mark.device = place.Varint();
  mark.head_bytes = place.Varint();
  mark.head_hash = place.U64();
  mark.offset = static_cast<std::int64_t>(place.Varint());
  mark.since = Position(static_cast<std::int64_t>(place.Varint()));
  if (!stream.AtEnd() || !place.AtEnd()) return std::nullopt;
  return mark;
}

Result<bool> Fits(const io::ReadFile& file, const FileMark& mark) {
  TIDEMARK_TRY(const std::int64_t size, file.Size());
  if (size < mark.offset) return false;
  TIDEMARK_TRY(const std::uint64_t hash, HashOfHead(file, mark.head_bytes));
  return hash == mark.head_hash;
}

Result<FileMark> MarkAt(const io::ReadFile& file, FileMark mark, std::int64_t offset) {
  mark.offset = offset;
  mark.head_bytes = static_cast<std::uint64_t>(std::min(offset, kHeadBytes));
  TIDEMARK_TRY(mark.head_hash, HashOfHead(file, mark.head_bytes));
  return mark;
}

std::uint64_t FreeGeneration(const FileMark& mark, const std::vector<FileMark>& others) {
  std::uint64_t generation = mark.generation;
  for (const FileMark& other : others) {
    if (other.inode == mark.inode) generation = std::max(generation, other.generation + 1);
  }
  return generation;
}

Result<FileMark> FindMark(const io::ReadFile& file,
                          const std::vector<FileMark>& marks,
                          const std::vector<FileMark>& of_others) {
  const io::FileIdentity identity = file.identity();
  std::vector<FileMark> known;
  for (const FileMark& mark : marks) {
    const bool is_others = std::ranges::any_of(
        of_others, [&](const FileMark& other) { return AreOneStream(mark, other); });
    if (mark.inode == identity.inode && !is_others) known.push_back(mark);
  }
  std::ranges::sort(known, std::greater{}, [&](const FileMark& mark) {
    return std::tuple(mark.device == identity.device, mark.since, mark.generation);
  });
  for (const FileMark& mark : known) {
    TIDEMARK_TRY(const bool fits, Fits(file, mark));
    if (fits) {
      FileMark found = mark;
      found.device = identity.device;
      return found;
    }
  }
  FileMark fresh{.inode = identity.inode, .generation = 1, .device = identity.device};
  fresh.generation = FreeGeneration(fresh, marks);
  fresh.generation = FreeGeneration(fresh, of_others);
  return MarkAt(file, fresh, 0);
}

}  // namespace tidemark::edge
