// What users of such systems complain about (the catalogue of complaints), as far as one sink can
// show it; each test names the complaint. The rest is where its part is tested.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "format/catalog_state.h"
#include "tests/edge/sink_rig.h"

namespace tidemark::edge {
namespace {

using test::LogEntry;
using test::RowKey;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

const Micros kNoon = ParseIso("2026-11-30T12:00:00Z").value();

// One data set that takes everything, in files that only time ends.
SinkOptions OneDataset() {
  SinkOptions options = test::SimpleOptions();
  options.datasets = {test::SimpleDataset("a", "")};
  options.rotation.max_rows = 0;
  options.keeps_unmatched = false;
  return options;
}

// Each position once, in the data set `a`.
void ExpectEveryRowOnce(io::FileSystem& disk, std::int64_t positions) {
  auto keys = test::ReadyRows(disk)["a"];
  std::ranges::sort(keys);
  ASSERT_EQ(std::ssize(keys), positions);
  for (std::int64_t i = 0; i < positions; ++i) {
    EXPECT_EQ(keys[static_cast<std::size_t>(i)], RowKey(i + 1, 0));
  }
}

// C06: a counter that begins anew with the process overwrites files. C07: so does a name made of
// the time, when two runs start in the same instant.
TEST(Complaints, C06C07ARestartNeverGivesANameToOtherBytes) {
  const std::vector<LogEntry> log(40, {"a", test::Payload(1), kNoon});
  io::LossyFileSystem disk;
  std::map<std::string, std::string> written;
  for (int run = 1; run <= 5; ++run) {
    test::SinkLife life(disk, log, test::SimpleOptions());
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Feed(run * 8));
    ASSERT_TRUE(life.sink().FinishAll());
    for (const std::string& path : test::ReadyPaths(disk)) {
      const std::string bytes =
          test::ReadFile(disk, fmt::format("{}/ready/{}", test::kSinkFolder, path));
      EXPECT_EQ(written.emplace(path, bytes).first->second, bytes) << path;
    }
  }
  EXPECT_THAT(test::ReadyPaths(disk), SizeIs(written.size()));
  ExpectEveryRowOnce(disk, 40);
}

// C15: events that come late over the edge of an hour make no file each: folders go by the time of
// intake.
TEST(Complaints, C15LateEventsAtAnHoursEdgeShareOneFile) {
  SinkOptions options = OneDataset();
  options.datasets[0].event_time =
      EventTimeSpec{.from = {.pointer = "/ts", .document = false}, .format = TimeFormat::kRfc3339};
  std::vector<LogEntry> log;
  for (const char* time : {"01:59:58", "02:00:01", "01:59:59", "02:00:02", "01:59:57"}) {
    const std::string payload = fmt::format(R"({{"v":1,"ts":"2026-11-30T{}Z"}})", time);
    log.push_back({"a", payload, kNoon + std::ssize(log) * kMicrosPerSecond});
  }
  io::LossyFileSystem disk;
  test::SinkLife life(disk, log, options);
  ASSERT_TRUE(life.Open());
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().FinishAll());
  EXPECT_THAT(test::ReadyPaths(disk), SizeIs(1));
  ExpectEveryRowOnce(disk, 5);
}

// C18: many keys make many files. Here a device is a column: an hour of 500 devices is what time
// makes of it.
TEST(Complaints, C18FiveHundredDevicesShareTheFilesOfTheirDataSet) {
  SinkOptions options = OneDataset();
  options.datasets[0].identity = {{100, "device", "{topic.1}"}};
  std::vector<LogEntry> log;
  log.reserve(3600);
  for (std::int64_t second = 0; second < 3600; ++second) {
    log.push_back({fmt::format("devices/{}", second % 500),
                   test::Payload(second),
                   kNoon + second * kMicrosPerSecond});
  }
  io::LossyFileSystem disk;
  test::SinkLife life(disk, log, options);
  ASSERT_TRUE(life.Open());
  for (std::int64_t position = 1; position <= 3600; ++position) {
    ASSERT_TRUE(life.Feed(position));
    ASSERT_LE(life.sink().open_files(), 1);
  }
  ASSERT_TRUE(life.sink().FinishAll());
  const std::int64_t by_time = kMicrosPerHour / options.rotation.max_age_us;
  EXPECT_LE(std::ssize(test::ReadyPaths(disk)), by_time + 1);
  ExpectEveryRowOnce(disk, 3600);
}

// C18, and the contract's cap: files of 500 data sets in turn, and a crash in the middle.
TEST(Complaints, C18FiveHundredDataSetsInTurnStayUnderTheCap) {
  constexpr int kDatasets = 500;
  SinkOptions options = test::SimpleOptions();
  options.datasets.clear();
  std::vector<LogEntry> log;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kDatasets; ++i) {
      const std::string id = fmt::format("d{}", i);
      if (round == 0) options.datasets.push_back(test::SimpleDataset(id, id));
      log.push_back({id, test::Payload(i), kNoon});
    }
  }
  io::LossyFileSystem disk;
  {
    test::SinkLife life(disk, log, options);
    ASSERT_TRUE(life.Open());
    for (std::int64_t position = 1; position <= 700; ++position) {
      ASSERT_TRUE(life.Feed(position));
      ASSERT_LE(life.sink().open_files(), options.open_files_max);
    }
  }
  test::SinkLife life(disk, log, options);
  ASSERT_TRUE(life.Open());
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().FinishAll());
  const auto rows = test::ReadyRows(disk);
  ASSERT_EQ(rows.size(), kDatasets);
  for (int i = 0; i < kDatasets; ++i) {
    EXPECT_THAT(rows.at(fmt::format("d{}", i)),
                ElementsAre(RowKey(i + 1, 0), RowKey(kDatasets + i + 1, 0)));
  }
}

// C19: a file at every checkpoint, whether there is data or not.
TEST(Complaints, C19AnIdleHourMakesNoFileAndThePositionMoves) {
  SinkOptions options = OneDataset();
  options.datasets = {test::SimpleDataset("a", "a")};
  std::vector<LogEntry> log;
  log.reserve(60);
  for (int minute = 0; minute < 60; ++minute) {
    log.push_back({"other", test::Payload(minute), kNoon + minute * 60 * kMicrosPerSecond});
  }
  io::LossyFileSystem disk;
  test::SinkLife life(disk, log, options);
  ASSERT_TRUE(life.Open());
  Position watermark;
  for (std::int64_t position = 1; position <= 60; ++position) {
    ASSERT_TRUE(life.Feed(position));
    ASSERT_TRUE(life.sink().CloseDue(log[static_cast<std::size_t>(position - 1)].ingest_time));
    EXPECT_GE(life.sink().watermark(), watermark);
    watermark = life.sink().watermark();
  }
  EXPECT_THAT(test::ReadyPaths(disk), IsEmpty());
  EXPECT_GE(watermark, Position(55));
  EXPECT_THAT(test::CatalogOf(disk).Tiles("a", test::kFirstEpoch),
              ElementsAre(format::CoverageTile{.range = {Position(1), watermark},
                                               .path = "",
                                               .reason = format::CoverageReason::kEmpty}));
}

// C22: an age that is taken from the file's own times never comes, and the file may be gone by
// then.
TEST(Complaints, C22AgeCountsFromTheFirstRowAndALostStagingFileLosesNothing) {
  SinkOptions options = OneDataset();
  const std::vector<LogEntry> log(3, {"a", test::Payload(1), kNoon});
  io::LossyFileSystem disk;
  {
    test::SinkLife life(disk, log, options);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.FeedAll());
    ASSERT_TRUE(disk.Remove(std::string(test::kSinkFolder) + "/staging/a/1.inprogress"));
    ASSERT_TRUE(life.sink().CloseDue(kNoon + options.rotation.max_age_us - 1));
    const Status closed = life.sink().CloseDue(kNoon + options.rotation.max_age_us);
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().code, ErrorCode::kNotFound);
  }
  test::SinkLife life(disk, log, options);
  ASSERT_TRUE(life.Open());
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().CloseDue(kNoon + options.rotation.max_age_us));
  ExpectEveryRowOnce(disk, 3);
}

// C26: a file is held whole in memory. Here a row group is.
TEST(Complaints, C26AFileGrowsOnDiskNotInMemory) {
  SinkOptions options = OneDataset();
  FieldSpec text_field;
  text_field.id = 1001;
  text_field.name = "text";
  text_field.type.kind = format::ColumnKind::kString;
  text_field.from.pointer = "/text";
  options.datasets[0].fields.push_back(text_field);
  options.form.codec = datafile::ParseSegmentCodec("none").value();
  options.form.row_group_bytes = 1 << 20;
  io::SeededRandom random(1);
  std::vector<LogEntry> log;
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    while (text.size() < 4000) text += fmt::format("{:x}", random.Next());
    log.push_back({"a", fmt::format(R"({{"v":{},"text":"{}"}})", i, text), kNoon});
  }
  io::LossyFileSystem disk;
  test::SinkLife life(disk, log, options);
  ASSERT_TRUE(life.Open());
  std::size_t most = 0;
  for (std::int64_t position = 1; position <= 4000; ++position) {
    ASSERT_TRUE(life.Feed(position));
    most = std::max(most, life.sink().memory_bytes());
  }
  EXPECT_GT(life.sink().disk_bytes(), 12 << 20);
  EXPECT_LT(most, 5U << 20);
}

// C30: a record that the log vouches for, and nobody can read, stops every start.
TEST(Complaints, C30AnUnreadableRecordIsRejectedWithItsPositionAndTheRestIsWritten) {
  std::vector<LogEntry> log(4, {"a", test::Payload(1), kNoon});
  log[1].payload = std::string("\xff\x00\x01{", 4);
  log[2].payload = "{\"v\":" + std::string(300, '[');
  io::LossyFileSystem disk;
  for (int run = 0; run < 2; ++run) {
    test::SinkLife life(disk, log, OneDataset());
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.FeedAll());
    ASSERT_TRUE(life.sink().FinishAll());
  }
  EXPECT_THAT(test::Rejects(disk), ElementsAre(Pair(2, "decode.utf8"), Pair(3, "decode.json")));
  EXPECT_THAT(test::ReadyRows(disk)["a"], ElementsAre(RowKey(1, 0), RowKey(4, 0)));
}

}  // namespace
}  // namespace tidemark::edge
