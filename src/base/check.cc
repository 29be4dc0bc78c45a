#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tidemark {

void CheckFailed(std::string_view condition,
                 std::string_view file,
                 int line,
                 const std::string& detail) {
  fmt::print(stderr, "tidemark: broken invariant: {} at {}:{} {}\n", condition, file, line, detail);
  std::fflush(stderr);
  std::abort();
}

}  // namespace tidemark
