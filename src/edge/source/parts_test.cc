// Globs, lines and file tokens.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edge/source/file_token.h"
#include "edge/source/glob.h"
#include "edge/source/lines.h"
#include "io/lossy_file_system.h"

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void Write(io::FileSystem& disk, const std::string& path, std::string_view bytes) {
  const auto file = std::move(*disk.CreateLocked(path));
  ASSERT_TRUE(file->WriteAt(0, bytes));
}

std::vector<std::string> Texts(std::string_view bytes, bool to_end) {
  std::vector<std::string> texts;
  for (const Line& line : CutLines(bytes, to_end).lines) {
    texts.push_back(std::to_string(line.number) + ":" + std::string(line.text));
  }
  return texts;
}

TEST(CutLines, EndAtLineFeedsWithOrWithoutCarriageReturn) {
  EXPECT_THAT(Texts("a\nb\r\nc", true), ElementsAre("1:a", "2:b", "3:c"));
  EXPECT_THAT(Texts("a\rb\n", true), ElementsAre("1:a\rb"));
}

TEST(CutLines, LeaveOutEmptyOnesButCountThem) {
  EXPECT_THAT(Texts("\n\r\na\n\n", true), ElementsAre("3:a"));
  EXPECT_THAT(Texts("", true), IsEmpty());
}

TEST(CutLines, LeaveAnUnfinishedOneUntilTheEnd) {
  EXPECT_THAT(Texts("a\nb", false), ElementsAre("1:a"));
  EXPECT_EQ(CutLines("a\nb", false).consumed, 2u);
  EXPECT_EQ(CutLines("a\nb", true).consumed, 3u);
}

TEST(ExpandGlob, MatchesWithinOnePartOfThePath) {
  io::LossyFileSystem disk;
  for (const auto* folder : {"/in", "/in/one", "/in/two", "/in/two/deep"}) {
    ASSERT_TRUE(disk.MakeFolder(folder));
  }
  for (const auto* path : {"/in/b.log",
                           "/in/a.log",
                           "/in/.hidden.log",
                           "/in/a.txt",
                           "/in/one/1.log",
                           "/in/two/2.log",
                           "/in/two/deep/3.log"}) {
    Write(disk, path, "");
  }
  EXPECT_THAT(*ExpandGlob(disk, "/in/*.log"), ElementsAre("/in/a.log", "/in/b.log"));
  EXPECT_THAT(*ExpandGlob(disk, "/in/*/*.log"), ElementsAre("/in/one/1.log", "/in/two/2.log"));
  EXPECT_THAT(*ExpandGlob(disk, "/in/t?o/*"), ElementsAre("/in/two/2.log"));
  EXPECT_THAT(*ExpandGlob(disk, "/in/[ab].log"), ElementsAre("/in/a.log", "/in/b.log"));
  EXPECT_THAT(*ExpandGlob(disk, "/in/.h*"), ElementsAre("/in/.hidden.log"));
  EXPECT_THAT(*ExpandGlob(disk, "/none/*"), IsEmpty());
  EXPECT_THAT(*ExpandGlob(disk, "/any/path"), ElementsAre("/any/path"));
}

TEST(FileMark, ReadsBackWhatWasWritten) {
  const FileMark mark{.inode = 7,
                      .generation = 300,
                      .device = UINT64_MAX,
                      .head_bytes = 4096,
                      .head_hash = 1,
                      .offset = INT64_MAX,
                      .since = Position(INT64_MAX)};
  EXPECT_EQ(DecodeFileMark(format::DecodeSourceToken(EncodeFileMark(mark))), mark);
  EXPECT_EQ(DecodeFileMark({.stream = "x", .place = "y"}), std::nullopt);
}

class FindMarkTest : public ::testing::Test {
 protected:
  FindMarkTest() {
    Write(disk_, "/f", "head and more");
    file_ = std::move(*disk_.OpenToRead("/f"));
  }

  FileMark Read(std::uint64_t generation, std::int64_t offset) {
    const FileMark mark{.inode = file_->identity().inode,
                        .generation = generation,
                        .device = file_->identity().device};
    return *MarkAt(*file_, mark, offset);
  }

  io::LossyFileSystem disk_;
  std::unique_ptr<io::ReadFile> file_;
};

TEST_F(FindMarkTest, AFileThatNobodyKnowsBeginsAtItsBeginning) {
  const auto mark = FindMark(*file_, {});
  EXPECT_EQ(mark->offset, 0);
  EXPECT_EQ(mark->generation, 1u);
}

TEST_F(FindMarkTest, TheLatestThatFitsCounts) {
  EXPECT_EQ(*FindMark(*file_, {Read(1, 9), Read(2, 4)}), Read(2, 4));
}

TEST_F(FindMarkTest, AnotherBeginningIsAnotherFile) {
  FileMark other = Read(3, 4);
  ++other.head_hash;
  EXPECT_EQ(FindMark(*file_, {other})->offset, 0);
  EXPECT_EQ(FindMark(*file_, {other})->generation, 4u);
}

// On another device: the beginnings of two files may be the same too.
TEST_F(FindMarkTest, AMarkOfAnotherFileThatIsThereIsNotItsOwn) {
  const std::vector<FileMark> marks = {Read(1, 4), Read(3, 9)};
  EXPECT_EQ(*FindMark(*file_, marks, {Read(3, 10)}), Read(1, 4));
  EXPECT_EQ(*FindMark(*file_, marks, marks), Read(4, 0));
  EXPECT_EQ(*FindMark(*file_, {}, {Read(7, 1)}), Read(8, 0));
}

TEST_F(FindMarkTest, AShorterFileIsAnotherFile) {
  FileMark longer = Read(1, 4);
  longer.offset = 1000;
  EXPECT_EQ(FindMark(*file_, {longer})->offset, 0);
}

TEST_F(FindMarkTest, TheDeviceIsAHintOnly) {
  FileMark moved = Read(1, 4);
  moved.device = 99;
  EXPECT_EQ(FindMark(*file_, {moved})->offset, 4);
  EXPECT_EQ(FindMark(*file_, {moved})->device, file_->identity().device);
  FileMark younger = Read(1, 5);
  younger.since = Position(9);
  EXPECT_EQ(FindMark(*file_, {Read(2, 9), younger})->offset, 5);
  FileMark twin = Read(2, 9);
  twin.device = 98;
  EXPECT_EQ(FindMark(*file_, {twin, Read(1, 4)})->offset, 4);
}

}  // namespace
}  // namespace tidemark::edge
