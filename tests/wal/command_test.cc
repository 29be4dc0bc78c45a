// `tidemark wal fsck | dump | repair` as their users see them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include "tests/support/temp_folder.h"
#include "tests/support/wal_rig.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Ended {
  int code = -1;
  std::string text;  // of both streams
};

class WalCommand : public ::testing::Test {
 protected:
  WalCommand() {
    test::WalLife life(disk_, {.folder = folder_.path() + "/wal"});
    EXPECT_TRUE(life.Open());
    EXPECT_TRUE(life.Append({"alpha", "beta"}));
    EXPECT_TRUE(life.Append({"gamma"}));
  }

  Ended Run(const std::string& arguments) {
    const std::string line = fmt::format("{} wal {} 2>&1", TIDEMARK_PROGRAM, arguments);
    FILE* const out = popen(line.c_str(), "r");
    Ended ended;
    for (int c = fgetc(out); c != EOF; c = fgetc(out)) ended.text.push_back(static_cast<char>(c));
    const int status = pclose(out);
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ended;
  }

  std::string Data() const { return " --data " + folder_.path(); }

  void Damage() {
    const std::string path = folder_.path() + "/wal/00000000000000000001.wal";
    std::string bytes = *disk_.Read(path, 0, INT64_MAX);
    bytes[bytes.find("beta")] = 'B';
    ASSERT_TRUE(disk_.Remove(path));
    ASSERT_TRUE((*disk_.CreateLocked(path))->WriteAt(0, bytes));
  }

  test::TempFolder folder_;
  io::PosixFileSystem disk_;
};

TEST_F(WalCommand, FsckSaysWhatIsThere) {
  const Ended ended = Run("fsck" + Data());
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.text, AllOf(HasSubstr("ends at 3"), HasSubstr("positions 1 to 3  2 groups")));
}

TEST_F(WalCommand, DumpPrintsRecords) {
  const Ended ended = Run("dump --from 2 --limit 1" + Data());
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.text, AllOf(HasSubstr("\"payload\":\"beta\""), Not(HasSubstr("gamma"))));
}

TEST_F(WalCommand, DamageIsExitCode3UntilItIsRepaired) {
  Damage();
  const Ended damaged = Run("fsck" + Data());
  EXPECT_EQ(damaged.code, 3);
  EXPECT_THAT(damaged.text, HasSubstr("tidemark wal repair" + Data()));
  EXPECT_EQ(Run("dump" + Data()).code, 3);
  const Ended repaired = Run("repair" + Data());
  EXPECT_EQ(repaired.code, 0);
  EXPECT_THAT(repaired.text, HasSubstr("positions 2 to 2 are lost"));
  EXPECT_EQ(Run("fsck" + Data()).code, 0);
  EXPECT_THAT(Run("dump" + Data()).text, AllOf(HasSubstr("alpha"), HasSubstr("gamma")));
  EXPECT_THAT(Run("repair" + Data()).text, HasSubstr("nothing is damaged"));
}

TEST_F(WalCommand, AFolderWithoutALogAndWrongUsageAreSaid) {
  EXPECT_THAT(Run("fsck --data /nowhere").text, HasSubstr("/nowhere/wal: no write-ahead log"));
  EXPECT_EQ(Run("fsck --data /nowhere").code, 1);
  EXPECT_EQ(Run("fsck").code, 2);
  EXPECT_EQ(Run("").code, 2);
}

}  // namespace
}  // namespace tidemark
