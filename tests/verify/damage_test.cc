// Each kind of damage to windows, manifests and objects, planted in a small lake and named by the
// reading.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/object_key.h"
#include "tests/verify/small_lake.h"

namespace tidemark::verify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The sound windows with window `k` changed.
template <typename Change>
std::vector<SmallWindow> With(std::int64_t k, Change change) {
  auto windows = SoundWindows();
  change(windows[static_cast<std::size_t>(k - 1)]);
  return windows;
}

TEST(VerifyLake, ASoundLakeIsComplete) {
  const auto report = SmallLake().Verify();
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  ASSERT_EQ(report.queues.size(), 1U);
  const auto& queue = report.queues.front();
  EXPECT_EQ(queue.queue, "q");
  EXPECT_EQ(queue.windows, 3);
  EXPECT_EQ(queue.records, 9);
  EXPECT_EQ(queue.objects, 3);
  EXPECT_EQ(queue.partitions, 3);
  EXPECT_EQ(queue.start, At(0));
  EXPECT_EQ(queue.end, At(150));
  EXPECT_EQ(queue.min_ts, At(1));
  EXPECT_EQ(queue.max_ts, At(149));
  EXPECT_EQ(queue.align, "hour");
}

TEST(VerifyLake, AnEmptyStoreHoldsNoQueue) {
  const auto report = SmallLake(std::vector<SmallWindow>()).Verify();
  EXPECT_TRUE(report.queues.empty());
  EXPECT_FALSE(report.damaged());
}

TEST(VerifyLake, NamesAMissingObject) {
  SmallLake lake;
  lake.Delete(SoundWindows()[1].manifest.objects[0].key);
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kMissingObject)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].key, SoundWindows()[1].manifest.objects[0].key);
  EXPECT_EQ(report.findings.kept()[0].k, format::WindowNumber(2));
}

TEST(VerifyLake, NamesAFlippedByte) {
  const auto report =
      SmallLake(With(2, [](SmallWindow& w) { w.bytes[w.bytes.size() - 4] ^= 1; })).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongBytes)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("SHA-256"));
}

TEST(VerifyLake, NamesATruncatedObject) {
  const auto report = SmallLake(With(3, [](SmallWindow& w) { w.bytes.pop_back(); })).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongBytes)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("bytes, its manifest says"));
}

TEST(VerifyLake, NamesBytesThatAreNoDataFile) {
  const auto report = SmallLake(With(3, [](SmallWindow& w) {
                        w.bytes = "{\"partition\":";
                        w.Reseal();
                      })).Verify();
  EXPECT_THAT(KindsOf(report), ElementsAre(FindingKind::kUnreadableObject)) << Words(report);
}

TEST(VerifyLake, NamesAWrongRecordCount) {
  const auto report = SmallLake(With(1, [](SmallWindow& w) {
                        ++w.manifest.objects[0].records;
                        ++w.manifest.records;
                      })).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongCount)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "it holds 5 records, its manifest says 6");
}

TEST(VerifyLake, NamesAWrongPartitionCount) {
  const auto report = SmallLake(With(1, [](SmallWindow& w) { ++w.manifest.partitions; })).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongCount)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "it says 3 partitions, its objects hold rows of 2");
}

TEST(VerifyLake, NamesSumsThatDoNotAddUp) {
  const auto report = SmallLake(With(1, [](SmallWindow& w) {
                        ++w.manifest.records;
                        ++w.manifest.bytes;
                      })).Verify();
  EXPECT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadManifest, FindingKind::kBadManifest))
      << Words(report);
}

TEST(VerifyLake, NamesWrongTimeBounds) {
  const auto report = SmallLake(With(1, [](SmallWindow& w) {
                        w.manifest.min_ts = At(0);
                        w.manifest.max_ts.reset();
                      })).Verify();
  EXPECT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongTime, FindingKind::kWrongTime))
      << Words(report);
}

TEST(VerifyLake, NamesAnOverlap) {
  auto windows = SoundWindows();
  windows[1] = WindowOf(2, 19.5, 60, {{"a", 3, 20}, {"b", 2, 59.5}});
  const auto report = SmallLake(windows).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kOverlap)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("before window 1 ends"));
}

TEST(VerifyLake, NamesAGapThatEndsWithinAnHour) {
  auto windows = SoundWindows();
  windows[2] = WindowOf(3, 120.5, 150, {{"a", 4, 121}, {"c", 0, 149}});
  const auto report = SmallLake(windows).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kGap)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].k, format::WindowNumber(3));
}

TEST(VerifyLake, AWindowOverAnHourIsUnaligned) {
  auto windows = SoundWindows();
  windows[1] = WindowOf(2, 20, 120, {{"a", 3, 20}, {"b", 2, 59.5}});
  const auto report = SmallLake(windows).Verify();
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_EQ(report.queues[0].align, "none");
}

TEST(VerifyLake, AGapAfterWhichAWindowCrossesAnHourIsDamage) {
  auto windows = SoundWindows();
  windows[2] = WindowOf(3, 120, 200, {{"a", 4, 121}, {"c", 0, 149}});
  EXPECT_THAT(KindsOf(SmallLake(windows).Verify()), ElementsAre(FindingKind::kGap));
}

TEST(VerifyLake, NamesAMissingWindow) {
  SmallLake lake;
  lake.Delete(format::ManifestKey("queen", "q", format::WindowNumber(2)));
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kMissingWindow, FindingKind::kStray))
      << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "window 2 has no manifest");
}

TEST(VerifyLake, NamesMissingWindowsAtTheHead) {
  SmallLake lake({SoundWindows()[2]});
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kMissingWindow)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "windows 1 to 2 have no manifest");
}

TEST(VerifyLake, NamesAManifestThatDoesNotRead) {
  SmallLake lake;
  lake.Put(format::ManifestKey("queen", "q", format::WindowNumber(2)), "{\"sink\":");
  const auto report = lake.Verify();
  EXPECT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadManifest, FindingKind::kStray))
      << Words(report);
}

TEST(VerifyLake, NamesAManifestOfAnotherPlace) {
  const auto report = SmallLake(With(2, [](SmallWindow& w) { w.manifest.queue = "p"; })).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadManifest, FindingKind::kStray))
      << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "it is of window 2 of queue \"p\"");
}

TEST(VerifyLake, NamesAKeyThatIsNotTheWindows) {
  const auto report = SmallLake(With(3, [](SmallWindow& w) {
                        auto& key = w.manifest.objects[0].key;
                        key.replace(key.find("0000000003"), 10, "0000000002");
                      })).Verify();
  ASSERT_THAT(KindsOf(report), testing::Contains(FindingKind::kBadKey)) << Words(report);
}

TEST(VerifyLake, NamesAnExtensionThatIsNotTheFormats) {
  const auto report =
      SmallLake(With(3, [](SmallWindow& w) { w.manifest.compression = "zstd"; })).Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadKey)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "jsonl with compression zstd ends in .jsonl.zst");
}

TEST(VerifyLake, NamesASecondObjectOfAMergedWindow) {
  SmallLake lake;
  auto copy = SoundWindows()[0].manifest.objects[0].key;
  lake.Put(copy + ".zst", "copy");
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kStray)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "its window's manifest does not name it");
}

TEST(VerifyLake, NamesAWindowUnderOtherBounds) {
  SmallLake lake;
  lake.PutObject(WindowOf(2, 20, 50, {{"a", 3, 20}}));
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kStray)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("the window's manifest says"));
}

TEST(VerifyLake, NamesAnObjectTheLayoutDoesNotKnow) {
  SmallLake lake;
  lake.Put("queen/queue=q/dt=2026-09-04/_SUCCESS", "");
  lake.Put("queen/readme.txt", "hello");
  const auto report = lake.Verify();
  EXPECT_THAT(KindsOf(report), ElementsAre(FindingKind::kStray, FindingKind::kStray))
      << Words(report);
}

TEST(VerifyLake, OtherPrefixesAreNotItsConcern) {
  SmallLake lake;
  lake.Put("queen2/readme.txt", "hello");
  EXPECT_FALSE(lake.Verify().damaged());
}

TEST(VerifyLake, KeepsTheFirstFindingsAndCountsAll) {
  SmallLake lake;
  for (int i = 0; i < 1010; ++i) lake.Put("queen/stray-" + std::to_string(i), "");
  const auto report = lake.Verify();
  EXPECT_EQ(report.findings.kept().size(), Findings::kKept);
  EXPECT_EQ(report.findings.total(), 1010);
}

TEST(VerifyLake, TellsItsProgress) {
  SmallLake lake;
  VerifyOptions options;
  std::int64_t windows = 0;
  options.on_progress = [&](const Progress& progress) {
    windows = progress.windows_read;
    EXPECT_EQ(progress.windows_total, 3);
    EXPECT_EQ(progress.queue, "q");
  };
  lake.Verify(options);
  EXPECT_EQ(windows, 3);
}

}  // namespace
}  // namespace tidemark::verify
