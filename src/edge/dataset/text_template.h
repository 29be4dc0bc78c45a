#pragma once
// Templates of identity columns: literal text with {topic.N} (counted from 0), {source}, {node_id}
// and, of JSON payloads, {json:/pointer}. `{{` and `}}` stand for braces.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidemark::edge {

struct TemplatePart {
  enum class Kind { kLiteral, kTopicLevel, kSource, kNodeId, kJson };
  Kind kind = Kind::kLiteral;
  std::string text;  // the literal, or the JSON pointer
  int level = 0;
};

// kInvalidArgument names the part that is none of these.
Result<std::vector<TemplatePart>> ParseTemplate(std::string_view text);

}  // namespace tidemark::edge
