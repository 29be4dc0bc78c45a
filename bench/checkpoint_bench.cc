// The checkpoint of a million lanes: how large it is, and what it takes to write it and to have an
// engine go on from it. Fails above the decided 24 MiB and 2 s. Offsets are scattered, as those of
// a log are: equal ones would compress to nothing.
//
//   checkpoint_bench [LANES]

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>

#include "base/check.h"
#include "format/checkpoint.h"
#include "lake/engine/engine.h"

namespace tidemark {
namespace {

constexpr std::size_t kBytesMax = std::size_t{24} << 20;
constexpr double kRestoreSecondsMax = 2;
constexpr double kMiB = 1 << 20;

double PeakMib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Of CPU: one thread works, and a busy host is not its fault.
double SecondsSince(std::clock_t began) {
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

format::Checkpoint OfLanes(std::int64_t lanes) {
  format::Checkpoint checkpoint{
      .k = format::WindowNumber(1840), .t_end = Micros(1'788'516'000'000'000), .positions = {}};
  checkpoint.positions.reserve(static_cast<std::size_t>(lanes));
  for (std::int64_t n = 0; n < lanes; ++n) {
    const std::uint64_t scattered = static_cast<std::uint64_t>(n) * 2654435761U % 1'000'003;
    checkpoint.positions.push_back({.partition = fmt::format("customer-{:08}", n),
                                    .next = Offset(static_cast<std::int64_t>(scattered))});
  }
  return checkpoint;
}

bool Run(std::int64_t lanes) {
  format::Checkpoint checkpoint = OfLanes(lanes);
  std::clock_t began = std::clock();
  const std::string bytes = EncodeCheckpoint(std::move(checkpoint));
  const double encoded = SecondsSince(began);

  began = std::clock();
  auto decoded = format::DecodeCheckpoint(bytes);
  TIDEMARK_CHECK(decoded.has_value(), "{}", decoded.error().message);
  const double read = SecondsSince(began);
  lake::MemoryBudget budget(std::int64_t{128} << 20);
  lake::EngineStart start{.committed_k = decoded->k,
                          .t_prev = decoded->t_end,
                          .checkpoint = std::move(*decoded),
                          .redo = {}};
  const lake::WindowEngine engine(
      {.queue = "orders", .rules = {}, .fetch = {}}, std::move(start), budget);
  const double restored = SecondsSince(began);
  TIDEMARK_CHECK(engine.Positions().positions.size() == static_cast<std::size_t>(lanes));

  fmt::print("{} positions: {:.1f} MiB (at most {:.0f}), encoded in {:.2f} CPU s\n",
             lanes,
             static_cast<double>(bytes.size()) / kMiB,
             static_cast<double>(kBytesMax) / kMiB,
             encoded);
  fmt::print(
      "restored in {:.2f} CPU s (at most {:.0f}), of which {:.2f} decoding; peak {:.0f} MiB\n",
      restored,
      kRestoreSecondsMax,
      read,
      PeakMib());
  return bytes.size() < kBytesMax && restored < kRestoreSecondsMax;
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) {
  const std::int64_t lanes = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  return tidemark::Run(lanes) ? 0 : 1;
}
