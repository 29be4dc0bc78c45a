#include "verify/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress.h"
#include "format/checkpoint.h"
#include "format/kv_documents.h"
#include "format/log_frame.h"
#include "format/manifest.h"
#include "format/reject_record.h"

namespace tidemark::verify {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kKey =
    "queen/queue=orders/dt=2026-09-04/hour=10/"
    "w-0000001842-1788516000000000-1788516300000000.jsonl.zst";

std::string Rows() {
  return R"({"partition":"cust-0420","offset":1811,"transactionId":"ord-9f21",)"
         R"("ts":"2026-09-04T10:03:41.918204Z","payload":{"type":"paid","amount":1290}})"
         "\n"
         R"({"partition":"cust-0421","offset":7,"transactionId":"x\u001b[31m",)"
         R"("ts":"2026-09-04T10:00:01.000000Z","payload":null})"
         "\n";
}

TEST(Inspect, ExplainsADataObject) {
  const auto text = Inspect(kKey, ZstdCompress(Rows()), 10);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("window 1842 of queue orders: 2026-09-04T10:00:00.000000Z to"));
  EXPECT_THAT(*text, HasSubstr("2 records of 2 partitions, 1 without payload"));
  EXPECT_THAT(*text,
              HasSubstr("ts from 2026-09-04T10:00:01.000000Z to 2026-09-04T10:03:41.918204Z"));
  EXPECT_THAT(*text, HasSubstr(R"({"type":"paid","amount":1290})"));
  EXPECT_THAT(*text, HasSubstr("  NULL\n"));
}

TEST(Inspect, NeverPrintsControlBytes) {
  const auto text = Inspect(kKey, ZstdCompress(Rows()), 10);
  EXPECT_THAT(*text, HasSubstr("x\\x1b[31m"));
  EXPECT_THAT(*text, Not(HasSubstr("\x1b")));
}

TEST(Inspect, ShowsAsManyRowsAsAskedFor) {
  const auto text = Inspect(kKey, ZstdCompress(Rows()), 1);
  EXPECT_THAT(*text, HasSubstr("cust-0420"));
  EXPECT_THAT(*text, Not(HasSubstr("cust-0421")));
  EXPECT_THAT(*text, HasSubstr("… and 1 more rows\n"));
}

TEST(Inspect, CutsLongPayloadsBetweenCharacters) {
  std::string payload = "\"";
  for (int i = 0; i < 60; ++i) payload += "é";
  const std::string row = R"({"partition":"a","offset":0,"transactionId":"t",)"
                          R"("ts":"2026-09-04T10:00:00.000000Z","payload":)" +
                          payload + "\"}\n";
  const auto text = Inspect("x.jsonl", row, 1);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("é…\n"));
}

TEST(Inspect, SaysWhenAKeyIsNotTheContracts) {
  std::string key(kKey);
  key.replace(key.find("hour=10"), 7, "hour=11");
  EXPECT_THAT(*Inspect(key, ZstdCompress(Rows()), 0), HasSubstr("the key is not as the contract"));
}

TEST(Inspect, DamagedBytesAreCorruption) {
  EXPECT_EQ(Inspect(kKey, "not zstd", 1).error().code, ErrorCode::kCorruption);
}

TEST(Inspect, ExplainsAManifest) {
  format::Manifest m;
  m.sink = "default";
  m.queue = "orders";
  m.window = {format::WindowNumber(8), Micros(1788516000000000), Micros(1788516300000000)};
  m.objects = {{.key = "k1", .bytes = 1, .records = 2, .sha256 = "ab", .lane = {}},
               {.key = "k2", .bytes = 1, .records = 2, .sha256 = "ab", .lane = {}}};
  m.lost = {{"p", Offset(3), Offset(5)}};
  const auto text = Inspect("queen/_queen/orders/windows/0000000008.json", EncodeManifest(m), 1);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("manifest of window 8 of queue orders (sink default)\n"));
  EXPECT_THAT(*text, HasSubstr("  k1\n"));
  EXPECT_THAT(*text, HasSubstr("… and 1 more objects\n"));
  EXPECT_THAT(*text, HasSubstr("  partition p, offsets 3 to 5\n"));
}

TEST(Inspect, ExplainsACheckpoint) {
  const format::Checkpoint checkpoint{
      format::WindowNumber(40), Micros(1788515700000000), {{"a", Offset(5)}, {"b", Offset(6)}}};
  const auto text = Inspect("0000000040.json.zst", EncodeCheckpoint(checkpoint), 1);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("checkpoint of window 40, which ends at 2026-09-04T09:55:00"));
  EXPECT_THAT(*text, HasSubstr("             5  a\n… and 1 more partitions\n"));
}

TEST(Inspect, ExplainsTheSmallSidecars) {
  EXPECT_THAT(*Inspect("lost/x.json", format::EncodeLostRanges({{"p", Offset(1), Offset(2)}}), 1),
              HasSubstr("partition p, offsets 1 to 2"));
  const format::Complete complete{.queue = "q",
                                  .k = format::WindowNumber(1),
                                  .complete_through = Micros(0),
                                  .lost = 0,
                                  .updated_at = Micros(0)};
  EXPECT_THAT(*Inspect("complete.json", EncodeComplete(complete), 1),
              HasSubstr("queue q is complete through 1970-01-01T00:00:00.000000Z"));
}

TEST(Inspect, CountsAndShowsRejects) {
  std::string log(format::kRejectMagic);
  format::RejectRecord reject{.epoch = Epoch(1),
                              .position = Position(7),
                              .ingest_time = Micros(0),
                              .dataset = "telemetry",
                              .version = 2,
                              .source = "in",
                              .topic = "robots/r7",
                              .reason = "decode.json",
                              .detail = "an empty document",
                              .payload = "\x1b[31m"};
  for (int i = 0; i < 2; ++i) format::AppendLogFrame(format::EncodeRejectEntry(reject), log);
  reject.dataset = "";
  format::AppendLogFrame(format::EncodeRejectEntry(reject), log);
  format::AppendLogFrame(format::EncodeRejectEntry(format::RejectMark{Epoch(1), Position(9)}), log);
  const auto text = Inspect("x/rejects.log", log + "torn", 1);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("log of rejects: 3 in"));
  EXPECT_THAT(*text, HasSubstr("           2  telemetry.v2  decode.json\n"));
  EXPECT_THAT(*text, HasSubstr("           1  (no data set)  decode.json\n"));
  EXPECT_THAT(*text, HasSubstr("4 bytes at the end are no whole entry"));
  EXPECT_THAT(*text, HasSubstr("7 of 1970-01-01T00:00:00.000000Z: decode.json\n"));
  EXPECT_THAT(*text, HasSubstr("\\x1b[31m"));
  EXPECT_THAT(*text, HasSubstr("… and 2 more rejects"));
  EXPECT_EQ(Inspect("rejects.log", "not ours", 1).error().code, ErrorCode::kCorruption);
}

TEST(Inspect, SaysWhereALogOfRejectsIsDamaged) {
  std::string log(format::kRejectMagic);
  for (int i = 1; i <= 3; ++i) {
    format::AppendLogFrame(format::EncodeRejectEntry(format::RejectMark{Epoch(1), Position(i)}),
                           log);
  }
  log[20] = 'x';
  const auto text = Inspect("rejects.log", log, 1);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(text.error().message, HasSubstr("damaged at byte 8, behind 0 rejects: 2 of"));
}

TEST(Inspect, UnknownNamesAreRefusedWithWhatIsKnown) {
  const auto text = Inspect("notes.txt", "", 1);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(text.error().message, HasSubstr(".json.zst (checkpoint)"));
}

}  // namespace
}  // namespace tidemark::verify
