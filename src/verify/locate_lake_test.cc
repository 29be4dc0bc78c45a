#include "verify/locate_lake.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "format/manifest.h"

namespace tidemark::verify {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LocateLakeTest : public testing::Test {
 public:
  LocateLakeTest()
      : root_(fs::canonical(fs::temp_directory_path()) /
              fmt::format("locate-lake-{:08x}", std::random_device()())) {
    fs::create_directories(root_);
  }

  ~LocateLakeTest() override { fs::remove_all(root_); }

 protected:
  // A lake at `folder` below the root whose manifest says that keys begin with `prefix`.
  void MakeLake(const fs::path& folder, const std::string& prefix) {
    const fs::path windows = root_ / folder / "_queen/q/windows";
    fs::create_directories(windows);
    format::Manifest manifest;
    manifest.objects = {{.key = (prefix.empty() ? "" : prefix + "/") + "queue=q/dt=x/w-1.jsonl",
                         .bytes = 0,
                         .records = 0,
                         .sha256 = "",
                         .lane = {}}};
    std::ofstream(windows / "0000000001.json") << format::EncodeManifest(manifest);
  }

  LakePlace Place(const fs::path& bucket, const std::string& prefix) {
    return {root_ / bucket, prefix};
  }

  fs::path root_;
};

TEST_F(LocateLakeTest, FindsItFromEveryFolderAbove) {
  MakeLake("lake/queen", "queen");
  for (const char* named : {"", "lake", "lake/queen", "lake/queen/"}) {
    EXPECT_EQ(LocateLake(root_ / named).value(), Place("lake", "queen")) << named;
  }
}

TEST_F(LocateLakeTest, KnowsAPrefixOfSeveralSegments) {
  MakeLake("lake/team/a", "team/a");
  EXPECT_EQ(LocateLake(root_ / "lake/team/a").value(), Place("lake", "team/a"));
  EXPECT_EQ(LocateLake(root_).value(), Place("lake", "team/a"));
}

TEST_F(LocateLakeTest, KnowsALakeWithoutPrefix) {
  MakeLake("lake", "");
  EXPECT_EQ(LocateLake(root_ / "lake").value(), Place("lake", ""));
}

TEST_F(LocateLakeTest, WithoutAManifestTheFolderNamesThePrefix) {
  fs::create_directories(root_ / "lake/queen/_queen");
  EXPECT_EQ(LocateLake(root_).value(), Place("lake", "queen"));
}

TEST_F(LocateLakeTest, ACopyUnderAnotherNameIsReadAsThatName) {
  MakeLake("backup/copy", "queen");
  EXPECT_EQ(LocateLake(root_).value(), Place("backup", "copy"));
}

TEST_F(LocateLakeTest, SaysWhenThereIsNone) {
  const auto place = LocateLake(root_);
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(place.error().message, HasSubstr("_queen"));
}

TEST_F(LocateLakeTest, SaysWhenTheFolderIsNotThere) {
  EXPECT_EQ(LocateLake(root_ / "nowhere").error().code, ErrorCode::kNotFound);
}

TEST_F(LocateLakeTest, NamesSeveral) {
  MakeLake("lake/a", "a");
  MakeLake("lake/b", "b");
  const auto place = LocateLake(root_);
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(place.error().message, HasSubstr("lake/a, "));
}

TEST_F(LocateLakeTest, LooksPastHiddenFoldersAndData) {
  MakeLake("lake/queen", "queen");
  MakeLake(".tidemark-tmp/x", "x");
  MakeLake("lake/queue=odd", "y");
  EXPECT_EQ(LocateLake(root_).value(), Place("lake", "queen"));
}

}  // namespace
}  // namespace tidemark::verify
