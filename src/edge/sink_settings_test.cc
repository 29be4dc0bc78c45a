#include "edge/sink_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;

constexpr char kTwoSinks[] = R"(
node_id: gw-01
data_dir: /d
sources: []
datasets:
  - { id: first, fields: [{ id: 1000, name: v, type: i64 }] }
  - { id: second, fields: [{ id: 1000, name: v, type: i64 }] }
  - { id: nobody, fields: [{ id: 1000, name: v, type: i64 }] }
sinks:
  - { id: one, kind: parquet, config: { datasets: [first] } }
  - { id: two, kind: parquet, config: { datasets: [second] } }
)";

PipelineConfig TwoSinks() {
  auto config = ParsePipeline(kTwoSinks, "p.yaml");
  TIDEMARK_CHECK(config.has_value(), "{}", config.error().message);
  return *std::move(config);
}

std::vector<std::string> Ids(const std::vector<DatasetSpec>& specs) {
  std::vector<std::string> ids;
  ids.reserve(specs.size());
  for (const DatasetSpec& spec : specs) ids.push_back(spec.id);
  return ids;
}

TEST(SinkSettings, OneSinkKeepsWhatNobodyTakes) {
  const PipelineConfig config = TwoSinks();
  EXPECT_TRUE(SettingsOf(config, 0, "").keeps_unmatched);
  EXPECT_FALSE(SettingsOf(config, 1, "").keeps_unmatched);
}

// Records of a data set that no sink has would be neither rows nor rejects.
TEST(SinkSettings, ADataSetThatNoSinkHasIsNotElsewhere) {
  const PipelineConfig config = TwoSinks();
  const SinkOptions options = SettingsOf(config, 0, "");
  EXPECT_THAT(Ids(options.datasets), ElementsAre("first"));
  EXPECT_THAT(Ids(options.datasets_elsewhere), ElementsAre("second"));
}

}  // namespace
}  // namespace tidemark::edge
