#pragma once
// Invariants, active in release builds: CHECK(condition, "format", values...). A broken one ends
// the process with the condition, the values and the place on stderr: going on could write a wrong
// lake.

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tidemark {

[[noreturn]] void CheckFailed(std::string_view condition,
                              std::string_view file,
                              int line,
                              const std::string& detail);

}  // namespace tidemark

#define TIDEMARK_CHECK(condition, ...)                                                      \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::tidemark::CheckFailed(#condition, __FILE__, __LINE__, fmt::format("" __VA_ARGS__)); \
  } while (false)
