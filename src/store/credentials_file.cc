#include "store/credentials_file.h"

#include <fmt/format.h>

namespace tidemark::store {

namespace {

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

void TakeEntry(std::string_view name, std::string_view value, Credentials& credentials) {
  if (name == "aws_access_key_id") credentials.access_key = value;
  if (name == "aws_secret_access_key") credentials.secret_key = value;
  if (name == "aws_session_token") credentials.session_token = value;
}

}  // namespace

Result<Credentials> ParseCredentialsFile(std::string_view text) {
  Credentials credentials;
  bool in_default = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) in_default = line == "[default]";
    const std::size_t equals = line.find('=');
    if (!in_default || line.starts_with('#') || equals == std::string_view::npos) continue;
    TakeEntry(Trim(line.substr(0, equals)), Trim(line.substr(equals + 1)), credentials);
  }
  for (const auto& [name, value] : {std::pair("aws_access_key_id", credentials.access_key),
                                    std::pair("aws_secret_access_key", credentials.secret_key)}) {
    if (value.empty()) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("no {} in section [default]", name));
    }
  }
  return credentials;
}

}  // namespace tidemark::store
