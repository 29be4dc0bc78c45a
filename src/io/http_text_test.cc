#include "io/http_text.h"

#include <gtest/gtest.h>

namespace tidemark::io {
namespace {

HttpServerRequest With(std::string authorization) {
  HttpServerRequest request;
  request.headers.emplace_back("authorization", std::move(authorization));
  return request;
}

TEST(PercentDecode, GivesTheBytes) {
  EXPECT_EQ(PercentDecode("a/b"), "a/b");
  EXPECT_EQ(PercentDecode("%2Fa%c3%a4"), "/aä");
  EXPECT_EQ(PercentDecode("%00"), std::string(1, '\0'));
}

TEST(PercentDecode, RefusesHalfAnEscape) {
  for (const auto* text : {"%", "%2", "%zz", "%2g", "a%", "%+1"}) {
    EXPECT_EQ(PercentDecode(text), std::nullopt) << text;
  }
}

TEST(HasBearerToken, WantsTheSchemeAndTheWholeToken) {
  EXPECT_TRUE(HasBearerToken(With("Bearer secret"), "secret"));
  for (const auto* given : {"Bearer secre", "Bearer secret ", "secret", "Basic secret", ""}) {
    EXPECT_FALSE(HasBearerToken(With(given), "secret")) << given;
  }
  EXPECT_FALSE(HasBearerToken(HttpServerRequest(), "secret"));
}

}  // namespace
}  // namespace tidemark::io
