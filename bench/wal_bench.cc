// What the write-ahead log makes of a disk: 64 producers of 200-byte records, each waiting for its
// acknowledgement, against as many groups of the same size as the disk syncs one after the other.
// Prints both rates, their ratio and the producers' latencies. The disk is that of FOLDER, which is
// removed afterwards; without it, that of the program.
//
//   wal_bench [FOLDER [SECONDS]]

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/check.h"
#include "edge/wal/wal.h"
#include "io/async.h"

namespace tidemark {
namespace {

constexpr int kProducers = 64;
constexpr std::size_t kRecordBytes = 200;
constexpr double kGoal = 0.8;

double Seconds(io::Duration duration) { return std::chrono::duration<double>(duration).count(); }

// Groups a second: written behind each other, one fdatasync each.
double SyncRate(io::FileSystem& files, const std::string& path, io::Duration time) {
  const auto loop = io::NewThreadLoop();
  const std::string group(kProducers * (kRecordBytes + 40), 'x');
  const auto file = files.CreateLocked(path);
  TIDEMARK_CHECK(file.has_value(), "{}", file.error().message);
  const io::Duration begin = loop->Now();
  std::int64_t groups = 0;
  while (loop->Now() - begin < time) {
    const auto offset = groups++ * static_cast<std::int64_t>(group.size());
    TIDEMARK_CHECK((*file)->WriteAt(offset, group).has_value());
    TIDEMARK_CHECK((*file)->Sync().has_value());
  }
  const double rate = static_cast<double>(groups) / Seconds(loop->Now() - begin);
  IgnoreError(files.Remove(path), "a scratch file");
  return rate;
}

struct Load {
  io::Loop& loop;
  edge::Wal& wal;
  io::Duration end{};
  std::vector<double> latencies_ms;
};

io::Task<void> Produce(Load& load) {
  const std::string payload(kRecordBytes, 'x');
  const std::vector<edge::WalInput> records = {
      {.source = "bench", .topic = "bench/telemetry", .token = {}, .payload = payload}};
  while (load.loop.Now() < load.end) {
    const io::Duration begin = load.loop.Now();
    const auto taken = co_await load.wal.Append(records);
    TIDEMARK_CHECK(taken.has_value(), "{}", taken.error().message);
    load.latencies_ms.push_back(1000 * Seconds(load.loop.Now() - begin));
  }
}

io::Task<void> Drive(Load& load) {
  io::TaskGroup producers(load.loop);
  for (int i = 0; i < kProducers; ++i) producers.Add(Produce(load));
  co_await producers.Join();
  IgnoreError(co_await load.wal.Close(), "measured already");
  load.loop.Stop();
}

double Percentile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// Whether the log is fast enough.
bool Report(double sync_rate, Load& load, const edge::WalCounters& counters, double seconds) {
  const double bound = sync_rate * kProducers;
  const double rate = static_cast<double>(counters.records) / seconds;
  std::ranges::sort(load.latencies_ms);
  fmt::print("disk     {:.0f} groups/s, times {} records: {:.0f} records/s\n",
             sync_rate,
             kProducers,
             bound);
  fmt::print(
      "log      {:.0f} records/s in {:.0f} groups/s of {:.1f} records: {:.2f} of the disk's (goal "
      ">= {})\n",
      rate,
      static_cast<double>(counters.groups) / seconds,
      static_cast<double>(counters.records) / static_cast<double>(counters.groups),
      rate / bound,
      kGoal);
  fmt::print("latency  p50 {:.2f} ms, p90 {:.2f}, p99 {:.2f}, p99.9 {:.2f}, worst {:.2f}\n",
             Percentile(load.latencies_ms, 0.5),
             Percentile(load.latencies_ms, 0.9),
             Percentile(load.latencies_ms, 0.99),
             Percentile(load.latencies_ms, 0.999),
             load.latencies_ms.back());
  return rate >= kGoal * bound;
}

int Run(int argc, char** argv) {
  const auto beside = std::filesystem::absolute(argv[0]).parent_path() / "wal_bench.scratch";
  const std::string folder = argc > 1 ? argv[1] : beside.string();
  const auto time = std::chrono::seconds(argc > 2 ? std::atoi(argv[2]) : 10);
  io::PosixFileSystem files;
  IgnoreError(files.MakeFolder(folder), "the next call says it");
  const double before = SyncRate(files, folder + "/sync.scratch", time / 2);

  const io::SystemClock clock;
  const auto loop = io::NewThreadLoop();
  const auto pool = io::NewWorkerPool(1);
  edge::WalOptions options{.folder = folder + "/wal"};
  auto wal = edge::Wal::Open(options, edge::WalWorld{files, clock, *loop, *pool});
  TIDEMARK_CHECK(wal.has_value(), "{}", wal.error().message);
  Load load{.loop = *loop, .wal = **wal, .end = loop->Now() + time, .latencies_ms = {}};
  const io::Duration begin = loop->Now();
  io::Spawn(*loop, Drive(load));
  loop->Run();
  const double seconds = Seconds(loop->Now() - begin);

  // The disk is not the same all the time: half before, half behind.
  const double behind = SyncRate(files, folder + "/sync.scratch", time / 2);
  const bool fast = Report((before + behind) / 2, load, (*wal)->counters(), seconds);
  std::filesystem::remove_all(folder);
  return fast ? 0 : 1;
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) { return tidemark::Run(argc, argv); }
