#include "edge/dataset/text_template.h"

#include <fmt/format.h>

#include <charconv>

#include "edge/dataset/json_pointer.h"

namespace tidemark::edge {

namespace {

constexpr std::string_view kTopicPrefix = "topic.";
constexpr std::string_view kJsonPrefix = "json:";

Result<TemplatePart> ParsePart(std::string_view name) {
  using enum TemplatePart::Kind;
  TemplatePart part;
  if (name == "source") {
    part.kind = kSource;
    return part;
  }
  if (name == "node_id") {
    part.kind = kNodeId;
    return part;
  }
  if (name.starts_with(kJsonPrefix)) {
    part.kind = kJson;
    part.text = name.substr(kJsonPrefix.size());
    TIDEMARK_TRY([[maybe_unused]] const auto keys, ParsePointer(part.text));
    return part;
  }
  if (name.starts_with(kTopicPrefix)) {
    part.kind = kTopicLevel;
    const std::string_view number = name.substr(kTopicPrefix.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), part.level);
    if (error == std::errc() && end == number.data() + number.size() && part.level >= 0)
      return part;
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{{{}}} is none of {{topic.N}}, {{source}}, {{node_id}}, "
                          "{{json:/pointer}}",
                          name));
}

}  // namespace

Result<std::vector<TemplatePart>> ParseTemplate(std::string_view text) {
  std::vector<TemplatePart> parts;
  const auto literal = [&parts](std::string_view piece) {
    if (piece.empty()) return;
    if (parts.empty() || parts.back().kind != TemplatePart::Kind::kLiteral) parts.emplace_back();
    parts.back().text += piece;
  };
  while (!text.empty()) {
    const auto brace = text.find_first_of("{}");
    literal(text.substr(0, brace));
    if (brace == std::string_view::npos) break;
    text.remove_prefix(brace);
    if (text.starts_with("{{") || text.starts_with("}}")) {
      literal(text.substr(0, 1));
      text.remove_prefix(2);
      continue;
    }
    const auto close = text.find('}');
    if (text.front() == '}' || close == std::string_view::npos) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"{}\": a brace without its other half", text));
    }
    TIDEMARK_TRY(TemplatePart part, ParsePart(text.substr(1, close - 1)));
    parts.push_back(std::move(part));
    text.remove_prefix(close + 1);
  }
  return parts;
}

}  // namespace tidemark::edge
