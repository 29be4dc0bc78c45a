#pragma once
// MQTT topic filters (MQTT 5.0, 4.7): `+` stands for one level, `#` for all further ones. Pure.

#include <string_view>

#include "base/result.h"

namespace tidemark::edge {

// kInvalidArgument says which rule the filter breaks: it is empty, holds NUL, or has a wildcard
// that does not fill its level, or `#` before the end.
Status CheckTopicFilter(std::string_view filter);

// Whether a checked filter takes the topic. `a/#` takes `a` too; a wildcard at the beginning takes
// no topic that begins with `$`.
bool TopicMatches(std::string_view filter, std::string_view topic);

// The level's text, counted from 0; false when the topic has fewer.
bool TopicLevel(std::string_view topic, int level, std::string_view& text);

}  // namespace tidemark::edge
