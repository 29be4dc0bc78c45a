#include "lake/config/read_bucket.h"

#include <fmt/format.h>

#include "lake/config/address.h"
#include "lake/config/spellings.h"

namespace tidemark::lake {

namespace {

constexpr std::string_view kEndpointAccepted = "http(s)://host[:port] or file:///directory";

void ReadEndpoint(Variables& env, store::StoreOptions& bucket) {
  const std::string text = env.Required("QUEEN_S3_ENDPOINT", kEndpointAccepted);
  if (text.starts_with("file://")) {
    bucket.endpoint = text;
    while (bucket.endpoint.ends_with('/')) bucket.endpoint.pop_back();
    if (!bucket.endpoint.starts_with("file:///")) {
      env.Refuse("QUEEN_S3_ENDPOINT", text, "file:/// and an absolute directory");
    }
    return;
  }
  const auto url = ParseHttpUrl(text);
  const bool one_slash = !text.ends_with("//");
  if (url && url->path.empty() && one_slash) {
    bucket.endpoint = fmt::format("{}://{}", url->scheme, url->authority);
    return;
  }
  env.Refuse(fmt::format("QUEEN_S3_ENDPOINT is \"{}\"; accepted is {}: {}",
                         WithoutUser(text),
                         kEndpointAccepted,
                         url ? "it has a path" : url.error().message));
}

void ReadCredentials(Variables& env, store::StoreOptions& bucket) {
  bucket.credentials_file = env.Text("QUEEN_S3_CREDENTIALS_FILE");
  bucket.session_token = env.Text("QUEEN_S3_SESSION_TOKEN");
  if (bucket.credentials_file.empty()) {
    bucket.access_key =
        env.Required("QUEEN_S3_ACCESS_KEY", "an access key, or QUEEN_S3_CREDENTIALS_FILE instead");
    bucket.secret_key =
        env.Required("QUEEN_S3_SECRET_KEY", "a secret key, or QUEEN_S3_CREDENTIALS_FILE instead");
    return;
  }
  for (const auto* name :
       {"QUEEN_S3_ACCESS_KEY", "QUEEN_S3_SECRET_KEY", "QUEEN_S3_SESSION_TOKEN"}) {
    if (!env.IsSet(name)) continue;
    env.Refuse(fmt::format(
        "{} and QUEEN_S3_CREDENTIALS_FILE are both set; accepted is one of the two", name));
  }
}

void ReadEncryption(Variables& env, store::StoreOptions& bucket) {
  bucket.sse = env.OneOf("QUEEN_S3_SSE", kSseSpellings, std::string_view());
  bucket.sse_kms_key_id = env.Text("QUEEN_S3_SSE_KMS_KEY_ID");
  if (!bucket.sse_kms_key_id.empty() && bucket.sse != "aws:kms") {
    env.Refuse(fmt::format(
        "QUEEN_S3_SSE_KMS_KEY_ID is set while QUEEN_S3_SSE is \"{}\"; accepted is aws:kms there",
        bucket.sse));
  }
}

}  // namespace

void ReadBucket(Variables& env, store::StoreOptions& bucket) {
  ReadEndpoint(env, bucket);
  const bool directory = bucket.IsDirectory();
  bucket.bucket = directory ? env.Text("QUEEN_S3_BUCKET", "lake")
                            : env.Required("QUEEN_S3_BUCKET", "a bucket name");
  if (bucket.bucket.find_first_of("/ ") != std::string::npos || bucket.bucket == "." ||
      bucket.bucket == "..") {
    env.Refuse("QUEEN_S3_BUCKET", bucket.bucket, "a bucket name without '/' and blanks");
  }
  if (directory) return;
  bucket.region = env.Required("QUEEN_S3_REGION", "the bucket's region, such as eu-central-1");
  ReadCredentials(env, bucket);
  bucket.path_style = env.OneOf("QUEEN_S3_PATH_STYLE", kFlagSpellings, false);
  ReadEncryption(env, bucket);
  bucket.ca_file = env.Text("QUEEN_S3_CA_FILE");
}

std::string ReadPrefix(Variables& env, const std::string& otherwise) {
  const std::string text = env.Text("QUEEN_S3_PREFIX", otherwise);
  std::string prefix = text;
  while (prefix.starts_with('/')) prefix.erase(0, 1);
  while (prefix.ends_with('/')) prefix.pop_back();
  std::string_view rest = prefix;
  while (true) {
    const auto slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (segment.empty() || segment == "." || segment == "..") {
      env.Refuse("QUEEN_S3_PREFIX", text, "segments between single '/', none of them '.' or '..'");
    }
    if (slash == std::string_view::npos) return prefix;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace tidemark::lake
