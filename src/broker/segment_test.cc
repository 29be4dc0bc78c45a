#include "broker/segment.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace tidemark::broker {
namespace {

constexpr Micros kTs{1'788'516'221'918'204};

SegmentBuilder Three() {
  SegmentBuilder segment(Offset(120), kTs);
  segment.Add("t-120", R"({"n":1.50})", {1, 2});
  segment.Add("say \"hi\"", "null", {3, 4});
  segment.Add("t-122", "[]", {5, 6});
  return segment;
}

TEST(Segment, IsTheTextAFetchAnswers) {
  EXPECT_EQ(
      Three().text(),
      R"({"offset":120,"transactionId":"t-120","payload":{"n":1.50},"ts":"2026-09-04T10:03:41.918204Z"},)"
      R"({"offset":121,"transactionId":"say \"hi\"","payload":null,"ts":"2026-09-04T10:03:41.918204Z"},)"
      R"({"offset":122,"transactionId":"t-122","payload":[],"ts":"2026-09-04T10:03:41.918204Z"})");
}

TEST(Segment, SlicesAtRecordBoundaries) {
  const SegmentBuilder segment = Three();
  const SegmentView view = SegmentView::Of(segment.text(), segment.marks()).value();
  EXPECT_EQ(view.Slice(0, 3), segment.text());
  EXPECT_EQ(
      view.Slice(2, 1),
      R"({"offset":122,"transactionId":"t-122","payload":[],"ts":"2026-09-04T10:03:41.918204Z"})");
  EXPECT_EQ(view.Slice(1, 1).substr(0, 13), R"({"offset":121)");
  EXPECT_EQ(view.Slice(1, 1).back(), '}');
}

TEST(Segment, CountsPayloadBytesAtLeastOneARecord) {
  SegmentBuilder segment = Three();
  EXPECT_EQ(segment.payload_bytes(), 10 + 4 + 2);
  const SegmentView view = SegmentView::Of(segment.text(), segment.marks()).value();
  EXPECT_EQ(view.PayloadBytes(1, 2), 6);
}

TEST(Segment, SaysHowManyRecordsFit) {
  const SegmentBuilder segment = Three();
  const SegmentView view = SegmentView::Of(segment.text(), segment.marks()).value();
  EXPECT_EQ(view.Fitting(0, segment.text().size()), 3);
  EXPECT_EQ(view.Fitting(0, segment.text().size() - 1), 2);
  EXPECT_EQ(view.Fitting(1, view.Slice(1, 1).size()), 1);
  EXPECT_EQ(view.Fitting(0, 10), 0);
}

// docs/formats/broker-store.md.
TEST(Segment, MarksAreLittleEndian) {
  SegmentBuilder segment(Offset(0), kTs);
  segment.Add("t", "[1,2]", {0x0807060504030201, 0x1817161514131211});
  ASSERT_EQ(segment.text().size(), 0x53U);
  EXPECT_EQ(ToHex(segment.marks()),
            "53000000050000000102030405060708"
            "1112131415161718");
}

TEST(Segment, KeepsIdentitiesForTheDedupWindow) {
  EXPECT_EQ(IdsOf(Three().marks()), (std::vector<Hash128>{{1, 2}, {3, 4}, {5, 6}}));
}

TEST(Segment, MarksThatDoNotFitAreCorruption) {
  const SegmentBuilder segment = Three();
  EXPECT_EQ(SegmentView::Of(segment.text().substr(1), segment.marks()).error().code,
            ErrorCode::kCorruption);
  EXPECT_EQ(SegmentView::Of(segment.text(), segment.marks().substr(1)).error().code,
            ErrorCode::kCorruption);
  EXPECT_EQ(SegmentView::Of("", "").error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace tidemark::broker
