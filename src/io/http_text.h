#pragma once
// What servers read out of a request besides its body.

#include <optional>
#include <string>
#include <string_view>

#include "io/http_server.h"

namespace tidemark::io {

// With each %XX as the byte it stands for. nullopt when a '%' is not followed by two hex digits.
std::optional<std::string> PercentDecode(std::string_view text);

// Whether the request says `Authorization: Bearer <token>`. Takes a time that depends on the sizes
// alone: how long a comparison takes must not spell a token out.
bool HasBearerToken(const HttpServerRequest& request, std::string_view token);

}  // namespace tidemark::io
