#include "store/s3_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::store {
namespace {

using testing::HasSubstr;

constexpr char kKey[] = "queen/queue=orders/dt=2026-09-04/hour=10/w-0000000001-1-2.jsonl.zst";

TEST(ParseS3Endpoint, TakesHostAndPort) {
  const auto endpoint = ParseS3Endpoint("https://s3.example.com:8443/");
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ(endpoint->scheme, "https");
  EXPECT_EQ(endpoint->host, "s3.example.com");
  EXPECT_EQ(endpoint->port, "8443");
}

TEST(ParseS3Endpoint, TakesIpv6Literals) {
  const auto with_port = ParseS3Endpoint("http://[::1]:9000");
  ASSERT_TRUE(with_port.has_value());
  EXPECT_EQ(with_port->host, "[::1]");
  EXPECT_EQ(with_port->port, "9000");
  const auto bare = ParseS3Endpoint("http://[fe80::2]");
  ASSERT_TRUE(bare.has_value());
  EXPECT_EQ(bare->host, "[fe80::2]");
  EXPECT_EQ(bare->port, "");
}

struct Refusal {
  const char* text;
  const char* why;
};

class RefusedEndpoint : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedEndpoint, SaysWhatIsWrong) {
  const auto endpoint = ParseS3Endpoint(GetParam().text);
  ASSERT_FALSE(endpoint.has_value());
  EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(endpoint.error().message, HasSubstr(GetParam().why));
  EXPECT_THAT(endpoint.error().message, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Endpoints,
                         RefusedEndpoint,
                         testing::Values(Refusal{"s3.example.com", "does not begin with"},
                                         Refusal{"ftp://x", "does not begin with"},
                                         Refusal{"http://x/path", "more than a host"},
                                         Refusal{"http://user@x", "more than a host"},
                                         Refusal{"http://x:99999", "port"},
                                         Refusal{"http://x:", "port"},
                                         Refusal{"http://[::1", "unclosed"},
                                         Refusal{"http://[::1]x", "behind the bracket"},
                                         Refusal{"http://", "no host"},
                                         Refusal{"http://[]:1", "no host"}));

TEST(TargetOf, PathStyleEncodesTheKeyOnce) {
  const auto target = TargetOf(*ParseS3Endpoint("http://h:9"), "lake", true, kKey, {});
  EXPECT_EQ(target.path,
            "/lake/queen/queue%3Dorders/dt%3D2026-09-04/hour%3D10/w-0000000001-1-2.jsonl.zst");
  EXPECT_EQ(target.host, "h:9");
  EXPECT_EQ(target.url, "http://h:9" + target.path);
}

TEST(TargetOf, AnEscapedNameIsEncodedAgain) {
  EXPECT_EQ(TargetOf(*ParseS3Endpoint("http://h"), "b", true, "a%2Fb", {}).path, "/b/a%252Fb");
}

TEST(TargetOf, VirtualHostPutsTheBucketInFront) {
  const auto endpoint = *ParseS3Endpoint("https://s3.example.com");
  EXPECT_EQ(TargetOf(endpoint, "lake", false, "k", {}).url, "https://lake.s3.example.com/k");
  EXPECT_EQ(TargetOf(endpoint, "lake", false, "", {}).path, "/");
}

TEST(TargetOf, ListsAtTheBucketWithASortedEncodedQuery) {
  const Query query = {
      {"prefix", "queen/_queen/orders/checkpoint/"}, {"list-type", "2"}, {"max-keys", "2"}};
  const auto target = TargetOf(*ParseS3Endpoint("http://h"), "lake", true, "", query);
  EXPECT_EQ(target.path, "/lake");
  EXPECT_EQ(target.query, "list-type=2&max-keys=2&prefix=queen%2F_queen%2Forders%2Fcheckpoint%2F");
}

TEST(IsIpLiteral, KnowsBothKinds) {
  EXPECT_TRUE(IsIpLiteral(*ParseS3Endpoint("http://127.0.0.1:1")));
  EXPECT_TRUE(IsIpLiteral(*ParseS3Endpoint("http://[::1]")));
  EXPECT_FALSE(IsIpLiteral(*ParseS3Endpoint("http://localhost")));
}

}  // namespace
}  // namespace tidemark::store
