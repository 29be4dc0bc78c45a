#pragma once
// AWS Signature Version 4, header form (queen-interface 11.3). Pure; checked against the vectors of
// AWS's documentation.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace tidemark::store {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty: none

  bool operator==(const Credentials&) const = default;
};

// A request as it will be sent: all of `headers` are signed, so nothing may touch them afterwards.
struct RequestToSign {
  std::string method;
  std::string path;   // percent-encoded: what travels is what is signed
  std::string query;  // names and values encoded, sorted by name, `name=` for an empty value
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, values trimmed
  std::string payload_sha256;                                // lower-case hex
};

// `YYYYMMDDTHHMMSSZ`: the value of x-amz-date.
std::string AmzDate(Micros now);

// The value of the Authorization header. `amz_date` is the one among the headers.
std::string Authorization(const RequestToSign& request,
                          const Credentials& credentials,
                          std::string_view region,
                          std::string_view amz_date);

}  // namespace tidemark::store
