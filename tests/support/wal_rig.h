#pragma once
// A write-ahead log on a disk in memory, in virtual time: opened, fed, read and opened again.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edge/wal/wal.h"
#include "edge/wal/wal_reader.h"
#include "io/lossy_file_system.h"
#include "io/sim_loop.h"
#include "tests/support/await.h"
#include "tests/support/cuttable_file_system.h"

namespace tidemark::test {

// One life of a process that has the log. `disk` outlives it.
class WalLife {
 public:
  explicit WalLife(io::FileSystem& disk, edge::WalOptions options = {})
      : disk_(disk), options_(std::move(options)) {
    if (options_.folder.empty()) options_.folder = kFolder;
  }

  static constexpr const char* kFolder = "/data/wal";

  ~WalLife() {
    if (wal_) IgnoreError(Close(), "the test is over");
  }

  Status Open() {
    edge::WalWorld world{disk_, clock, loop, *pool_};
    world.clock_synced = [this] { return clock_synced; };
    auto wal = edge::Wal::Open(options_, std::move(world));
    if (!wal) return std::unexpected(wal.error());
    wal_ = std::move(*wal);
    return {};
  }

  edge::Wal& wal() { return *wal_; }

  Result<format::PositionRange> Append(std::vector<std::string> payloads,
                                       std::string_view token = {}) {
    return Await(loop, AppendTask(std::move(payloads), std::string(token)));
  }

  io::Task<Result<format::PositionRange>> AppendTask(std::vector<std::string> payloads,
                                                     std::string token = {}) {
    std::vector<edge::WalInput> records;
    records.reserve(payloads.size());
    for (const std::string& payload : payloads) {
      records.push_back({.source = "drop", .topic = "t", .token = {}, .payload = payload});
    }
    records.back().token = token;
    co_return co_await wal_->Append(records);
  }

  // The payloads from `from` on; an error ends the list with its code's name.
  std::vector<std::string> Payloads(Position from = Position(1)) {
    std::vector<std::string> payloads;
    edge::WalReader reader(*wal_, *pool_, from);
    while (!reader.AtEnd()) {
      const auto batch = Await(loop, reader.Next());
      if (!batch) {
        payloads.emplace_back(ToString(batch.error().code));
        break;
      }
      for (const auto& hole : (*batch)->holes) {
        payloads.push_back("hole " + std::to_string(hole.first.value()) + ".." +
                           std::to_string(hole.last.value()));
      }
      for (const auto& record : (*batch)->records) payloads.emplace_back(record.payload);
    }
    return payloads;
  }

  Status Close() {
    const Status closed = Await(loop, wal_->Close());
    wal_.reset();
    return closed;
  }

  // As when the process is killed: nothing more reaches the disk.
  void Kill() {
    disk_.CutAfter(0, /*acts=*/false);
    IgnoreError(Close(), "it is dead");
  }

  // Lets the log notice that it is idle.
  void Idle() { loop.RunUntil(loop.Now() + std::chrono::seconds(1)); }

  CuttableFileSystem& disk() { return disk_; }

  io::SimLoop loop;
  io::ManualClock clock{Micros(1'790'000'000'000'000)};
  bool clock_synced = true;

 private:
  CuttableFileSystem disk_;
  edge::WalOptions options_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewInlinePool(loop);
  std::unique_ptr<edge::Wal> wal_;
};

}  // namespace tidemark::test
