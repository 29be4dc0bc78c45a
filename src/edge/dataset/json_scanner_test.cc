#include "edge/dataset/json_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;

const std::string kLine =
    R"({"seq": 7, "robot":"r-é1","pose":{"x":-1.5,"y":2e3,"tags":[1,2]},"ok":true,"note":"a\"b\u00e9"})";

JsonShape ShapeOf(const std::vector<std::string>& pointers) {
  JsonShape shape;
  for (const std::string& pointer : pointers) EXPECT_TRUE(shape.AddSlot(pointer).has_value());
  return shape;
}

// A scanner with its shape, and the texts of the slots of the last document.
class Scan {
 public:
  explicit Scan(const std::vector<std::string>& pointers,
                UnknownFields unknown = UnknownFields::kStrict)
      : pointers_(pointers), shape_(ShapeOf(pointers)), scanner_(shape_, unknown) {}

  // The fault, or every slot as `kind:text`, then the undeclared leaves.
  std::vector<std::string> Of(std::string document) {
    const std::size_t size = document.size();
    document.resize(size + simdjson::SIMDJSON_PADDING, '7');
    document_ = std::move(document);
    if (const auto reject = scanner_.Scan(std::string_view(document_).substr(0, size))) {
      return {std::string(reject->reason) + " " + reject->detail};
    }
    std::vector<std::string> result;
    for (std::size_t slot = 0; slot < shape_.slots(); ++slot) {
      const Token& token = scanner_.slot(static_cast<int>(slot));
      result.push_back(std::to_string(static_cast<int>(token.kind)) + ":" + std::string(token.raw) +
                       (token.escaped ? " escaped" : ""));
    }
    result.push_back(std::to_string(scanner_.unknown_leaves()) + " " + scanner_.first_unknown());
    return result;
  }

  // What a scanner that saw no other document makes of it.
  std::vector<std::string> Afresh(const std::string& document, UnknownFields unknown) const {
    return Scan(pointers_, unknown).Of(document);
  }

 private:
  std::vector<std::string> pointers_;
  JsonShape shape_;
  JsonScanner scanner_;
  std::string document_;
};

const std::vector<std::string> kAll = {
    "/seq", "/robot", "/pose/x", "/pose/y", "/pose/tags/0", "/pose/tags/1", "/ok", "/note"};

TEST(JsonScanner, FindsTheSameInADocumentThatIsLaidOutAsTheLast) {
  Scan scan({"/a", "/b"});
  EXPECT_THAT(scan.Of(R"({"a":1,"b":"x"})"), ElementsAre("3:1", "4:x", "0 "));
  EXPECT_THAT(scan.Of(R"({"a":null,"b":-2.5e1})"), ElementsAre("1:null", "3:-2.5e1", "0 "));
  EXPECT_THAT(scan.Of(R"({"a":"\\n","b":false})"), ElementsAre("4:\\\\n escaped", "2:false", "0 "));
}

TEST(JsonScanner, AFieldOfTheLastDocumentIsNotOneOfThis) {
  Scan scan({"/a", "/b"});
  scan.Of(R"({"a":1,"b":2})");
  EXPECT_THAT(scan.Of(R"({"a":3})"), ElementsAre("3:3", "0:", "0 "));
  EXPECT_THAT(scan.Of(R"({"a":3,"c":4})"), ElementsAre("3:3", "0:", "1 /c"));
}

TEST(JsonScanner, AFieldThatALayoutLacksIsEmptiedWhenItComesAgain) {
  Scan scan({"/a", "/b"});
  scan.Of(R"({"a":1})");
  scan.Of(R"({"a":2,"b":2})");
  EXPECT_THAT(scan.Of(R"({"a":3})"), ElementsAre("3:3", "0:", "0 "));
}

TEST(JsonScanner, AStringIsJudgedTheSameWhereverItsOddByteStands) {
  Scan scan({"/a", "/b"}, UnknownFields::kStrict);
  const std::vector<std::string> odd = {"", "\x1f", "\x7f", "\xc3\xa9", "\xa9", "\\n", "\\x", "\""};
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t at = 0; at <= length; ++at) {
      for (const std::string& bytes : odd) {
        scan.Of(R"({"a":"\u00e9","b":1})");
        const std::string text = std::string(length, 'x').insert(at, bytes);
        const std::string document = R"({"a":")" + text + R"(","b":2})";
        ASSERT_EQ(scan.Of(document), scan.Afresh(document, UnknownFields::kStrict)) << document;
      }
    }
  }
}

TEST(JsonScanner, CountsWhatIsNotDeclaredInEveryDocument) {
  Scan scan({"/a"}, UnknownFields::kLenient);
  EXPECT_THAT(scan.Of(R"({"a":1,"b":2,"c":null})"), ElementsAre("3:1", "1 /b"));
  EXPECT_THAT(scan.Of(R"({"a":2,"b":3,"c":4})").front(), "3:2");
  EXPECT_THAT(scan.Of(R"({"a":2,"b":3,"c":4})").back(), ::testing::StartsWith("2"));
}

struct Damage {
  std::mt19937 numbers{17};

  std::size_t Below(std::size_t n) { return numbers() % n; }

  // A byte more, less or another, or a piece of another line.
  std::string Of(std::string line) {
    static constexpr std::string_view kBytes("\"\\{}[]:,0-.e \n\x01\xc3\xa9\x80tfnu\0", 23);
    if (line.empty()) return line;
    const std::size_t at = Below(line.size());
    const char byte = kBytes[Below(kBytes.size())];
    switch (Below(5)) {
      case 0:
        line.insert(at, 1, byte);
        break;
      case 1:
        line.erase(at, 1 + Below(3));
        break;
      case 2:
        line[at] = byte;
        break;
      case 3:
        line.resize(at);
        break;
      default:
        line.replace(at, Below(8), line.substr(Below(line.size()), Below(8)));
    }
    return line;
  }
};

// Whatever the documents before were: the last layouts must change nothing.
class AnyDocument : public ::testing::TestWithParam<UnknownFields> {};

TEST_P(AnyDocument, IsJudgedAsIfItWereTheFirst) {
  const std::vector<std::string> some = {"/seq", "/robot", "/pose/y", "/ok"};
  Damage damage;
  for (const auto& pointers : {kAll, some}) {
    Scan scan(pointers, GetParam());
    for (int i = 0; i < 20'000; ++i) {
      scan.Of(kLine);
      const std::string document = damage.Of(damage.Below(3) == 0 ? damage.Of(kLine) : kLine);
      auto seen = scan.Of(document);
      auto afresh = scan.Afresh(document, GetParam());
      // Only the strict policy tells which leaf was the first.
      if (GetParam() != UnknownFields::kStrict && seen.size() > 1) {
        seen.back().resize(seen.back().find(' '));
        afresh.back().resize(afresh.back().find(' '));
      }
      ASSERT_EQ(seen, afresh) << document;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies,
                         AnyDocument,
                         ::testing::Values(UnknownFields::kStrict,
                                           UnknownFields::kLenient,
                                           UnknownFields::kCapture));

}  // namespace
}  // namespace tidemark::edge
