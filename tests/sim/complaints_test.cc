// What users of such systems complain about (shared/cases/complaints.md), each under its number;
// others stand where their subject is tested.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "datafile/reader.h"
#include "format/kv_documents.h"
#include "format/object_key.h"
#include "tests/sim/lake_rig.h"
#include "tests/sim/service_rig.h"
#include "tests/support/run_task.h"

namespace tidemark::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<std::string> kThree{"1", "2", "3"};

using Objects = std::map<std::string, std::string>;

// Every data object of the bucket.
Objects DataOf(LakeRig& rig) {
  Objects data;
  for (const auto& [key, object] : rig.bucket().objects()) {
    if (format::ParseDataKey("queen", key)) data[key] = *object.bytes;
  }
  return data;
}

void PushHourTen(LakeRig& rig) {
  for (const char* time : {"10:10:00", "10:20:00", "10:30:00"}) {
    for (const char* lane : {"a", "b", "c"}) {
      rig.broker().log().Append("orders", lane, At(time), kThree);
    }
  }
  rig.broker().log().PinSafeTime(At("10:30:00.000001"));
}

void PushHourEleven(LakeRig& rig) {
  for (const char* lane : {"a", "b", "c"})
    rig.broker().log().Append("orders", lane, At("10:40:00"), kThree);
  rig.broker().log().PinSafeTime(At("11:30:00"));
}

void Live(LakeRig& rig) { IgnoreError(rig.RunFor(seconds(5)), "judged by the bucket"); }

TEST(Complaints, C01RecordsThatArriveBetweenACrashAndTheRestartChangeNoObject) {
  LakeRig calm;
  PushHourTen(calm);
  Live(calm);
  ASSERT_THAT(calm.Manifests(), SizeIs(1));
  LakeRig crashed;
  PushHourTen(crashed);
  // The lease, the intent, then the commit: its objects are stored by then.
  crashed.broker().Add(
      {.call = Call::kKvPutAll,
       .nth = 3,
       .fail_before = Error{.code = ErrorCode::kInvalidArgument, .message = "no"}});
  Live(crashed);
  ASSERT_THAT(crashed.ends(), SizeIs(1));
  ASSERT_EQ(crashed.ends()[0].error().code, ErrorCode::kInvalidArgument);
  ASSERT_THAT(DataOf(crashed), SizeIs(1));
  for (LakeRig* rig : {&calm, &crashed}) {
    PushHourEleven(*rig);
    Live(*rig);
  }
  EXPECT_EQ(DataOf(crashed), DataOf(calm));
  EXPECT_THAT(crashed.Manifests(), SizeIs(2));
}

TEST(Complaints, C04ASecondSinkOfTheNameFencesTheFirstAndTheWindowExistsOnce) {
  ServiceRig rig(4, {"orders"});
  rig.store_faults().Plant({.operation = store::Operation::kPut,
                            .key_part = "/windows/",
                            .kind = store::Fault::Kind::kDelay,
                            .delay = seconds(20)});
  Instance& first = rig.Start("a");
  rig.Push(3, 3, 50);
  rig.Advance(seconds(70));  // the manifest is on its way
  ASSERT_THAT(rig.Manifests("orders"), IsEmpty());
  first.loop.Freeze();
  rig.Advance(seconds(25));
  ASSERT_THAT(rig.Manifests("orders"), SizeIs(1)) << "it should have been stored meanwhile";
  rig.Start("b");
  rig.Advance(minutes(2));
  EXPECT_EQ(rig.HolderOf("orders"), "b");
  first.loop.Thaw();
  rig.Advance(minutes(2));
  rig.ExpectWhole();
  const auto says = [](const std::string& line) {
    return line.find("the queue stopped") != std::string::npos &&
           line.find("lease of queue orders lost: b holds it") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(first.lines, says), 1);
}

TEST(Complaints, C06CleanStopsAndStartsNeverWriteAKeyTwice) {
  LakeRig rig;  // its store ends the test at a key that changes its bytes
  for (int life = 0; life < 3; ++life) {
    const std::string hour = std::to_string(10 + life);
    rig.broker().log().Append("orders", "a", At(hour + ":10:00"), kThree);
    rig.broker().log().PinSafeTime(At(hour + ":59:00"));
    Live(rig);
  }
  EXPECT_THAT(DataOf(rig), SizeIs(rig.Manifests().size()));
  EXPECT_THAT(rig.Rows(), SizeIs(9));
}

TEST(Complaints, C07TwoWindowsThatCloseInOneInstantHaveTwoNames) {
  LakeRig rig;
  rig.broker().log().Append("orders", "a", At("10:10:00"), kThree);
  rig.broker().log().Append("orders", "a", At("11:10:00"), kThree);
  rig.broker().log().PinSafeTime(At("12:00:00"));
  Live(rig);
  const auto manifests = rig.Manifests();
  ASSERT_THAT(manifests, SizeIs(2));
  EXPECT_EQ(manifests[0].committed_at, manifests[1].committed_at);
  EXPECT_THAT(DataOf(rig), SizeIs(2));
}

// Five hours of a log, and what comes later.
void PushRandomLog(LakeRig& rig, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Micros ts = At("10:00:00");
  for (int n = 0; n < 60; ++n) {
    ts = ts + static_cast<std::int64_t>(random() % 600) * kMicrosPerSecond;
    const std::string lane = fmt::format("lane-{}", random() % 4);
    rig.broker().log().Append("orders", lane, ts, {fmt::format("{{\"n\":{}}}", random() % 1000)});
  }
  rig.broker().log().PinSafeTime(ts + kMicrosPerSecond);
}

void PutDocument(LakeRig& rig, const std::string& key, const std::string& value) {
  const queen::KvPut put{
      .key = key, .value = value, .ttl_seconds = std::nullopt, .expect = std::nullopt};
  ASSERT_TRUE(rig.broker().kv().Put(put, rig.loop().Now()));
}

class RebuiltLater : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RebuiltLater, C08AnyWindowBuiltFromScratchHasTheSameBytes) {
  LakeRig first;
  PushRandomLog(first, GetParam());
  Live(first);
  const Objects data = DataOf(first);
  const auto manifests = first.Manifests();
  ASSERT_GT(manifests.size(), 2u);
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const auto& window = manifests[i].window;
    LakeRig later(GetParam() + 100);
    PushRandomLog(later, GetParam());
    for (const char* lane : {"lane-0", "lane-1", "new"})
      later.broker().log().Append("orders", lane, At("22:00:00"), kThree);
    later.broker().log().PinSafeTime(At("22:30:00"));
    const format::Intent intent{.window = window,
                                .form = {},
                                .writer = "test",
                                .records = manifests[i].records,
                                .lost = {},
                                .lost_sidecar = {}};
    PutDocument(later, format::IntentKey("default", "orders"), format::EncodeIntent(intent));
    if (i > 0) {
      const format::Committed before{.k = manifests[i - 1].window.k,
                                     .t_end = manifests[i - 1].window.end,
                                     .manifest = "queen/_queen/orders/windows/x.json"};
      PutDocument(
          later, format::CommittedKey("default", "orders"), format::EncodeCommitted(before));
    }
    Live(later);
    const std::string& key = manifests[i].objects[0].key;
    const Objects rebuilt = DataOf(later);
    ASSERT_TRUE(rebuilt.contains(key)) << key;
    EXPECT_TRUE(rebuilt.at(key) == data.at(key)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RebuiltLater, ::testing::Range<std::uint64_t>(1, 6));

void DeleteCheckpoints(LakeRig& rig, std::size_t keep) {
  std::vector<std::string> keys;
  for (const auto& [key, object] : rig.bucket().objects()) {
    if (format::ParseCheckpointKey("queen", "orders", key)) keys.push_back(key);
  }
  ASSERT_GE(keys.size(), keep);
  keys.resize(keys.size() - keep);
  for (const auto& key : keys) ASSERT_TRUE(test::RunTask(rig.loop(), rig.bucket().Delete(key)));
}

TEST(Complaints, C12DeletedCheckpointsOnlyCostTime) {
  LakeRig rig;
  for (std::size_t life = 0; life < 6; ++life) {
    const std::string hour = std::to_string(10 + life);
    for (const char* lane : {"a", "b"})
      rig.broker().log().Append("orders", lane, At(hour + ":10:00"), kThree);
    rig.broker().log().PinSafeTime(At(hour + ":59:00"));
    Live(rig);
    if (life > 2) DeleteCheckpoints(rig, life == 3 ? 1 : 0);
  }
  EXPECT_THAT(rig.Rows(), SizeIs(36));
  for (const auto& manifest : rig.Manifests()) EXPECT_THAT(manifest.lost, IsEmpty());
}

TEST(Complaints, C14AWindowClosesByTheLogsClockAlsoWhenNothingMoreComes) {
  ServiceRig rig(1, {"orders"});
  rig.Start("sink-0");
  rig.Advance(minutes(2));
  rig.Push(1, 10, 20);
  rig.Advance(seconds(70));  // the window of a minute, the safe time five seconds behind, a tick
  EXPECT_THAT(rig.Manifests("orders"), SizeIs(1));
  rig.Advance(hours(2));
  EXPECT_THAT(rig.Manifests("orders"), SizeIs(1));
  rig.ExpectWhole();
}

TEST(Complaints, C15EventTimesOverTheHourMakeOneObjectAWindow) {
  LakeRig rig;
  const std::vector<std::string> shuffled{
      R"({"at":"01:59:58"})", R"({"at":"02:00:01"})", R"({"at":"01:59:59"})"};
  for (const char* time : {"10:59:58", "10:59:59", "11:00:00", "11:00:01"})
    rig.broker().log().Append("orders", "a", At(time), shuffled);
  rig.broker().log().PinSafeTime(At("11:30:00"));
  Live(rig);
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_THAT(DataOf(rig), SizeIs(2));
}

TEST(Complaints, C17SparseRecordsMakeOneObjectForEachWindowThatHasAny) {
  ServiceRig rig(1, {"orders"});
  rig.options().sink.engine.rules.window_us_max = 300 * kMicrosPerSecond;
  rig.Start("sink-0");
  for (int n = 0; n < 10; ++n) {
    rig.Push(8, 1, 20);  // one record in each of eight lanes
    rig.Advance(minutes(6));
  }
  rig.Advance(minutes(6));
  const auto manifests = rig.Manifests("orders");
  EXPECT_THAT(manifests, SizeIs(10));
  for (const auto& manifest : manifests) EXPECT_EQ(manifest.records, 8);
  rig.ExpectWhole();
}

TEST(Complaints, C19AnIdleHourMakesNoObjectButMovesTheCoverage) {
  ServiceRig rig(1, {"orders"});
  Instance& lake = rig.Start("sink-0");
  rig.Advance(minutes(1));
  const double before = lake.metrics.Value(obs::Metric::kCompleteThroughSeconds, {"orders"});
  rig.Advance(hours(1));
  EXPECT_THAT(rig.Manifests("orders"), IsEmpty());
  EXPECT_GT(lake.metrics.Value(obs::Metric::kCompleteThroughSeconds, {"orders"}), before + 3500);
}

// Each commit wants more than half of the budget for its buffers.
TEST(Complaints, C27TwoHundredQueuesThatUploadAtOnceStayInTheBudget) {
  std::vector<std::string> queues;
  queues.reserve(200);
  for (int n = 0; n < 200; ++n) queues.push_back(fmt::format("q-{}", n));
  ServiceRig rig(27, queues);
  rig.options().memory_bytes = std::int64_t{64} << 20;
  rig.store_faults().Plant({.operation = store::Operation::kPut,
                            .key_part = "queue=",
                            .times = 200,
                            .kind = store::Fault::Kind::kDelay,
                            .delay = seconds(1)});
  Instance& lake = rig.Start("sink-0");
  rig.Push(1, 2, 1000);
  double most = 0;
  for (int n = 0; n < 600; ++n) {
    rig.Advance(seconds(1));
    most = std::max(most, lake.metrics.Value(obs::Metric::kMemoryUsedBytes, {}));
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, lake.metrics.Value(obs::Metric::kMemoryLimitBytes, {}));
  rig.ExpectWhole();
}

// The payloads of every record of the lake, as stored; nullopt: none.
std::vector<std::optional<std::string>> PayloadsOf(LakeRig& rig) {
  std::vector<std::optional<std::string>> payloads;
  for (const auto& [key, bytes] : DataOf(rig)) {
    const auto parts = format::ParseDataKey("queen", key);
    EXPECT_TRUE(datafile::ReadObject(parts->extension, bytes, [&](const format::RecordView& r) {
      payloads.push_back(r.has_payload() ? std::optional(std::string(r.payload)) : std::nullopt);
      return true;
    }));
  }
  return payloads;
}

class EitherFormat : public ::testing::TestWithParam<format::DataFormat> {
 protected:
  std::vector<std::optional<std::string>> Store(const std::vector<std::string>& payloads) {
    LakeRig rig;
    rig.options().commit.form.data_format = GetParam();
    rig.broker().log().Append("orders", "a", At("10:10:00"), payloads);
    rig.broker().log().PinSafeTime(At("11:00:00"));
    Live(rig);
    return PayloadsOf(rig);
  }
};

TEST_P(EitherFormat, C46NumbersKeepTheirDigits) {
  const std::vector<std::string> numbers{"9007199254740993",
                                         R"({"u":18446744073709551615,"d":0.1000000000000000055})",
                                         "[-0.0, 1e400, 1.50]"};
  EXPECT_THAT(Store(numbers), ::testing::ElementsAreArray(numbers));
}

TEST_P(EitherFormat, C54ARecordWithoutAPayloadIsARow) {
  EXPECT_THAT(Store({"1", "null", "2"}), ::testing::ElementsAre("1", std::nullopt, "2"));
}

INSTANTIATE_TEST_SUITE_P(Forms,
                         EitherFormat,
                         ::testing::Values(format::DataFormat::kJsonl,
                                           format::DataFormat::kParquet),
                         [](const auto& form) {
                           return form.param == format::DataFormat::kJsonl ? "Jsonl" : "Parquet";
                         });

}  // namespace
}  // namespace tidemark::testing
