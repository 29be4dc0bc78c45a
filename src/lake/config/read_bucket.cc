#include "lake/config/read_bucket.h"

#include <fmt/format.h>

#include "lake/config/address.h"
#include "lake/config/declared.h"

namespace tidemark::lake {

namespace {

void ReadEndpoint(Variables& env, store::StoreOptions& bucket) {
  const std::string text = env.Required(declared::kEndpoint);
  if (text.starts_with("file://")) {
    bucket.endpoint = text;
    while (bucket.endpoint.ends_with('/')) bucket.endpoint.pop_back();
    if (!bucket.endpoint.starts_with("file:///")) {
      env.Refuse(declared::kEndpoint, text, "it names no absolute directory");
    }
    return;
  }
  const auto url = ParseHttpUrl(text);
  const bool one_slash = !text.ends_with("//");
  if (url && url->path.empty() && one_slash) {
    bucket.endpoint = fmt::format("{}://{}", url->scheme, url->authority);
    return;
  }
  env.Refuse(declared::kEndpoint, WithoutUser(text), url ? "it has a path" : url.error().message);
}

void ReadCredentials(Variables& env, store::StoreOptions& bucket) {
  bucket.credentials_file = env.Text(declared::kCredentialsFile);
  bucket.session_token = env.Text(declared::kSessionToken);
  if (bucket.credentials_file.empty()) {
    bucket.access_key = env.Required(declared::kAccessKey);
    bucket.secret_key = env.Required(declared::kSecretKey);
    return;
  }
  for (const auto* key : {&declared::kAccessKey, &declared::kSecretKey, &declared::kSessionToken}) {
    if (!env.IsSet(*key)) continue;
    env.Refuse(fmt::format("{} and {} are both set; accepted is one of the two",
                           key->name,
                           declared::kCredentialsFile.name));
  }
}

void ReadEncryption(Variables& env, store::StoreOptions& bucket) {
  bucket.sse = env.OneOf(declared::kSse);
  bucket.sse_kms_key_id = env.Text(declared::kSseKmsKeyId);
  if (!bucket.sse_kms_key_id.empty() && bucket.sse != "aws:kms") {
    env.Refuse(fmt::format("{} is set while {} is \"{}\"; accepted is aws:kms there",
                           declared::kSseKmsKeyId.name,
                           declared::kSse.name,
                           bucket.sse));
  }
}

}  // namespace

void ReadBucket(Variables& env, store::StoreOptions& bucket) {
  ReadEndpoint(env, bucket);
  const bool directory = bucket.IsDirectory();
  bucket.bucket = directory ? env.Text(declared::kBucket) : env.Required(declared::kBucket);
  if (directory && bucket.bucket.empty()) bucket.bucket = declared::kDirectoryBucket;
  if (bucket.bucket.find_first_of("/ ") != std::string::npos || bucket.bucket == "." ||
      bucket.bucket == "..") {
    env.Refuse(declared::kBucket, bucket.bucket);
  }
  if (directory) return;
  bucket.region = env.Required(declared::kRegion);
  ReadCredentials(env, bucket);
  bucket.path_style = env.OneOf(declared::kPathStyle);
  ReadEncryption(env, bucket);
  bucket.ca_file = env.Text(declared::kCaFile);
}

std::string ReadPrefix(Variables& env) {
  const std::string text = env.Text(declared::kPrefix);
  std::string prefix = text;
  while (prefix.starts_with('/')) prefix.erase(0, 1);
  while (prefix.ends_with('/')) prefix.pop_back();
  std::string_view rest = prefix;
  while (true) {
    const auto slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (segment.empty() || segment == "." || segment == "..") env.Refuse(declared::kPrefix, text);
    if (slash == std::string_view::npos) return prefix;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace tidemark::lake
