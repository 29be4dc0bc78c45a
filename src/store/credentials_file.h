#pragma once
// A file with S3 credentials, in the form of AWS's shared credentials file, so that they can be
// changed while we run.

#include <string_view>

#include "base/result.h"
#include "store/sigv4.h"

namespace tidemark::store {

// Reads aws_access_key_id, aws_secret_access_key and the optional aws_session_token of the section
// [default], or of a file without sections. kInvalidArgument names the entry that is missing; no
// value appears in a message. Pure.
Result<Credentials> ParseCredentialsFile(std::string_view text);

}  // namespace tidemark::store
