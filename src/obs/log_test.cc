#include "obs/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace tidemark::obs {
namespace {

constexpr Micros kNow{1'788'516'000'000'000};

class LogTest : public ::testing::Test {
 protected:
  Log NewLog(LogOptions options = {}) {
    return Log(
        clock_, std::move(options), [this](std::string_view line) { lines_.emplace_back(line); });
  }

  io::ManualClock clock_{kNow};
  std::vector<std::string> lines_;
};

TEST_F(LogTest, ATextLineHasTimeLevelTargetMessageAndFields) {
  auto log = NewLog();
  log.Info("window committed", {{"queue", "orders"}, {"k", 8}, {"lag_seconds", 1.5}});
  EXPECT_EQ(lines_.at(0),
            "2026-09-04T10:00:00.000000Z  INFO queen_s3: window committed queue=orders k=8 "
            "lag_seconds=1.5\n");
}

TEST_F(LogTest, AJsonLineIsOneDocument) {
  auto log = NewLog({.format = LogFormat::kJson});
  log.Warn("lost \"range\"", {{"queue", "a\nb"}, {"from", 3}});
  EXPECT_EQ(lines_.at(0),
            R"({"timestamp":"2026-09-04T10:00:00.000000Z","level":"WARN","target":"queen_s3",)"
            R"("fields":{"message":"lost \"range\"","queue":"a\nb","from":3}})"
            "\n");
}

TEST_F(LogTest, ATextLineStaysOneLineWhateverAValueHolds) {
  auto log = NewLog();
  log.Info("two\nlines", {{"queue", "a b"}, {"error", "x\ny"}, {"empty", ""}});
  EXPECT_EQ(lines_.at(0),
            "2026-09-04T10:00:00.000000Z  INFO queen_s3: \"two\\nlines\" queue=\"a b\" "
            "error=\"x\\ny\" empty=\"\"\n");
}

TEST_F(LogTest, BytesThatAreNoUtf8AreReplaced) {
  auto log = NewLog({.format = LogFormat::kJson});
  // A stray byte, half a character, an overlong slash, a surrogate; then characters of each length.
  log.Info("\xFF|\xE2\x82|\xC0\xAF|\xED\xA0\x80|é€😀", {{"error", "\xC3"}});
  EXPECT_EQ(lines_.at(0),
            R"({"timestamp":"2026-09-04T10:00:00.000000Z","level":"INFO","target":"queen_s3",)"
            R"("fields":{"message":"�|��|��|���|é€😀","error":"�"}})"
            "\n");
  auto text_log = NewLog();
  text_log.Info("m", {{"error", "\xFF"}});
  EXPECT_NE(lines_.at(1).find("error=�\n"), std::string::npos);
}

TEST_F(LogTest, WritesNothingAboveItsLevel) {
  auto log = NewLog({.level = Level::kWarn});
  log.Info("not this");
  log.Error("but this");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("but this"), std::string::npos);
}

TEST_F(LogTest, ASampledFaultSaysHowManyWereLeftOut) {
  auto log = NewLog();
  for (int i = 0; i < 3; ++i) log.Sampled("fetch", "fetch failed");
  log.Sampled("kv", "kv failed");
  clock_.Set(kNow + 5 * kMicrosPerSecond);
  log.Sampled("fetch", "fetch failed");
  ASSERT_EQ(lines_.size(), 3u);
  EXPECT_EQ(lines_[0].find("suppressed"), std::string::npos);
  EXPECT_NE(lines_[2].find("fetch failed suppressed=2\n"), std::string::npos);
}

TEST_F(LogTest, LinesOfSeveralThreadsAreWrittenWhole) {
  auto log = NewLog();
  {
    std::vector<std::jthread> writers;
    writers.reserve(4);
    for (int t = 0; t < 4; ++t) {
      writers.emplace_back([&log] {
        for (int i = 0; i < 100; ++i) log.Info("m", {{"i", i}});
      });
    }
  }
  EXPECT_EQ(lines_.size(), 400u);
}

TEST(Sampler, PassesOnePerGateWithTheNumberSuppressed) {
  const auto at = [](std::int64_t ms) { return Micros(ms * kMicrosPerMilli); };
  Sampler sampler(1'000);
  EXPECT_EQ(sampler.Admit("k", at(10'000)), 0);
  EXPECT_EQ(sampler.Admit("k", at(10'400)), std::nullopt);
  EXPECT_EQ(sampler.Admit("k", at(10'999)), std::nullopt);
  EXPECT_EQ(sampler.Admit("k", at(11'000)), 2);
  EXPECT_EQ(sampler.Admit("k", at(12'000)), 0);
}

TEST(Sampler, AClockThatStepsBackDoesNotWedgeIt) {
  Sampler sampler(1'000);
  EXPECT_EQ(sampler.Admit("k", Micros(10 * kMicrosPerSecond)), 0);
  EXPECT_EQ(sampler.Admit("k", Micros(2 * kMicrosPerSecond)), 0);
  EXPECT_EQ(sampler.Admit("k", Micros(2 * kMicrosPerSecond)), std::nullopt);
  EXPECT_EQ(sampler.Admit("k", Micros(3 * kMicrosPerSecond)), 1);
}

TEST(LevelFor, TheLongestTargetWins) {
  EXPECT_EQ(LevelFor("warn,queen_s3=info,queen-s3=info", "queen_s3"), Level::kInfo);
  EXPECT_EQ(LevelFor("queen=trace,warn", "queen_s3"), Level::kTrace);
  EXPECT_EQ(LevelFor("warn,hyper=debug", "queen_s3"), Level::kWarn);
  EXPECT_EQ(LevelFor("queen-s3=debug", "queen_s3"), Level::kDebug);
  EXPECT_EQ(LevelFor(" INFO , ", "queen_s3"), Level::kInfo);
  EXPECT_EQ(LevelFor("off", "queen_s3"), Level::kOff);
}

TEST(LevelFor, WithoutADirectiveOnlyErrorsPass) {
  EXPECT_EQ(LevelFor("hyper=debug", "queen_s3"), Level::kError);
}

TEST(LevelFor, NamesWhatItDoesNotUnderstand) {
  const auto level = LevelFor("warn,queen_s3=loud", "queen_s3");
  EXPECT_EQ(level.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(level.error().message.find("queen_s3=loud"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::obs
