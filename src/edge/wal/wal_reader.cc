#include "edge/wal/wal_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "edge/wal/log_scan.h"
#include "edge/wal/wal_writer.h"
#include "format/wal_frame.h"
#include "io/durable_folders.h"

namespace tidemark::edge {

// Where the next item stands.
struct WalReader::Place {
  WalSegment segment;  // as of the read under way: `bytes` and `last` are what is synced
  std::unique_ptr<io::ReadFile> file;
  Epoch epoch;
  std::int64_t offset = 0;        // of the next group or frame; 0: of the header
  std::uint32_t frames_left = 0;  // of the group
  Position at;                    // of the next frame
  Position wanted;                // frames below are passed over
  std::size_t records_read = 0;   // of the last batch
  format::FrameChecksum checksum = format::FrameChecksum::kCompare;

  Result<WalBatch> Read(io::FileSystem& files);
  // What is held from here on. False: nothing.
  bool IsHeld(const HeldGroups& held) const;
  Result<WalBatch> TakeHeld(const HeldGroups& held);

 private:
  Status Open(io::FileSystem& files);
  WalBatch NewBatch() const;
  // Takes what is whole at the beginning of `bytes`; what it would need to take more, or 0.
  Result<std::uint64_t> Take(std::string_view bytes, WalBatch& batch);
  Result<std::uint64_t> TakeGroupHeader(std::string_view bytes, std::size_t& done);
  Result<std::uint64_t> TakeFrame(std::string_view bytes, std::size_t& done, WalBatch& batch);
  Error Damaged(std::int64_t offset, std::string what) const;
};

Error WalReader::Place::Damaged(std::int64_t place, std::string what) const {
  const WalDamage damage{.path = segment.path,
                         .offset = place,
                         .before = at - 1,
                         .after = {},
                         .what = std::move(what)};
  return {.code = ErrorCode::kCorruption, .message = Describe(damage)};
}

Status WalReader::Place::Open(io::FileSystem& files) {
  if (file) return {};
  TIDEMARK_TRY(auto reading, SegmentFile::Open(files, segment.path));
  const auto start = ReadSegmentStart(reading);
  if (!start) {
    if (start.error().code != ErrorCode::kCorruption) return std::unexpected(start.error());
    return std::unexpected(Damaged(0, start.error().message));
  }
  TIDEMARK_TRY(file, files.OpenToRead(segment.path));
  epoch = start->header.epoch;
  offset = start->bytes;
  at = segment.first;
  frames_left = 0;
  return {};
}

WalBatch WalReader::Place::NewBatch() const {
  WalBatch batch;
  batch.records.reserve(records_read + records_read / 8);
  return batch;
}

bool WalReader::Place::IsHeld(const HeldGroups& held) const {
  return held.Find(segment.first, offset) != nullptr;
}

Result<WalBatch> WalReader::Place::TakeHeld(const HeldGroups& held) {
  checksum = format::FrameChecksum::kTrust;
  WalBatch batch = NewBatch();
  const std::int64_t enough = offset + kBatchBytes;
  while (offset < enough) {
    const HeldGroup* const group = held.Find(segment.first, offset);
    if (group == nullptr) break;
    batch.bytes.push_back(group->bytes);
    TIDEMARK_TRY(const auto needs, Take(group->From(offset), batch));
    TIDEMARK_CHECK(needs == 0 && at == group->last + 1, "a group held is not the one written");
  }
  batch.through = at - 1;
  records_read = batch.records.size();
  return batch;
}

Result<WalBatch> WalReader::Place::Read(io::FileSystem& files) {
  TIDEMARK_TRY_VOID(Open(files));
  checksum = format::FrameChecksum::kCompare;
  WalBatch batch = NewBatch();
  std::uint64_t size = kBatchBytes;
  while (batch.records.empty() && at <= segment.last) {
    const auto left = static_cast<std::uint64_t>(segment.bytes - offset);
    const std::uint64_t asked = std::min(size, left);
    // What follows in the file is as good a padding as any, and costs no copy.
    const auto padded = static_cast<std::int64_t>(asked + WalBatch::kReadPadding);
    TIDEMARK_TRY(std::string bytes, file->Read(offset, padded));
    const std::size_t read = std::min<std::size_t>(bytes.size(), asked);
    bytes.resize(read + WalBatch::kReadPadding);
    batch.bytes = {std::make_shared<const std::string>(std::move(bytes))};
    const std::int64_t before = offset;
    TIDEMARK_TRY(const auto needs,
                 Take(std::string_view(*batch.bytes.front()).substr(0, read), batch));
    if (offset == before && (needs > left || read < asked)) {
      return std::unexpected(Damaged(offset, "the segment is cut short"));
    }
    size = std::max<std::uint64_t>(kBatchBytes, needs);
  }
  batch.through = at - 1;
  records_read = batch.records.size();
  return batch;
}

Result<std::uint64_t> WalReader::Place::Take(std::string_view bytes, WalBatch& batch) {
  std::size_t done = 0;
  std::uint64_t needs = 0;
  const std::int64_t begin = offset;
  while (needs == 0 && at <= segment.last) {
    if (frames_left == 0) {
      TIDEMARK_TRY(needs, TakeGroupHeader(bytes, done));
    } else {
      TIDEMARK_TRY(needs, TakeFrame(bytes, done, batch));
    }
    offset = begin + static_cast<std::int64_t>(done);
    // A group that was passed over may end beyond what was read.
    if (done >= bytes.size()) break;
  }
  return needs;
}

Result<std::uint64_t> WalReader::Place::TakeGroupHeader(std::string_view bytes, std::size_t& done) {
  if (bytes.size() - done < format::kWalGroupHeaderBytes) return format::kWalGroupHeaderBytes;
  const auto header = format::DecodeWalGroupHeader(bytes.substr(done));
  if (!header) return std::unexpected(Damaged(offset, header.error().message));
  if (header->epoch != epoch || header->first != at) {
    return std::unexpected(
        Damaged(offset, fmt::format("a group of position {}", header->first.value())));
  }
  done += format::kWalGroupHeaderBytes;
  if (at + header->frames <= wanted) {
    at = at + header->frames;
    done += header->bytes;
  } else {
    frames_left = header->frames;
  }
  return 0;
}

Result<std::uint64_t> WalReader::Place::TakeFrame(std::string_view bytes,
                                                  std::size_t& done,
                                                  WalBatch& batch) {
  const auto rest = bytes.substr(done);
  if (rest.size() < format::kFrameHeadBytes) return format::kFrameHeadBytes;
  const std::uint64_t size = format::FrameBytesOf(rest);
  if (size > rest.size()) return size;
  const auto record = format::DecodeFrame(rest.substr(0, size), checksum);
  if (!record) return std::unexpected(Damaged(offset, record.error().message));
  if (record->position != at) {
    return std::unexpected(
        Damaged(offset, fmt::format("a frame of position {}", record->position.value())));
  }
  if (at >= wanted) batch.records.push_back(*record);
  done += size;
  --frames_left;
  ++at;
  return 0;
}

WalReader::WalReader(Wal& wal, io::WorkerPool& pool, Position from)
    : wal_(wal), pool_(pool), next_(from), synced_(wal.writer_->world().loop) {
  TIDEMARK_CHECK(from > Position(0));
  wal_.writer_->AddReader(*this);
}

WalReader::~WalReader() { wal_.writer_->RemoveReader(*this); }

void WalReader::Stop() {
  stopped_ = true;
  synced_.Notify();
}

// The segment that holds next_, which is synced; passes over a hole in front of it.
Result<WalSegment> WalReader::Seek(std::vector<format::PositionRange>& holes) {
  const auto& segments = wal_.segments();
  if (next_ <= segments.front().follows) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("position {} is not in the write-ahead log any more: it begins at {}",
                            next_.value(),
                            segments.front().first.value()));
  }
  const auto found = std::ranges::find_if(
      segments, [this](const WalSegment& segment) { return segment.last >= next_; });
  TIDEMARK_CHECK(found != segments.end(), "position {} is in no segment", next_.value());
  if (next_ < found->first) {
    holes.push_back({.first = next_, .last = found->first - 1});
    next_ = found->first;
  }
  return *found;
}

io::Task<Result<WalBatch>> WalReader::ReadBatch() {
  const HeldGroups& held = wal_.writer_->held();
  if (place_->IsHeld(held)) co_return place_->TakeHeld(held);
  io::FileSystem& files = wal_.writer_->world().files;
  const auto read = [&] { return place_->Read(files); };
  co_return co_await io::RunOn(wal_.writer_->world().loop, pool_, read);
}

io::Task<Result<std::optional<WalBatch>>> WalReader::Next() {
  using Answer = Result<std::optional<WalBatch>>;
  while (!stopped_ && AtEnd()) co_await synced_;
  if (stopped_) co_return Answer(std::nullopt);
  std::vector<format::PositionRange> holes;
  auto segment = Seek(holes);
  if (!segment) co_return Answer(std::unexpected(std::move(segment.error())));
  if (!place_ || place_->segment.first != segment->first) place_ = std::make_unique<Place>();
  place_->segment = std::move(*segment);
  place_->wanted = next_;
  auto batch = co_await ReadBatch();
  if (!batch) {
    place_.reset();
    co_return Answer(std::unexpected(std::move(batch.error())));
  }
  batch->holes = std::move(holes);
  next_ = batch->through + 1;
  wal_.writer_->LetGo();
  co_return Answer(std::move(*batch));
}

}  // namespace tidemark::edge
