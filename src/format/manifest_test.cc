#include "format/manifest.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

Manifest Example() {
  Manifest m;
  m.sink = "default";
  m.queue = "orders";
  m.window = {WindowNumber(8), Micros(1788516000000000), Micros(1788516300000000)};
  m.format = "jsonl";
  m.compression = "zstd";
  m.layout = "merged";
  ManifestObject object;
  object.key =
      "queen/queue=orders/dt=2026-09-04/hour=10/"
      "w-0000000008-1788516000000000-1788516300000000.jsonl.zst";
  object.bytes = 4413;
  object.records = 918;
  object.sha256 = std::string(64, 'a');
  m.objects = {object};
  m.records = 918;
  m.bytes = 4413;
  m.partitions = 5;
  m.min_ts = Micros(1788516000121004);
  m.max_ts = Micros(1788516299904881);
  m.writer = "queen-s3/1.5.0 jsonl+zstd";
  m.committed_at = ParseIso("2026-09-04T10:05:07.412Z").value();
  return m;
}

const std::string kExampleText =
    R"({"sink":"default","queue":"orders","k":8,"tStart":1788516000000000,"tEnd":1788516300000000,)"
    R"("format":"jsonl","compression":"zstd","layout":"merged","objects":[{"key":"queen/queue=orders/)"
    R"(dt=2026-09-04/hour=10/w-0000000008-1788516000000000-1788516300000000.jsonl.zst","bytes":4413,)"
    R"("records":918,"sha256":")" +
    std::string(64, 'a') +
    R"("}],"records":918,"bytes":4413,"partitions":5,"minTs":1788516000121004,)"
    R"("maxTs":1788516299904881,"lost":[],"writer":"queen-s3/1.5.0 jsonl+zstd",)"
    R"("committedAt":"2026-09-04T10:05:07.412000Z"})";

std::string Without(std::string text, std::string_view part) {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), "");
}

TEST(EncodeManifest, IsTheContractsExample) { EXPECT_EQ(EncodeManifest(Example()), kExampleText); }

TEST(DecodeManifest, IsTheInverse) { EXPECT_EQ(DecodeManifest(kExampleText).value(), Example()); }

TEST(EncodeManifest, OmitsTheTimesOfNoRecord) {
  auto m = Example();
  m.min_ts.reset();
  m.max_ts.reset();
  const auto text = EncodeManifest(m);
  EXPECT_EQ(text.find("Ts\""), std::string::npos);
  EXPECT_EQ(DecodeManifest(text).value(), m);
}

TEST(EncodeManifest, NamesTheLaneOfEachObject) {
  auto m = Example();
  m.layout = "per-partition";
  m.objects[0].lane = ManifestObject::Lane{"a\"b/ü", Offset(3), Offset(9)};
  const auto text = EncodeManifest(m);
  EXPECT_NE(text.find(R"("partition":"a\"b/ü","firstOffset":3,"lastOffset":9}])"),
            std::string::npos);
  EXPECT_EQ(DecodeManifest(text).value(), m);
}

TEST(EncodeManifest, ListsWhatWasLost) {
  auto m = Example();
  m.lost = {{"cust-0420", Offset(1400), Offset(1811)}, {"x", Offset(0), Offset(0)}};
  const auto text = EncodeManifest(m);
  EXPECT_NE(text.find(R"("lost":[{"partition":"cust-0420","from":1400,"to":1811},)"
                      R"({"partition":"x","from":0,"to":0}])"),
            std::string::npos);
  EXPECT_EQ(DecodeManifest(text).value(), m);
}

TEST(EncodeManifest, CommittedAtIsCutToMilliseconds) {
  auto m = Example();
  m.committed_at = m.committed_at + 999;
  EXPECT_EQ(EncodeManifest(m), kExampleText);
}

TEST(DecodeManifest, IgnoresFieldsOfLaterVersions) {
  auto text = kExampleText;
  text.insert(1, R"("tenant":{"id":[1,2]},)");
  EXPECT_EQ(DecodeManifest(text).value(), Example());
}

class MissingField : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(MissingField, IsNamed) {
  const auto decoded = DecodeManifest(Without(kExampleText, GetParam().second));
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
  EXPECT_NE(decoded.error().message.find(GetParam().first), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Fields,
    MissingField,
    testing::Values(std::pair{"sink", R"("sink":"default",)"},
                    std::pair{"tStart", R"("tStart":1788516000000000,)"},
                    std::pair{"sha256",
                              R"(,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)"
                              R"(aaaaaaaaaaaaaaaaaaaa")"},
                    std::pair{"lost", R"("lost":[],)"},
                    std::pair{"partitions", R"("partitions":5,)"},
                    std::pair{"committedAt", R"(,"committedAt":"2026-09-04T10:05:07.412000Z")"}));

class BadManifest : public testing::TestWithParam<const char*> {};

TEST_P(BadManifest, IsCorruption) {
  const auto decoded = DecodeManifest(GetParam());
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
}

INSTANTIATE_TEST_SUITE_P(Texts,
                         BadManifest,
                         testing::Values("", "{", "[]", "null", "7", "{\"sink\":1}", "\xff"));

TEST(DecodeManifest, RefusesFractionsAndOverflow) {
  for (const char* k : {"8.5", "9223372036854775808", "\"8\"", "null", "8e0"}) {
    auto text = kExampleText;
    text.replace(text.find("\"k\":8"), 5, std::string("\"k\":") + k);
    EXPECT_FALSE(DecodeManifest(text).has_value()) << k;
  }
}

TEST(DecodeManifest, EveryTruncationIsCorruption) {
  for (std::size_t size = 0; size < kExampleText.size(); ++size) {
    EXPECT_FALSE(DecodeManifest(kExampleText.substr(0, size)).has_value()) << size;
  }
}

TEST(Complete, HasItsText) {
  const Complete complete{.queue = "orders",
                          .k = WindowNumber(8),
                          .complete_through = Micros(1788516300000001),
                          .lost = 3,
                          .updated_at = ParseIso("2026-09-04T10:05:07.412Z").value()};
  const auto text = EncodeComplete(complete);
  EXPECT_EQ(text,
            R"({"queue":"orders","k":8,"completeThrough":"2026-09-04T10:05:00.000001Z","lost":3,)"
            R"("updatedAt":"2026-09-04T10:05:07.412000Z"})");
  EXPECT_EQ(DecodeComplete(text).value(), complete);
}

}  // namespace
}  // namespace tidemark::format
