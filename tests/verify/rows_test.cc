// Each kind of damage to rows, planted in a small lake and named by the reading.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "datafile/writer.h"
#include "format/object_key.h"
#include "tests/verify/small_lake.h"

namespace tidemark::verify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Report Read(const std::vector<SmallWindow>& windows) { return SmallLake(windows).Verify(); }

TEST(VerifyRows, NamesADuplicateWithinAWindow) {
  const auto report = Read({WindowOf(1, 0, 60, {{"a", 0, 1}, {"a", 1, 2}, {"a", 1, 2}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kDuplicate)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message,
            "row 3: (\"a\", 1, 2026-09-04T10:02:00.000000Z) comes twice in a row");
}

TEST(VerifyRows, NamesADuplicateAcrossWindows) {
  const auto report =
      Read({WindowOf(1, 0, 60, {{"a", 0, 1}, {"a", 1, 59}}), WindowOf(2, 58, 60, {{"a", 1, 59}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kOverlap, FindingKind::kDuplicate))
      << Words(report);
  EXPECT_THAT(report.findings.kept()[1].message, HasSubstr("is in the lake already"));
}

TEST(VerifyRows, APartitionCreatedAnewIsNoDuplicate) {
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 0, 1}, {"a", 1, 2}}),
                            WindowOf(2, 20, 60, {{"a", 0, 30}, {"a", 1, 31}})});
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_EQ(report.queues[0].partitions_recreated, 1);
  EXPECT_EQ(report.queues[0].partitions, 1);
}

TEST(VerifyRows, NamesOffsetsOutOfOrder) {
  const auto report = Read({WindowOf(1, 0, 60, {{"a", 1, 1}, {"a", 0, 1}, {"a", 2, 1}})});
  ASSERT_THAT(KindsOf(report), testing::Contains(FindingKind::kWrongOrder)) << Words(report);
}

TEST(VerifyRows, NamesPartitionsOutOfOrder) {
  const auto report = Read({WindowOf(1, 0, 60, {{"b", 0, 1}, {"a", 0, 1}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongOrder)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("follows (\"b\", 0)"));
}

TEST(VerifyRows, PartitionsAscendByBytesNotByLetters) {
  const auto report = Read({WindowOf(1, 0, 60, {{"Z", 0, 1}, {"a", 0, 1}, {"é", 0, 1}})});
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
}

TEST(VerifyRows, NamesATsBelowItsWindow) {
  const auto report = Read({WindowOf(1, 10, 60, {{"a", 0, 9}, {"a", 1, 10}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongTime)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("lies outside its window"));
}

TEST(VerifyRows, TheEndOfAWindowIsOutsideIt) {
  EXPECT_THAT(KindsOf(Read({WindowOf(1, 0, 20, {{"a", 0, 0}, {"a", 1, 20}})})),
              ElementsAre(FindingKind::kWrongTime));
}

TEST(VerifyRows, CountsRowsOfOneFault) {
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 0, 21}, {"a", 1, 21}, {"a", 2, 22}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongTime)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("and 2 more rows like it"));
}

TEST(VerifyRows, NamesATsThatFallsWhileOffsetsRise) {
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 0, 5}, {"a", 1, 4}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongTime)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("earlier ts"));
}

TEST(VerifyRows, NamesAHoleWithinAWindow) {
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 0, 1}, {"a", 3, 2}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kHole)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message,
            "partition \"a\", offsets 1 to 2 are in no window and in no lost range");
}

TEST(VerifyRows, NamesAHoleBetweenWindows) {
  const auto report =
      Read({WindowOf(1, 0, 20, {{"a", 7, 1}}), WindowOf(2, 20, 60, {{"a", 9, 21}})});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kHole)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].k, format::WindowNumber(2));
}

TEST(VerifyRows, AListedLossExplainsAHole) {
  auto second = WindowOf(2, 20, 60, {{"a", 9, 21}});
  second.manifest.lost = {{"a", Offset(8), Offset(8)}};
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 7, 1}}), second});
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_EQ(report.lost_offsets(), 1);
  EXPECT_THAT(report.queues[0].lost,
              ElementsAre(LostInWindow{format::WindowNumber(2), {"a", Offset(8), Offset(8)}}));
}

TEST(VerifyRows, ALossMayBeListedBeforeTheRowsAroundIt) {
  auto first = WindowOf(1, 0, 20, {{"a", 0, 1}});
  first.manifest.lost = {{"b", Offset(1), Offset(4)}};
  const auto report = Read({first, WindowOf(2, 20, 60, {{"b", 0, 21}, {"b", 5, 22}})});
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
}

TEST(VerifyRows, NamesThePartOfAHoleThatNoLossExplains) {
  auto second = WindowOf(2, 20, 60, {{"a", 9, 21}});
  second.manifest.lost = {{"a", Offset(2), Offset(3)}, {"a", Offset(6), Offset(8)}};
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 0, 1}}), second});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kHole, FindingKind::kHole))
      << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("offsets 1 to 1"));
  EXPECT_THAT(report.findings.kept()[1].message, HasSubstr("offsets 4 to 5"));
}

TEST(VerifyRows, TheGreatestLostRangeIsAHole) {
  auto second = WindowOf(2, 20, 60, {{"a", 9, 21}});
  second.manifest.lost = {{"a", Offset(8), Offset(8)}, {"b", Offset(0), Offset(INT64_MAX)}};
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 7, 1}}), second});
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_TRUE(report.has_losses());
  EXPECT_EQ(report.lost_offsets(), INT64_MAX);
}

TEST(VerifyRows, ALossUpToTheGreatestOffsetExplainsWhatItCovers) {
  auto second = WindowOf(2, 20, 60, {{"a", 9, 21}});
  second.manifest.lost = {{"a", Offset(8), Offset(INT64_MAX)}};
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 7, 1}}), second});
  EXPECT_THAT(KindsOf(report), ElementsAre(FindingKind::kFalseLoss)) << Words(report);
}

TEST(VerifyRows, NamesALostRangeThatNoWriterMeans) {
  auto second = WindowOf(2, 20, 60, {{"a", 8, 21}});
  second.manifest.lost = {{"b", Offset(5), Offset(4)},
                          {"b", Offset(-1), Offset(3)},
                          {"b", Offset(INT64_MIN), Offset(INT64_MAX)}};
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 7, 1}}), second});
  EXPECT_THAT(
      KindsOf(report),
      ElementsAre(FindingKind::kBadManifest, FindingKind::kBadManifest, FindingKind::kBadManifest))
      << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message,
            "a lost range ends before it begins: partition \"b\", offsets 5 to 4");
  EXPECT_EQ(report.findings.kept()[1].message,
            "a lost range is below offset 0: partition \"b\", offsets -1 to 3");
}

TEST(VerifyRows, NamesALossThatIsInTheLake) {
  auto second = WindowOf(2, 20, 60, {{"a", 2, 21}});
  second.manifest.lost = {{"a", Offset(1), Offset(1)}};
  const auto report = Read({WindowOf(1, 0, 20, {{"a", 0, 1}, {"a", 1, 2}}), second});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kFalseLoss)) << Words(report);
}

TEST(VerifyRows, AnUnreadableWindowMakesNoHoles) {
  SmallLake lake;
  lake.Delete(SoundWindows()[1].manifest.objects[0].key);
  EXPECT_THAT(KindsOf(lake.Verify()), ElementsAre(FindingKind::kMissingObject));
}

TEST(VerifyRows, AWindowWhoseRowsWereAllLostIsComplete) {
  auto empty = WindowOf(2, 20, 60, {});
  empty.manifest.objects.clear();
  empty.manifest.bytes = 0;
  empty.manifest.lost = {{"a", Offset(1), Offset(3)}};
  SmallLake lake({WindowOf(1, 0, 20, {{"a", 0, 1}})});
  lake.PutManifest(empty);
  lake.Put(WindowOf(3, 60, 70, {{"a", 4, 61}}));
  const auto report = lake.Verify();
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_EQ(report.lost_offsets(), 3);
}

// A window of one lane under the per-partition layout.
SmallWindow LaneWindow(const std::string& partition) {
  auto window = WindowOf(1, 0, 20, {{"a", 4, 1}, {"a", 5, 2}});
  format::Form form;
  form.codec = format::Codec::kNone;
  auto& object = window.manifest.objects[0];
  window.manifest.layout = "per-partition";
  object.lane = format::ManifestObject::Lane{partition, Offset(4), Offset(5)};
  object.key =
      format::LaneObjectKey(form, "q", window.manifest.window, partition, Offset(4), Offset(5));
  return window;
}

TEST(VerifyRows, AnObjectPerPartitionIsComplete) {
  const auto report = Read({LaneWindow("a")});
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
}

TEST(VerifyRows, NamesAnObjectOfAnotherPartition) {
  const auto report = Read({LaneWindow("b")});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongLane)) << Words(report);
}

TEST(VerifyRows, NamesAnOffsetRangeThatIsNotTheRows) {
  auto window = LaneWindow("a");
  auto& object = window.manifest.objects[0];
  object.lane->last = Offset(6);
  object.key.replace(object.key.find("000000000005"), 12, "000000000006");
  const auto report = Read({window});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongLane)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].message, "it holds offsets 4 to 5, its manifest says 4 to 6");
}

TEST(VerifyRows, NamesAnUnnamedObjectOfAWindowPerPartition) {
  SmallLake lake({LaneWindow("a")});
  lake.PutObject(LaneWindow("b"));
  EXPECT_THAT(KindsOf(lake.Verify()), ElementsAre(FindingKind::kStray));
}

// One row in Parquet, whose footer says it is of queue `footer_queue`.
SmallWindow ParquetWindow(std::string footer_queue) {
  auto window = WindowOf(1, 0, 20, {{"a", 0, 1}});
  format::Form form;
  form.data_format = format::DataFormat::kParquet;
  auto writer = datafile::NewObjectWriter(form, std::move(footer_queue)).value();
  format::RecordView row{
      .partition = "a", .offset = Offset(0), .transaction_id = "t", .ts = At(1), .payload = "1"};
  EXPECT_TRUE(writer->Append(row).has_value());
  EXPECT_TRUE(writer->Finish().has_value());
  window.bytes = writer->TakeBytes();
  window.manifest.format = "parquet";
  window.manifest.compression = "zstd";
  window.manifest.objects[0].key = format::MergedObjectKey(form, "q", window.manifest.window);
  window.Reseal();
  return window;
}

TEST(VerifyRows, AParquetWindowIsComplete) {
  const auto report = Read({ParquetWindow("q")});
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_EQ(report.queues[0].records, 1);
}

TEST(VerifyRows, NamesAFooterOfAnotherQueue) {
  const auto report = Read({ParquetWindow("p")});
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kWrongFooter)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("queen.queue is \"p\""));
}

}  // namespace
}  // namespace tidemark::verify
