#include "format/catalog_state.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

constexpr Epoch kEpoch{7};

FinalizedRecord File(const std::string& path, std::int64_t first, std::int64_t last) {
  FinalizedRecord record;
  record.epoch = kEpoch;
  record.dataset = "t";
  record.path = path;
  record.range = {Position(first), Position(last)};
  record.rows = 1;
  return record;
}

CoverageRecord Empty(std::int64_t first, std::int64_t last, Epoch epoch = kEpoch) {
  return {.epoch = epoch,
          .dataset = "t",
          .range = {Position(first), Position(last)},
          .reason = CoverageReason::kEmpty};
}

RewoundRecord Rewound(std::int64_t to) {
  return {.epoch = kEpoch, .dataset = "t", .to = Position(to)};
}

CatalogState StateOf(const std::vector<CatalogRecord>& records) {
  CatalogState state;
  for (const CatalogRecord& record : records) EXPECT_TRUE(state.Apply(record));
  return state;
}

// Refused by CanApply and by Apply, and nothing changed.
void ExpectRefused(const CatalogState& before, const CatalogRecord& record) {
  CatalogState state = before;
  EXPECT_EQ(state.CanApply(record).error().code, ErrorCode::kPreconditionFailed);
  EXPECT_FALSE(state.Apply(record));
  EXPECT_EQ(state, before);
}

TEST(CatalogState, FilesAndMarkersTile) {
  const auto state = StateOf({File("a", 1, 10), Empty(11, 20), File("b", 21, 30)});
  EXPECT_EQ(state.CoveredTo("t", kEpoch), Position(30));
  EXPECT_EQ(state.Tiles("t", kEpoch).size(), 3);
  EXPECT_EQ(state.files().size(), 2);
}

TEST(CatalogState, RefusesGapsAndOverlaps) {
  const auto state = StateOf({File("a", 1, 10)});
  ExpectRefused(state, File("b", 12, 20));
  ExpectRefused(state, File("b", 10, 20));
  ExpectRefused(state, Empty(9, 9));
  ExpectRefused(state, Empty(11, 10));
  ExpectRefused(state, File("a", 11, 20));
}

// Without a path it would pass for positions without a file.
TEST(CatalogState, AFileHasAPath) { ExpectRefused({}, File("", 1, 10)); }

TEST(CatalogState, PositionsEnd) {
  ExpectRefused({}, File("a", 1, INT64_MAX));
  ExpectRefused({}, Empty(1, INT64_MAX));
}

TEST(CatalogState, ADataSetMayBeginAnywhere) {
  EXPECT_EQ(StateOf({File("a", 50, 60)}).CoveredTo("t", kEpoch), Position(60));
}

TEST(CatalogState, ANewEpochBeginsAnew) {
  const auto state = StateOf({File("a", 1, 10), Empty(1, 5, Epoch(8))});
  EXPECT_EQ(state.CoveredTo("t", Epoch(8)), Position(5));
  EXPECT_EQ(state.CoveredTo("t", kEpoch), Position(10));
  EXPECT_EQ(state.HighestEpoch(), Epoch(8));
  ExpectRefused(state, File("b", 11, 12));
}

TEST(CatalogState, RewindingTakesFilesAndMarkersBack) {
  auto state = StateOf({File("a", 1, 10), Empty(11, 20), File("b", 21, 30)});
  ExpectRefused(state, Rewound(30));
  ExpectRefused(state, Rewound(5));
  ASSERT_TRUE(state.Apply(Rewound(15)));
  EXPECT_EQ(state.CoveredTo("t", kEpoch), Position(15));
  EXPECT_EQ(state.files().count("b"), 0);
  ASSERT_TRUE(state.Apply(File("c", 16, 18)));
}

TEST(CatalogState, RewoundToTheBeginningIsUnknown) {
  auto state = StateOf({File("a", 1, 10)});
  ASSERT_TRUE(state.Apply(Rewound(0)));
  EXPECT_EQ(state, CatalogState());
}

TEST(CatalogState, AFileGoesItsWayInOrder) {
  auto state = StateOf({File("a", 1, 10)});
  ExpectRefused(state, UploadedRecord{"a", "lake", "k", "e"});
  ExpectRefused(state, DeletedRecord{"a"});
  ExpectRefused(state, EligibleRecord{"b"});
  ASSERT_TRUE(state.Apply(EligibleRecord{"a"}));
  ExpectRefused(state, EligibleRecord{"a"});
  ASSERT_TRUE(state.Apply(UploadedRecord{"a", "lake", "k", "e"}));
  ExpectRefused(state, UploadedRecord{"a", "lake", "k", "e"});
  ASSERT_TRUE(state.Apply(DeletedRecord{"a"}));
  EXPECT_TRUE(state.files().empty());
  EXPECT_EQ(state.CoveredTo("t", kEpoch), Position(10));
}

TEST(CatalogState, ASnapshotMakesTheSameState) {
  const auto state = StateOf({File("a", 1, 10),
                              EligibleRecord{"a"},
                              UploadedRecord{"a", "lake", "k", "e"},
                              Empty(11, 12),
                              Empty(13, 20),
                              File("b", 21, 30),
                              EligibleRecord{"b"},
                              DeletedRecord{"b"},
                              File("c", 31, 40)});
  const auto records = state.Snapshot();
  EXPECT_EQ(records.size(), state.LiveRecords());
  EXPECT_EQ(StateOf(records), state);
}

TEST(CatalogState, ASnapshotForgetsPastEpochsWithoutFiles) {
  const auto state = StateOf({Empty(1, 5), Empty(1, 5, Epoch(8))});
  EXPECT_EQ(state.Snapshot().size(), 1);
}

}  // namespace
}  // namespace tidemark::format
