#include "edge/dataset/topic_filter.h"

#include <fmt/format.h>

namespace tidemark::edge {

namespace {

// Takes the first level and its slash off; false when nothing is left.
bool TakeLevel(std::string_view& rest, bool& ended, std::string_view& level) {
  if (ended) return false;
  const auto slash = rest.find('/');
  level = rest.substr(0, slash);
  ended = slash == std::string_view::npos;
  rest.remove_prefix(ended ? rest.size() : slash + 1);
  return true;
}

std::unexpected<Error> Refuse(std::string_view filter, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("topic filter \"{}\": {}", filter, why));
}

}  // namespace

Status CheckTopicFilter(std::string_view filter) {
  if (filter.empty()) return Refuse(filter, "it is empty; leave `topic` out to take every topic");
  if (filter.contains('\0')) return Refuse(filter, "it holds a NUL");
  std::string_view rest = filter;
  std::string_view level;
  bool ended = false;
  while (TakeLevel(rest, ended, level)) {
    if (level.size() > 1 && level.find_first_of("+#") != std::string_view::npos) {
      return Refuse(filter, fmt::format("a wildcard fills its level alone, not \"{}\"", level));
    }
    if (level == "#" && !ended) return Refuse(filter, "# stands at the end only");
  }
  return {};
}

bool TopicMatches(std::string_view filter, std::string_view topic) {
  if (topic.starts_with('$') && (filter.starts_with('+') || filter.starts_with('#'))) return false;
  std::string_view wanted;
  std::string_view level;
  bool filter_ended = false;
  bool topic_ended = false;
  while (TakeLevel(filter, filter_ended, wanted)) {
    if (wanted == "#") return true;
    if (!TakeLevel(topic, topic_ended, level)) return false;
    if (wanted != "+" && wanted != level) return false;
    if (topic_ended && !filter_ended && filter == "#") return true;
  }
  return topic_ended;
}

bool TopicLevel(std::string_view topic, int level, std::string_view& text) {
  bool ended = false;
  for (int i = 0; TakeLevel(topic, ended, text); ++i) {
    if (i == level) return true;
  }
  return false;
}

}  // namespace tidemark::edge
