#include "format/object_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tidemark::format {
namespace {

// Ten o'clock to five past, window 1842 of the contract's examples.
constexpr Window kWindow{WindowNumber(1842), Micros(1788516000000000), Micros(1788516300000000)};

Form Parquet() {
  Form form;
  form.data_format = DataFormat::kParquet;
  return form;
}

Form Aligned(Align align) {
  Form form;
  form.align = align;
  return form;
}

class Escapes : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Escapes, AsTheContractSays) { EXPECT_EQ(EscapeName(GetParam().first), GetParam().second); }

TEST_P(Escapes, ReadBack) { EXPECT_EQ(UnescapeName(GetParam().second).value(), GetParam().first); }

INSTANTIATE_TEST_SUITE_P(Names,
                         Escapes,
                         testing::Values(std::pair{"orders", "orders"},
                                         std::pair{"svc.billing", "svc.billing"},
                                         std::pair{"cust-0420", "cust-0420"},
                                         std::pair{"a_B-9.", "a_B-9."},
                                         std::pair{"a/b", "a%2Fb"},
                                         std::pair{"with space", "with%20space"},
                                         std::pair{"../../etc", "..%2F..%2Fetc"},
                                         std::pair{"caffè", "caff%C3%A8"},
                                         std::pair{"100%", "100%25"},
                                         std::pair{"dt=x", "dt%3Dx"},
                                         std::pair{"~", "%7E"},
                                         std::pair{"\x01\xff", "%01%FF"},
                                         std::pair{"..", ".."},
                                         std::pair{"", ""}));

TEST(EscapeName, CoversTheZeroByte) { EXPECT_EQ(EscapeName(std::string_view("\0", 1)), "%00"); }

TEST(EscapePathName, EscapesDotSegmentsWhole) {
  EXPECT_EQ(EscapePathName("."), "%2E");
  EXPECT_EQ(EscapePathName(".."), "%2E%2E");
  EXPECT_EQ(EscapePathName("..."), "...");
}

TEST(UnescapeName, ReadsDotSegments) {
  EXPECT_EQ(UnescapeName("%2E").value(), ".");
  EXPECT_EQ(UnescapeName("%2E%2E").value(), "..");
}

class BadEscapes : public testing::TestWithParam<const char*> {};

TEST_P(BadEscapes, AreRefused) {
  const auto name = UnescapeName(GetParam());
  ASSERT_FALSE(name.has_value());
  EXPECT_EQ(name.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(name.error().message.find(GetParam()), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Names,
    BadEscapes,
    testing::Values(
        "a%2fb", "a%", "a%2", "%GG", "a%41", "a%2Eb", "%2E.", "a/b", "a b", "%2E%2E%2E"));

TEST(MergedObjectKey, IsTheContractsExample) {
  EXPECT_EQ(MergedObjectKey(Form(), "orders", kWindow),
            "queen/queue=orders/dt=2026-09-04/hour=10/"
            "w-0000001842-1788516000000000-1788516300000000.jsonl.zst");
}

TEST(MergedObjectKey, DayAlignmentHasNoHour) {
  EXPECT_EQ(
      MergedObjectKey(Aligned(Align::kDay), "orders", kWindow),
      "queen/queue=orders/dt=2026-09-04/w-0000001842-1788516000000000-1788516300000000.jsonl.zst");
}

TEST(MergedObjectKey, WithoutAlignmentTheStartNamesTheHour) {
  const Window straddling{WindowNumber(1), kWindow.start, kWindow.start + 2 * kMicrosPerHour};
  EXPECT_EQ(MergedObjectKey(Aligned(Align::kNone), "orders", straddling),
            "queen/queue=orders/dt=2026-09-04/hour=10/"
            "w-0000000001-1788516000000000-1788523200000000.jsonl.zst");
}

TEST(MergedObjectKey, PrintsNegativeTimesAsZero) {
  const Window early{WindowNumber(1), Micros(-1), Micros(1)};
  EXPECT_EQ(MergedObjectKey(Form(), "q", early),
            "queen/queue=q/dt=1969-12-31/hour=23/"
            "w-0000000001-0000000000000000-0000000000000001.jsonl.zst");
}

TEST(MergedObjectKey, NoNameLeavesItsFolder) {
  EXPECT_EQ(MergedObjectKey(Form(), "..", kWindow).find("/../"), std::string::npos);
  EXPECT_EQ(MergedObjectKey(Form(), "../x", kWindow).find("../"), std::string::npos);
}

TEST(MergedObjectKey, WithoutPrefixBeginsAtTheRoot) {
  Form form;
  form.prefix = "";
  EXPECT_TRUE(MergedObjectKey(form, "q", kWindow).starts_with("queue=q/"));
}

TEST(MergedObjectKey, SortsInWindowOrderAcrossHours) {
  std::vector<std::string> keys;
  for (std::int64_t k = 8; k <= 12; ++k) {
    const Micros start = kWindow.start + (k - 8) * 20 * 60 * kMicrosPerSecond;
    keys.push_back(MergedObjectKey(Form(), "q", {WindowNumber(k), start, start + 1}));
  }
  EXPECT_TRUE(std::ranges::is_sorted(keys));
}

TEST(LaneObjectKey, IsTheContractsExample) {
  EXPECT_EQ(
      LaneObjectKey(Parquet(), "orders", kWindow, "cust-0420", Offset(1400), Offset(1811)),
      "queen/queue=orders/dt=2026-09-04/hour=10/w-0000001842-1788516000000000-1788516300000000"
      "-p-cust-0420-000000001400-000000001811.parquet");
}

TEST(Sidecars, HaveTheirPlaces) {
  EXPECT_EQ(ManifestKey("queen", "orders", WindowNumber(1842)),
            "queen/_queen/orders/windows/0000001842.json");
  EXPECT_EQ(CheckpointKey("queen", "orders", WindowNumber(1840)),
            "queen/_queen/orders/checkpoint/0000001840.json.zst");
  EXPECT_EQ(CompleteKey("queen", "a/b"), "queen/_queen/a%2Fb/complete.json");
  EXPECT_EQ(LostSidecarKey("queen", "..", WindowNumber(7), "ab12"),
            "queen/_queen/%2E%2E/lost/0000000007-ab12.json");
}

TEST(TrialKey, LiesBesideCheckpointsAndIsNone) {
  const auto key = TrialKey("queen", 0xab);
  EXPECT_EQ(key, "queen/_queen/.check/checkpoint/00000000000000ab.txt");
  EXPECT_TRUE(IsTrialKey("queen", key));
  EXPECT_EQ(ParseCheckpointKey("queen", ".check", key), std::nullopt);
  EXPECT_FALSE(IsTrialKey("queen", CheckpointKey("queen", ".check", WindowNumber(12'345'678))));
  EXPECT_FALSE(IsTrialKey("other", key));
}

TEST(ParseManifestKey, ReadsItsOwn) {
  EXPECT_EQ(ParseManifestKey("queen", "a/b", ManifestKey("queen", "a/b", WindowNumber(9))),
            WindowNumber(9));
  EXPECT_EQ(ParseManifestKey("queen", "q", "queen/_queen/q/windows/10000000000.json"),
            WindowNumber(10000000000));
}

class NoManifestKeys : public testing::TestWithParam<const char*> {};

TEST_P(NoManifestKeys, AreNone) {
  EXPECT_EQ(ParseManifestKey("queen", "q", GetParam()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Keys,
                         NoManifestKeys,
                         testing::Values("queen/_queen/q/windows/1.json",
                                         "queen/_queen/q/windows/00000000001.json",
                                         "queen/_queen/q/windows/000000000x.json",
                                         "queen/_queen/q/windows/-000000001.json",
                                         "queen/_queen/q/windows/0000000001.json.tmp",
                                         "queen/_queen/q/windows/.json",
                                         "queen/_queen/q/windows/0000000001.json.zst",
                                         "queen/_queen/qq/windows/0000000001.json",
                                         "other/_queen/q/windows/0000000001.json",
                                         "queen/_queen/q/windows/99999999999999999999.json",
                                         ""));

TEST(ParseCheckpointKey, TakesOnlyCheckpoints) {
  EXPECT_EQ(ParseCheckpointKey("queen", "q", "queen/_queen/q/checkpoint/0000001840.json.zst"),
            WindowNumber(1840));
  EXPECT_EQ(ParseCheckpointKey("queen", "q", "queen/_queen/q/checkpoint/0000001840.json"),
            std::nullopt);
  EXPECT_EQ(ParseCheckpointKey("queen", "q", "queen/_queen/q/windows/0000001840.json.zst"),
            std::nullopt);
}

TEST(ParseDataKey, TakesAMergedKeyApart) {
  const auto parts = ParseDataKey("queen", MergedObjectKey(Form(), "a/b", kWindow));
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->queue, "a/b");
  EXPECT_EQ(parts->window, kWindow);
  EXPECT_EQ(parts->extension, "jsonl.zst");
  EXPECT_TRUE(parts->has_hour);
  EXPECT_FALSE(parts->lane.has_value());
}

TEST(ParseDataKey, KnowsDayAlignment) {
  const auto parts = ParseDataKey("queen", MergedObjectKey(Aligned(Align::kDay), "q", kWindow));
  ASSERT_TRUE(parts.has_value());
  EXPECT_FALSE(parts->has_hour);
}

class LaneNames : public testing::TestWithParam<const char*> {};

TEST_P(LaneNames, SurviveTheKey) {
  const auto key =
      LaneObjectKey(Parquet(), "q", kWindow, GetParam(), Offset(1), Offset(1'000'000'000'000));
  const auto parts = ParseDataKey("queen", key);
  ASSERT_TRUE(parts.has_value()) << parts.error().message;
  ASSERT_TRUE(parts->lane.has_value());
  EXPECT_EQ(parts->lane->partition, GetParam());
  EXPECT_EQ(parts->lane->first, Offset(1));
  EXPECT_EQ(parts->lane->last, Offset(1'000'000'000'000));
  EXPECT_EQ(parts->extension, "parquet");
}

INSTANTIATE_TEST_SUITE_P(Partitions,
                         LaneNames,
                         testing::Values("cust-0420",
                                         "a-000000000001-000000000002",
                                         "x.jsonl.zst",
                                         "-p-",
                                         "..",
                                         "région-eu",
                                         "cust 42/eu",
                                         "-"));

struct BadKey {
  const char* key;
  const char* why;
};

class NoDataKeys : public testing::TestWithParam<BadKey> {};

TEST_P(NoDataKeys, AreRefusedWithTheReason) {
  const auto parts = ParseDataKey("queen", GetParam().key);
  ASSERT_FALSE(parts.has_value());
  EXPECT_EQ(parts.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(parts.error().message.find(GetParam().why), std::string::npos) << parts.error().message;
}

#define FOLDER "queen/queue=q/dt=2026-09-04/hour=10/"
#define TIMES "1788516000000000-1788516300000000"
INSTANTIATE_TEST_SUITE_P(
    Keys,
    NoDataKeys,
    testing::Values(
        BadKey{"other/queue=q/x.parquet", "not below"},
        BadKey{"queen/q/x.parquet", "queue="},
        BadKey{"queen/queue=a%2fb/dt=2026-09-04/hour=10/w-0000000001-" TIMES ".parquet", "hex"},
        BadKey{"queen/queue=../dt=2026-09-04/hour=10/w-0000000001-" TIMES ".parquet", "dot queue"},
        BadKey{"queen/queue=q/w.parquet", "dt="},
        BadKey{FOLDER "w-0000000001-" TIMES ".csv", "extension"},
        BadKey{FOLDER "x-0000000001-" TIMES ".parquet", "w-"},
        BadKey{FOLDER "w-1-" TIMES ".parquet", "10, 16 and 16"},
        BadKey{FOLDER "w-00000000001-" TIMES ".parquet", "10, 16 and 16"},
        BadKey{FOLDER "w-0000000001-1788516000000000.parquet", "10, 16 and 16"},
        BadKey{FOLDER "w-0000000001-" TIMES "-copy.parquet", "-p-"},
        BadKey{FOLDER "w-0000000001-" TIMES "-p-a.parquet", "<first>"},
        BadKey{FOLDER "w-0000000001-" TIMES "-p-a-1-2.parquet", "12 digits"},
        BadKey{FOLDER "w-0000000001-" TIMES "-p-..-000000000001-000000000002.parquet", "dot"},
        BadKey{"queen/queue=q/dt=2026-09-04/hour=11/w-0000000001-" TIMES ".parquet", "belongs"},
        BadKey{"queen/queue=q/dt=2026-09-05/w-0000000001-" TIMES ".parquet", "belongs"}));
#undef FOLDER
#undef TIMES

TEST(CheckNameFits, StopsAtTheFolderNamesLimit) {
  EXPECT_TRUE(CheckNameFits(std::string(249, 'q')).has_value());
  EXPECT_FALSE(CheckNameFits(std::string(250, 'q')).has_value());
}

TEST(CheckNameFits, CountsEscapedBytes) {
  EXPECT_TRUE(CheckNameFits(std::string(83, '/')).has_value());
  EXPECT_FALSE(CheckNameFits(std::string(84, '/')).has_value());
}

TEST(CheckLaneNameFits, LeavesRoomForTheRestOfTheName) {
  const Form parquet{.data_format = DataFormat::kParquet};
  for (const auto& [form, most] : {std::pair(Form(), 170U), std::pair(parquet, 172U)}) {
    const auto longest = std::string(most, 'p');
    EXPECT_TRUE(CheckLaneNameFits(form, longest).has_value());
    const auto key = LaneObjectKey(form, "q", kWindow, longest, Offset(0), Offset(1));
    EXPECT_EQ(key.size() - key.rfind('/') - 1, 255U);
    EXPECT_FALSE(CheckLaneNameFits(form, longest + "p").has_value());
  }
}

}  // namespace
}  // namespace tidemark::format
