#include "format/json_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tidemark::format {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

TEST(AppendJsonString, EscapesWhatTheEnvelopeNames) {
  EXPECT_EQ(Quoted("a\"b\\c\bd\fe\nf\rg\th"), R"("a\"b\\c\bd\fe\nf\rg\th")");
}

TEST(AppendJsonString, WritesOtherControlBytesInLowerCaseHex) {
  EXPECT_EQ(Quoted(std::string_view("\x00\x01\x0b\x1f", 4)), R"("\u0000\u0001\u000b\u001f")");
}

TEST(AppendJsonString, LeavesEverythingElseAlone) {
  const std::string_view text = "/ \x7f caf\xc3\xa9 \xe2\x80\xa8\xe2\x80\xa9 \xf0\x9f\x8c\x8a'<>&";
  EXPECT_EQ(Quoted(text), fmt::format("\"{}\"", text));
}

TEST(AppendJsonString, AppendsToWhatIsThere) {
  std::string out = "{";
  AppendJsonString("", out);
  EXPECT_EQ(out, "{\"\"");
}

// Every byte at every place of a text of two words and a rest: the word scan must not miss one, nor
// see one too many.
TEST(AppendJsonString, FindsEveryByteAtEveryPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string alone = Quoted(std::string(1, static_cast<char>(byte)));
    const std::string body = alone.substr(1, alone.size() - 2);
    for (std::size_t at = 0; at < 19; ++at) {
      std::string text(19, 'x');
      text[at] = static_cast<char>(byte);
      const std::string expected = '"' + text.substr(0, at) + body + text.substr(at + 1) + '"';
      ASSERT_EQ(Quoted(text), expected) << byte << " at " << at;
    }
  }
}

TEST(AppendJsonString, AgreesWithAJsonParserOnAllAscii) {
  std::string text;
  for (int byte = 0; byte < 128; ++byte) text.push_back(static_cast<char>(byte));
  EXPECT_EQ(nlohmann::json::parse(Quoted(text)).get<std::string>(), text);
}

}  // namespace
}  // namespace tidemark::format
