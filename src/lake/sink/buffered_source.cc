#include "lake/sink/buffered_source.h"

#include <algorithm>

#include "base/lz4_block.h"

namespace tidemark::lake {

namespace {

constexpr std::uint32_t kBatchRecords = 4096;

bool HoldsNothingPacked(const Plan& plan) {
  return std::ranges::none_of(plan.lanes, [](const PlannedLane& lane) {
    return std::ranges::any_of(lane.runs, [](const Run& run) { return run.body->packed(); });
  });
}

// What reading a block takes: one that is not compressed is read where it lies.
std::size_t UnpackedBytes(const queen::PackedBlock* block) {
  return block != nullptr && block->compressed() ? block->size : 0;
}

}  // namespace

BufferedSource::BufferedSource(io::Loop& loop, io::WorkerPool& pool, const Plan& plan)
    : loop_(loop), pool_(pool), plan_(plan), stable_(HoldsNothingPacked(plan)) {}

void BufferedSource::Rewind() {
  lane_ = run_ = 0;
  record_ = 0;
}

bool BufferedSource::SkipToRecords() {
  for (; lane_ < plan_.lanes.size(); ++lane_, run_ = 0) {
    const auto& runs = plan_.lanes[lane_].runs;
    for (; run_ < runs.size(); ++run_, record_ = 0) {
      if (record_ < runs[run_].view().size()) return true;
    }
  }
  return false;
}

// A block is taken whole, as far as the run goes: else it would be unpacked again.
BufferedSource::Piece BufferedSource::NextPiece() const {
  const PlannedLane& lane = plan_.lanes[lane_];
  const Run& run = lane.runs[run_];
  const std::uint32_t begin = run.begin + record_;
  Piece piece{.lane = &lane, .run = &run, .records = {begin, run.end}};
  if (run.body->packed()) {
    piece.block = &run.body->BlockOf(begin);
    piece.records.end = std::min(run.end, piece.block->end);
  } else {
    piece.records.end = std::min(run.end, begin + kBatchRecords);
  }
  return piece;
}

void BufferedSource::PlanBatch() {
  pieces_.clear();
  std::size_t records = 0;
  std::size_t bytes = 0;
  while (records < kBatchRecords && bytes < kUnpackedBytes && SkipToRecords()) {
    const Piece piece = NextPiece();
    const std::size_t unpacked = UnpackedBytes(piece.block);
    if (bytes > 0 && bytes + unpacked > kUnpackedBytes) break;
    bytes += unpacked;
    const std::uint32_t count = piece.records.end - piece.records.begin;
    records += count;
    record_ += count;
    pieces_.push_back(piece);
  }
  unpacked_.clear();
  unpacked_.resize_and_overwrite(bytes, [](char*, std::size_t size) { return size; });
}

void BufferedSource::FillBatch() {
  char* free = unpacked_.data();
  for (const Piece& piece : pieces_) {
    const queen::AnswerBody& body = *piece.run->body;
    if (piece.block == nullptr) {
      AddRecords(piece, body.text());
    } else if (!piece.block->compressed()) {
      AddRecords(piece, body.HeldOf(*piece.block));
    } else {
      const std::span<char> text(free, piece.block->size);
      UnpackLz4(body.HeldOf(*piece.block), text);
      AddRecords(piece, {text.data(), text.size()});
      free += text.size();
    }
  }
}

void BufferedSource::AddRecords(const Piece& piece, std::string_view text) {
  const auto all = piece.run->body->records();
  for (std::uint32_t i = piece.records.begin; i < piece.records.end; ++i) {
    const queen::RecordSlice& record = all[i];
    batch_.push_back({.partition = piece.lane->partition,
                      .offset = record.offset,
                      .transaction_id = record.transaction_id(text),
                      .ts = record.ts,
                      .payload = record.payload(text)});
  }
}

io::Task<Result<std::span<const format::RecordView>>> BufferedSource::Next() {
  PlanBatch();
  batch_.clear();
  if (unpacked_.empty()) {
    FillBatch();
  } else {
    const auto fill = [this] {
      FillBatch();
      return true;
    };
    co_await io::RunOn(loop_, pool_, fill);
  }
  co_return std::span<const format::RecordView>(batch_);
}

}  // namespace tidemark::lake
