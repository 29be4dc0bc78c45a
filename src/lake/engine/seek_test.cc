#include "lake/engine/seek.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tidemark::lake {

namespace {

constexpr Micros kT0(1788516000000000);

Micros After(double seconds) {
  return Micros(kT0.value() + static_cast<std::int64_t>(seconds * kMicrosPerSecond));
}

// A lane of segments of equal length, one a second from kT0 on.
struct PlainLog {
  std::int64_t records = 1'000'000;
  std::int64_t segment = 100;
  std::int64_t log_start = 0;
  std::int64_t probe_records = 1;

  Micros TsOf(std::int64_t offset) const {
    const std::int64_t whole_seconds = offset / segment;
    return After(static_cast<double>(whole_seconds));
  }

  void Answer(Seek& seek) const {
    const std::int64_t from = seek.probe().value();
    if (from < log_start || from > records) {
      seek.OnBounds(Offset(log_start), Offset(records));
      return;
    }
    std::vector<queen::RecordSlice> found;
    for (std::int64_t at = from; at < std::min(records, from + probe_records); ++at) {
      found.push_back({.offset = Offset(at), .ts = TsOf(at)});
    }
    seek.OnRecords(found);
  }

  // The first offset at or after `t`, by looking at every record.
  std::int64_t FirstAt(Micros t) const {
    std::int64_t at = log_start;
    while (at < records && TsOf(at) < t) ++at;
    return at;
  }
};

struct Found {
  std::int64_t offset;
  std::int64_t probes;
};

Found Search(const PlainLog& log, Micros t) {
  Seek seek(t, Offset(log.log_start), Offset(log.records - 1));
  while (!seek.answer()) {
    EXPECT_FALSE(seek.exhausted()) << seek.probes() << " probes";
    if (seek.exhausted()) break;
    log.Answer(seek);
  }
  return {seek.answer().value_or(Offset(-1)).value(), seek.probes()};
}

// queen-interface 17.2.
TEST(Seek, GoldenTable) {
  const PlainLog log;
  EXPECT_EQ(Search(log, After(700)).offset, 70'000);
  EXPECT_EQ(Search(log, After(700.5)).offset, 70'100);

  const Found before_all = Search(log, After(-1));
  EXPECT_EQ(before_all.offset, 0);
  EXPECT_LE(before_all.probes, 22);

  const Found after_all = Search(log, After(1e7));
  EXPECT_EQ(after_all.offset, 1'000'000);
  EXPECT_EQ(after_all.probes, 1);
}

TEST(Seek, NeverNeedsMoreThan42ProbesInAMillion) {
  const PlainLog log;
  std::int64_t worst = 0;
  for (int second = 0; second <= 10'000; second += 7) {
    const Found found = Search(log, After(second + 0.25));
    EXPECT_EQ(found.offset, std::min<std::int64_t>((second + 1) * 100, 1'000'000));
    worst = std::max(worst, found.probes);
  }
  EXPECT_LE(worst, 42);
}

TEST(Seek, IsExactInEverySmallLane) {
  for (std::int64_t records = 0; records <= 20; ++records) {
    for (std::int64_t log_start = 0; log_start <= records; ++log_start) {
      const PlainLog log{.records = records, .segment = 3, .log_start = log_start};
      for (int half = -1; half <= 16; ++half) {
        const Micros at = After(half * 0.5);
        EXPECT_EQ(Search(log, at).offset, log.FirstAt(at))
            << records << " records from " << log_start << ", " << half << " half seconds";
      }
    }
  }
}

TEST(Seek, LargerProbesFinishSoonerWithTheSameAnswer) {
  const PlainLog small;
  const PlainLog large{.probe_records = 500};
  const Found slow = Search(small, After(4321.5));
  const Found fast = Search(large, After(4321.5));
  EXPECT_EQ(slow.offset, fast.offset);
  EXPECT_LT(fast.probes, slow.probes);
}

TEST(Seek, NeedsNoProbeWhereThereIsNothingToChoose) {
  EXPECT_EQ(Seek(kMinusInfinity, Offset(5), Offset(99)).answer(), Offset(5));
  EXPECT_EQ(Seek(After(1), Offset(7), Offset(6)).answer(), Offset(7));
}

TEST(Seek, RetentionRaisesTheFloor) {
  PlainLog log;
  Seek seek(After(10), Offset(0), Offset(log.records - 1));
  log.Answer(seek);
  log.log_start = 500'000;
  for (int i = 0; i < 50 && !seek.answer(); ++i) log.Answer(seek);
  EXPECT_EQ(seek.answer(), Offset(500'000));
}

TEST(Seek, ALoweredHeadIsBelieved) {
  Seek seek(After(1e6), Offset(0), Offset(999));
  seek.OnBounds(Offset(0), Offset(10));
  const PlainLog log{.records = 10};
  while (!seek.answer()) log.Answer(seek);
  EXPECT_EQ(seek.answer(), Offset(10));
}

TEST(Seek, GivesUpWhenNothingEverComes) {
  Seek seek(After(10), Offset(0), Offset(999'999));
  int probes = 0;
  while (!seek.exhausted()) {
    seek.OnNothing();
    ++probes;
  }
  EXPECT_EQ(probes, 2 * 20 + 8 + 1);
}

}  // namespace

}  // namespace tidemark::lake
