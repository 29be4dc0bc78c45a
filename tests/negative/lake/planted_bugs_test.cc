// A sink with a planted bug writes a lake; `verify` must not take it for sound. Without the bug it
// does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/object_key.h"
#include "tests/sim/lake_rig.h"
#include "tests/support/run_task.h"
#include "verify/verify_lake.h"

namespace tidemark::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using verify::FindingKind;

// Three windows of an hour, two lanes each.
void Live(LakeRig& rig) {
  for (const char* time : {"10:10:00", "11:10:00", "12:10:00"}) {
    for (const char* lane : {"a", "b"}) {
      rig.broker().log().Append("orders", lane, At(time), {"1", "2", "3"});
    }
  }
  rig.broker().log().PinSafeTime(At("13:00:00"));
  IgnoreError(rig.RunFor(std::chrono::minutes(1)), "judged by the bucket");
}

std::vector<FindingKind> FindingsOf(LakeRig& rig) {
  const auto report =
      test::RunTask(rig.loop(), verify::VerifyLake(rig.bucket(), verify::VerifyOptions{}));
  std::vector<FindingKind> kinds;
  for (const auto& finding : report.value().findings.kept()) kinds.push_back(finding.kind);
  return kinds;
}

class PlantedBug : public ::testing::TestWithParam<format::Layout> {
 protected:
  PlantedBug() { rig_.options().commit.form.layout = GetParam(); }

  // The sink takes it for done: it goes on before it is, or never does it.
  void Skip(const std::string& put) {
    rig_.faults().Plant({.operation = store::Operation::kPut,
                         .key_part = put,
                         .kind = store::Fault::Kind::kPretend});
  }

  LakeRig rig_;
};

TEST_P(PlantedBug, NoneIsSound) {
  Live(rig_);
  EXPECT_THAT(FindingsOf(rig_), IsEmpty());
}

TEST_P(PlantedBug, ACommitAheadOfItsObjectIsSeen) {
  Skip("/w-0000000002");
  Live(rig_);
  EXPECT_THAT(FindingsOf(rig_), Contains(FindingKind::kMissingObject));
}

TEST_P(PlantedBug, ACommitAheadOfItsManifestIsSeen) {
  Skip("/windows/0000000002");
  Live(rig_);
  EXPECT_THAT(FindingsOf(rig_), Contains(FindingKind::kMissingWindow));
}

// An offset that no record, hole or loss accounts for: the log goes on above it as if it had been
// read.
TEST_P(PlantedBug, ARecordThatIsDroppedInSilenceIsSeen) {
  rig_.broker().log().Append("orders", "a", At("10:05:00"), {"1", "2", "3"});
  rig_.broker().log().Append("orders", "a", At("10:07:00"), {"4", "5", "6"});
  rig_.broker().log().HideSegment("orders", "a", Offset(3));
  Live(rig_);
  EXPECT_THAT(FindingsOf(rig_), IsEmpty()) << "told as lost: sound";
  for (const auto& [key, object] : rig_.bucket().objects()) {
    if (!format::ParseManifestKey("queen", "orders", key)) continue;
    auto manifest = *format::DecodeManifest(*object.bytes);
    manifest.lost.clear();
    const auto bytes = std::make_shared<const std::string>(format::EncodeManifest(manifest));
    ASSERT_TRUE(test::RunTask(rig_.loop(), rig_.bucket().Put(key, "application/json", bytes)));
  }
  EXPECT_THAT(FindingsOf(rig_), Contains(FindingKind::kHole));
}

INSTANTIATE_TEST_SUITE_P(Layouts,
                         PlantedBug,
                         ::testing::Values(format::Layout::kMerged, format::Layout::kPerPartition));

}  // namespace
}  // namespace tidemark::testing
