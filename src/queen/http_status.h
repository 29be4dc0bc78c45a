#pragma once
// What an HTTP answer of the broker means to the caller (queen-interface 1.0, 1.3). Pure.

#include <string_view>

#include "base/result.h"
#include "io/http.h"

namespace tidemark::queen {

// The body of a 2xx answer to a call that changes nothing; every failure of the way (408, 429, 5xx)
// is kUnavailable.
Result<std::string> ReadAnswer(std::string_view call, Result<io::HttpResponse> response);

// The same for a call that changes something. A failure is kUnavailable only where the broker
// itself says that it did not act (429, or 503 with kv_unavailable or kv_disabled, reason other
// than kv_timeout): whatever else may have been acted on, behind a proxy above all, is
// kOutcomeUnknown.
Result<std::string> WriteAnswer(std::string_view call, Result<io::HttpResponse> response);

}  // namespace tidemark::queen
