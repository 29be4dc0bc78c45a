#pragma once
// POST /api/v1/fetch: the answer's text into records that are slices of it (queen-interface 1.1).
// Pure and without copies: the payload of a record is never parsed, its bytes go from here to the
// encoder.

#include <string>

#include "base/result.h"
#include "queen/types.h"

namespace tidemark::queen {

// What a body should have as capacity behind its end, so that decoding does not move it
// (HttpRequest.response_padding).
inline constexpr std::size_t kAnswerPadding = 64;

// Takes the body over; it lives on in the answer. Escaped transaction ids are undone in place.
// While it runs, up to four bytes per structural character of the body are held besides it. Any
// thread.
//
// kInternal, the body unreadable: no JSON, a field of a wrong type, a record without offset or ts,
// offsets that do not ascend or reach the high watermark, or other entries than `request` asked
// for.
Result<FetchAnswer> DecodeFetch(std::string body, const FetchRequest& request);

}  // namespace tidemark::queen
