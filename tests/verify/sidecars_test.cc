// Sidecars, windows in flight and windows that arrive while the lake is read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "format/checkpoint.h"
#include "format/kv_documents.h"
#include "format/object_key.h"
#include "io/async.h"
#include "tests/verify/small_lake.h"

namespace tidemark::verify {
namespace {

using format::WindowNumber;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string CheckpointOf(std::int64_t k, Micros end) {
  return format::EncodeCheckpoint({WindowNumber(k), end, {{"a", Offset(3)}}});
}

std::string CheckpointKey(std::int64_t k) {
  return format::CheckpointKey("queen", "q", WindowNumber(k));
}

TEST(VerifySidecars, SoundOnesAreNoFinding) {
  SmallLake lake;
  const auto lost = format::EncodeLostRanges({});
  lake.Put(CheckpointKey(0), CheckpointOf(0, At(-5)));
  lake.Put(CheckpointKey(2), CheckpointOf(2, At(60)));
  lake.Put(format::CompleteKey("queen", "q"),
           format::EncodeComplete({.queue = "q",
                                   .k = WindowNumber(3),
                                   .complete_through = At(150),
                                   .lost = 0,
                                   .updated_at = At(151)}));
  lake.Put(format::LostSidecarKey("queen", "q", WindowNumber(4), ToHex(Sha256Of(lost))), lost);
  const auto report = lake.Verify();
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_EQ(report.queues[0].checkpoints, 2);
}

TEST(VerifySidecars, NamesACheckpointThatDoesNotRead) {
  SmallLake lake;
  lake.Put(CheckpointKey(2), "not zstd");
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadSidecar)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].key, CheckpointKey(2));
}

TEST(VerifySidecars, NamesACheckpointUnderAnotherNumber) {
  SmallLake lake;
  lake.Put(CheckpointKey(2), CheckpointOf(1, At(60)));
  EXPECT_THAT(KindsOf(lake.Verify()), ElementsAre(FindingKind::kBadSidecar));
}

TEST(VerifySidecars, NamesACheckpointWithAnotherEnd) {
  SmallLake lake;
  lake.Put(CheckpointKey(2), CheckpointOf(2, At(61)));
  EXPECT_THAT(KindsOf(lake.Verify()), ElementsAre(FindingKind::kBadSidecar));
}

TEST(VerifySidecars, NamesACheckpointOfAWindowNeverCommitted) {
  SmallLake lake;
  lake.Put(CheckpointKey(4), CheckpointOf(4, At(170)));
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadSidecar)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("never committed"));
}

TEST(VerifySidecars, NamesALostSidecarOfOtherBytes) {
  SmallLake lake;
  lake.Put(format::LostSidecarKey("queen", "q", WindowNumber(2), std::string(64, 'a')), "[]");
  EXPECT_THAT(KindsOf(lake.Verify()), ElementsAre(FindingKind::kBadSidecar));
}

TEST(VerifySidecars, NamesACompletenessOfAnotherQueue) {
  SmallLake lake;
  lake.Put(format::CompleteKey("queen", "q"),
           format::EncodeComplete(
               {.queue = "p", .k = {}, .complete_through = {}, .lost = 0, .updated_at = {}}));
  EXPECT_THAT(KindsOf(lake.Verify()), ElementsAre(FindingKind::kBadSidecar));
}

format::Complete CompleteThrough(std::int64_t k, double minutes) {
  return {.queue = "q",
          .k = WindowNumber(k),
          .complete_through = At(minutes),
          .lost = 0,
          .updated_at = At(200)};
}

TEST(VerifySidecars, NamesACompletenessThatTheManifestsContradict) {
  SmallLake lake;
  lake.Put(format::CompleteKey("queen", "q"), format::EncodeComplete(CompleteThrough(2, 140)));
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadSidecar)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("window 3 holds a record of"));
}

TEST(VerifySidecars, NamesACompletenessOfAWindowNeverCommitted) {
  SmallLake lake;
  lake.Put(format::CompleteKey("queen", "q"), format::EncodeComplete(CompleteThrough(4, 170)));
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadSidecar)) << Words(report);
  EXPECT_THAT(report.findings.kept()[0].message, HasSubstr("never committed"));
}

TEST(VerifySidecars, NamesUnknownOnes) {
  SmallLake lake;
  lake.Put("queen/_queen/q/windows/1.json", "{}");
  lake.Put("queen/_queen/q/notes.txt", "hello");
  lake.Put("queen/_queen/loose.json", "{}");
  lake.Put("queen/_queen/q/lost/0000000001-ab.json", "[]");
  const auto report = lake.Verify();
  EXPECT_THAT(
      KindsOf(report),
      ElementsAre(
          FindingKind::kStray, FindingKind::kStray, FindingKind::kStray, FindingKind::kStray))
      << Words(report);
}

TEST(VerifySidecars, AWindowAheadOfItsManifestIsPending) {
  SmallLake lake;
  const auto next = WindowOf(4, 150, 160, {{"a", 5, 155}});
  lake.PutObject(next);
  const auto report = lake.Verify();
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  ASSERT_TRUE(report.queues[0].pending.has_value());
  EXPECT_EQ(report.queues[0].pending->window, next.manifest.window);
  EXPECT_EQ(report.queues[0].pending->objects, 1);
}

TEST(VerifySidecars, TheFirstWindowOfAQueueMayBePending) {
  SmallLake lake{std::vector<SmallWindow>()};
  lake.PutObject(WindowOf(1, 0, 20, {{"a", 0, 1}}));
  const auto report = lake.Verify();
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  ASSERT_EQ(report.queues.size(), 1U);
  EXPECT_EQ(report.queues[0].windows, 0);
  EXPECT_TRUE(report.queues[0].pending.has_value());
}

TEST(VerifySidecars, WhatACheckLeftBehindIsNoStray) {
  SmallLake lake;
  lake.Put(format::TrialKey("queen", 7), "tidemark lake --check");
  EXPECT_THAT(KindsOf(lake.Verify()), IsEmpty());
  lake.Put("queen/_queen/.check/checkpoint/other.txt", "");
  EXPECT_THAT(KindsOf(lake.Verify()), ElementsAre(FindingKind::kStray));
}

TEST(VerifySidecars, OnlyOneWindowIsInFlight) {
  SmallLake lake;
  lake.PutObject(WindowOf(4, 150, 160, {{"a", 5, 155}}));
  lake.PutObject(WindowOf(4, 150, 170, {{"a", 5, 155}}));
  lake.PutObject(WindowOf(5, 170, 175, {{"a", 6, 171}}));
  const auto report = lake.Verify();
  EXPECT_THAT(KindsOf(report), ElementsAre(FindingKind::kStray, FindingKind::kStray))
      << Words(report);
}

io::Task<void> PutMeanwhile(store::ObjectStore& store, std::string key, std::string bytes) {
  auto shared = std::make_shared<const std::string>(std::move(bytes));
  const auto done = co_await store.Put(std::move(key), "", std::move(shared));
  EXPECT_TRUE(done.has_value());
}

TEST(VerifySidecars, WindowsCommittedMeanwhileAreNotJudged) {
  SmallLake lake;
  const auto fourth = WindowOf(4, 150, 160, {{"a", 5, 155}});
  const auto fifth = WindowOf(5, 160, 170, {{"a", 6, 165}});
  VerifyOptions options;
  options.on_progress = [&](const Progress& progress) {
    if (progress.windows_read != 1) return;
    io::Spawn(lake.loop,
              PutMeanwhile(lake.store,
                           format::ManifestKey("queen", "q", WindowNumber(4)),
                           format::EncodeManifest(fourth.manifest)));
    for (const auto& window : {fourth, fifth}) {
      io::Spawn(lake.loop, PutMeanwhile(lake.store, window.manifest.objects[0].key, window.bytes));
    }
  };
  const auto report = lake.Verify(options);
  EXPECT_THAT(KindsOf(report), IsEmpty()) << Words(report);
  EXPECT_EQ(report.queues[0].committed_meanwhile, 1);
  ASSERT_TRUE(report.queues[0].pending.has_value());
  EXPECT_EQ(report.queues[0].pending->window.k, WindowNumber(5));
}

TEST(VerifySidecars, QueuesAreJudgedEachForItself) {
  SmallLake lake;
  lake.Put("queen/_queen/a%2Fb/windows/0000000001.json", "broken");
  const auto report = lake.Verify();
  ASSERT_THAT(KindsOf(report), ElementsAre(FindingKind::kBadManifest)) << Words(report);
  EXPECT_EQ(report.findings.kept()[0].queue, "a/b");
  ASSERT_EQ(report.queues.size(), 2U);
  EXPECT_EQ(report.queues[1].records, 9);
}

}  // namespace
}  // namespace tidemark::verify
