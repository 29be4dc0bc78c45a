#include "io/socket_address.h"

#include <gtest/gtest.h>

namespace tidemark::io {

namespace {

TEST(SocketAddress, ReadsBothFamilies) {
  const auto v4 = ParseSocketAddress("127.0.0.1:9333");
  ASSERT_TRUE(v4.has_value());
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, 9333);

  const auto v6 = ParseSocketAddress("[::1]:0");
  ASSERT_TRUE(v6.has_value());
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 0);
}

TEST(SocketAddress, KnowsOneName) {
  EXPECT_EQ(ParseSocketAddress("localhost:80")->ToString(), "127.0.0.1:80");
}

TEST(SocketAddress, WritesWhatItReads) {
  for (const auto* text : {"0.0.0.0:65535", "[fe80::1]:80", "[::]:1"}) {
    EXPECT_EQ(ParseSocketAddress(text)->ToString(), text);
  }
}

TEST(SocketAddress, KnowsWhatStaysOnThisMachine) {
  for (const auto* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) {
    EXPECT_TRUE(ParseSocketAddress(text)->IsLoopback()) << text;
  }
  for (const auto* text : {"0.0.0.0:1", "128.0.0.1:1", "10.127.0.1:1", "[::]:1", "[::2]:1"}) {
    EXPECT_FALSE(ParseSocketAddress(text)->IsLoopback()) << text;
  }
}

TEST(SocketAddress, RefusesAnythingElse) {
  for (const auto* text : {"",
                           ":",
                           "example.org:80",
                           "[localhost]:80",
                           "localhost",
                           "127.0.0.1",
                           "127.0.0.1:",
                           "127.0.0.1:65536",
                           "127.0.0.1:-1",
                           "127.0.0.1:8o",
                           "::1:80",
                           "[127.0.0.1]:80",
                           "[::1]",
                           "[::1:80",
                           "1.2.3:80",
                           ":80"}) {
    EXPECT_FALSE(ParseSocketAddress(text).has_value()) << text;
  }
}

}  // namespace

}  // namespace tidemark::io
