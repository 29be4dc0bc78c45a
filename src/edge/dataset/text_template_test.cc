#include "edge/dataset/text_template.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A word for each part.
std::vector<std::string> Parts(std::string_view text) {
  using enum TemplatePart::Kind;
  const auto parts = ParseTemplate(text);
  if (!parts) return {parts.error().message};
  std::vector<std::string> words;
  for (const TemplatePart& part : *parts) {
    switch (part.kind) {
      case kLiteral:
        words.push_back(part.text);
        break;
      case kTopicLevel:
        words.push_back(fmt::format("<level {}>", part.level));
        break;
      case kSource:
        words.emplace_back("<source>");
        break;
      case kNodeId:
        words.emplace_back("<node>");
        break;
      case kJson:
        words.push_back(fmt::format("<json {}>", part.text));
        break;
    }
  }
  return words;
}

TEST(TextTemplate, IsTextWithPartsInBraces) {
  EXPECT_THAT(
      Parts("{source}@{node_id}: {topic.0}{topic.12}/{json:/a/b~1c}!"),
      ElementsAre(
          "<source>", "@", "<node>", ": ", "<level 0>", "<level 12>", "/", "<json /a/b~1c>", "!"));
  EXPECT_THAT(Parts("plain"), ElementsAre("plain"));
  EXPECT_THAT(Parts(""), IsEmpty());
  EXPECT_THAT(Parts("{json:}"), ElementsAre("<json >"));
}

TEST(TextTemplate, DoubledBracesAreText) {
  EXPECT_THAT(Parts("{{{source}}}"), ElementsAre("{", "<source>", "}"));
  EXPECT_THAT(Parts("a{{b}}c"), ElementsAre("a{b}c"));
}

TEST(TextTemplate, RefusesABraceWithoutItsOtherHalf) {
  for (const char* text : {"{", "a}", "{source", "}{source}"}) {
    EXPECT_THAT(Parts(text), ElementsAre(HasSubstr("a brace without its other half"))) << text;
  }
}

TEST(TextTemplate, RefusesAPartThatIsNoneOfThose) {
  for (const char* name : {"",
                           "topic",
                           "topic.",
                           "topic.x",
                           "topic.1x",
                           "topic.-1",
                           "topic.1.2",
                           "topic.99999999999",
                           "Source",
                           "json",
                           "basename"}) {
    EXPECT_THAT(Parts(fmt::format("{{{}}}", name)),
                ElementsAre(HasSubstr(fmt::format("{{{}}} is none of {{topic.N}}", name))));
  }
  EXPECT_THAT(Parts("{json:a}"), ElementsAre(HasSubstr("JSON pointer \"a\"")));
}

}  // namespace
}  // namespace tidemark::edge
