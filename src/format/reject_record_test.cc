#include "format/reject_record.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace tidemark::format {
namespace {

RejectRecord Reject() {
  return {.epoch = Epoch(1),
          .position = Position(200),
          .ingest_time = Micros(2),
          .clock_synced = true,
          .dataset = "t",
          .version = 200,
          .source = "s",
          .topic = "a/b",
          .reason = "size",
          .detail = "d",
          .payload = std::string("\0x", 2)};
}

TEST(RejectEntry, LaysTheFieldsOutInTheirOrder) {
  EXPECT_EQ(ToHex(EncodeRejectEntry(Reject())),
            "01"
            "0100000000000000"
            "c801"
            "0200000000000000"
            "01"
            "0174"
            "c801"
            "0173"
            "03612f62"
            "0473697a65"
            "0164"
            "020078");
  EXPECT_EQ(ToHex(EncodeRejectEntry(RejectMark{Epoch(1), Position(5)})),
            "02"
            "0100000000000000"
            "05");
}

TEST(RejectEntry, IsReadBack) {
  for (const RejectEntry& entry :
       {RejectEntry(Reject()), RejectEntry(RejectMark{Epoch(1), Position(5)})}) {
    const std::string body = EncodeRejectEntry(entry);
    EXPECT_EQ(DecodeRejectEntry(body).value(), entry);
    for (std::size_t size = 0; size < body.size(); ++size) {
      EXPECT_FALSE(DecodeRejectEntry(body.substr(0, size))) << size;
    }
    EXPECT_FALSE(DecodeRejectEntry(body + 'x'));
  }
}

TEST(RejectEntry, AFlagIsSaidInOneWay) {
  std::string body = EncodeRejectEntry(Reject());
  body[19] = 2;  // behind type, epoch, position and time
  EXPECT_FALSE(DecodeRejectEntry(body));
}

TEST(RejectEntry, AVersionBeyondAnyIsRefused) {
  RejectRecord reject = Reject();
  reject.version = -1;
  EXPECT_FALSE(DecodeRejectEntry(EncodeRejectEntry(reject)));
}

}  // namespace
}  // namespace tidemark::format
