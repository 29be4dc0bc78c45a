#pragma once
// The URLs that a configuration names. Pure; nothing is resolved.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::lake {

struct Url {
  std::string scheme;     // "http", "https", lower case
  std::string authority;  // host[:port]; an IPv6 literal in brackets
  std::string path;       // without a slash at the end; empty for none
};

// `http(s)://host[:port][/path]`, without user information, query or fragment. kInvalidArgument
// says what is wrong.
Result<Url> ParseHttpUrl(std::string_view text);

// A URL as it may be shown: what stands before an `@` may be a password.
std::string WithoutUser(std::string_view url);

}  // namespace tidemark::lake
