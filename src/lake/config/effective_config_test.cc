#include "lake/config/effective_config.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::lake {
namespace {

Environment S3() {
  return {{"QUEEN_S3_QUEUES", "orders"},
          {"QUEEN_S3_ENDPOINT", "https://s3.example/"},
          {"QUEEN_S3_REGION", "eu-central-1"},
          {"QUEEN_S3_BUCKET", "lake"},
          {"QUEEN_S3_ACCESS_KEY", "hush-access"},
          {"QUEEN_S3_SECRET_KEY", "hush-secret"},
          {"QUEEN_S3_INSTANCE", "sink-0"}};
}

// The words of the line of `variable`, apart by one blank.
std::string LineOf(const Environment& environment, const std::string& variable) {
  io::SeededRandom random(1);
  const std::string text =
      EffectiveConfig(environment, ParseLakeConfig(environment, random).value());
  const auto at = text.find("  " + variable + " ");
  if (at == std::string::npos) return "";
  std::string words;
  for (const char c : text.substr(at + 2, text.find('\n', at) - at - 2)) {
    if (c != ' ' || !words.ends_with(' ')) words += c;
  }
  return words;
}

TEST(EffectiveConfig, SaysWhatIsSetAndWhatIsDefault) {
  EXPECT_EQ(LineOf(S3(), "QUEEN_S3_QUEUES"), "QUEEN_S3_QUEUES orders set");
  EXPECT_EQ(LineOf(S3(), "QUEEN_S3_TARGET_MB"), "QUEEN_S3_TARGET_MB 128 default");
  EXPECT_EQ(LineOf(S3(), "QUEEN_S3_SSE"), "QUEEN_S3_SSE <unset> default");
}

TEST(EffectiveConfig, ShowsTheValueInEffectNotTheOneWritten) {
  Environment environment = S3();
  environment["QUEEN_S3_FORMAT"] = "NDJSON";
  environment["QUEEN_S3_PREFIX"] = "/a/b/";
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_FORMAT"), "QUEEN_S3_FORMAT jsonl set");
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_PREFIX"), "QUEEN_S3_PREFIX a/b set");
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_ENDPOINT"), "QUEEN_S3_ENDPOINT https://s3.example set");
}

TEST(EffectiveConfig, NeverHoldsASecret) {
  Environment environment = S3();
  environment["QUEEN_TOKEN"] = "hush-token";
  environment["QUEEN_S3_SESSION_TOKEN"] = "hush-session";
  environment["QUEEN_S3_SSE"] = "kms";
  environment["QUEEN_S3_SSE_KMS_KEY_ID"] = "hush-key-9876";
  for (const char* secret :
       {"QUEEN_TOKEN", "QUEEN_S3_ACCESS_KEY", "QUEEN_S3_SECRET_KEY", "QUEEN_S3_SESSION_TOKEN"}) {
    EXPECT_EQ(LineOf(environment, secret), std::string(secret) + " <set> set");
  }
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_SSE_KMS_KEY_ID"), "QUEEN_S3_SSE_KMS_KEY_ID …9876 set");
}

TEST(EffectiveConfig, SaysWhereTheInstanceNameComesFrom) {
  Environment environment = S3();
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_INSTANCE"), "QUEEN_S3_INSTANCE sink-0 set");
  environment.erase("QUEEN_S3_INSTANCE");
  EXPECT_TRUE(LineOf(environment, "QUEEN_S3_INSTANCE").ends_with(" generated"));
  environment["HOSTNAME"] = "host";
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_INSTANCE"), "QUEEN_S3_INSTANCE host from HOSTNAME");
}

TEST(EffectiveConfig, ADirectoryLeavesOutWhatIsNotLookedAt) {
  const Environment environment{{"QUEEN_S3_QUEUES", "*"}, {"QUEEN_S3_ENDPOINT", "file:///lake"}};
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_BUCKET"), "QUEEN_S3_BUCKET lake default");
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_REGION"), "");
  EXPECT_EQ(LineOf(environment, "QUEEN_S3_EMBEDDED"), "");
}

}  // namespace
}  // namespace tidemark::lake
