#include "format/presence.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

const Presence kPresence{.instance = "sink-0", .queue_set = "*", .held = 3};

TEST(Presence, HasARowOfItsOwnBesideTheQueues) {
  EXPECT_EQ(PresenceKey("default", "sink 0"), "s3:default:node=sink%200");
  EXPECT_TRUE(PresenceKey("default", "a").starts_with(PresencePrefix("default")));
}

TEST(Presence, HasFixedBytesThatReadBack) {
  EXPECT_EQ(EncodePresence(kPresence), R"({"instance":"sink-0","queueSet":"*","held":3})");
  EXPECT_EQ(DecodePresence(EncodePresence(kPresence)), kPresence);
}

TEST(Presence, ARowOfAnotherProgramIsNone) {
  EXPECT_EQ(DecodePresence(R"({"instance":"a"})").error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace tidemark::format
