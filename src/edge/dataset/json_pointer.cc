#include "edge/dataset/json_pointer.h"

#include <fmt/format.h>

namespace tidemark::edge {

Result<std::vector<std::string>> ParsePointer(std::string_view pointer) {
  std::vector<std::string> keys;
  if (pointer.empty()) return keys;
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("JSON pointer \"{}\": {}", pointer, why));
  };
  if (pointer.front() != '/') return refuse("it begins with neither / nor is empty");
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      keys.emplace_back();
    } else if (pointer[i] != '~') {
      keys.back() += pointer[i];
    } else {
      ++i;
      if (i == pointer.size() || (pointer[i] != '0' && pointer[i] != '1')) {
        return refuse("after ~ comes 0 (for ~) or 1 (for /)");
      }
      keys.back() += pointer[i] == '0' ? '~' : '/';
    }
  }
  return keys;
}

void AppendPointerKey(std::string_view key, std::string& out) {
  out += '/';
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

}  // namespace tidemark::edge
