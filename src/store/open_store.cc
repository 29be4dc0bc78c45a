#include "store/open_store.h"

#include <fmt/format.h>

#include "store/counted_store.h"
#include "store/credentials_file.h"
#include "store/directory_store.h"
#include "store/s3_store.h"

namespace tidemark::store {

namespace {

constexpr std::string_view kFileScheme = "file://";
constexpr std::int64_t kMaxCredentialsBytes = 64 << 10;

std::unexpected<Error> Refuse(const StoreOptions& options,
                              std::string_view field,
                              std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}{} {}", options.name_prefix, field, why));
}

Result<std::unique_ptr<ObjectStore>> OpenDirectory(const StoreOptions& options,
                                                   const StoreWorld& world) {
  std::string dir = options.endpoint.substr(kFileScheme.size());
  while (dir.size() > 1 && dir.ends_with('/')) dir.pop_back();
  if (!dir.starts_with('/') || dir == "/") {
    return Refuse(
        options,
        "ENDPOINT",
        fmt::format("is `{}`; expected an absolute folder: file:///dir", options.endpoint));
  }
  const std::string bucket = options.bucket.empty() ? "lake" : options.bucket;
  auto store = DirectoryStore::Open(world.loop, world.pool, world.files, world.random, dir, bucket);
  if (!store) {
    return Annotate(std::move(store.error()),
                    fmt::format("{}ENDPOINT {}", options.name_prefix, options.endpoint));
  }
  if (!world.on_request) return std::move(*store);
  return std::make_unique<CountedStore>(std::move(*store), world.on_request);
}

Status CheckS3Fields(const StoreOptions& options) {
  if (options.bucket.empty()) return Refuse(options, "BUCKET", "is not set");
  if (options.bucket.find_first_of("/ ") != std::string::npos) {
    return Refuse(options,
                  "BUCKET",
                  fmt::format("is `{}`; expected a name without slash and space", options.bucket));
  }
  if (options.region.empty()) return Refuse(options, "REGION", "is not set");
  if (options.credentials_file.empty()) {
    if (options.access_key.empty()) return Refuse(options, "ACCESS_KEY", "is not set");
    if (options.secret_key.empty()) return Refuse(options, "SECRET_KEY", "is not set");
  }
  if (!options.sse.empty() && options.sse != "AES256" && options.sse != "aws:kms") {
    return Refuse(options, "SSE", fmt::format("is `{}`; expected AES256 or aws:kms", options.sse));
  }
  if (!options.sse_kms_key_id.empty() && options.sse != "aws:kms") {
    return Refuse(options, "SSE_KMS_KEY_ID", "is set; it needs SSE to be aws:kms");
  }
  return {};
}

Result<Credentials> ReadCredentials(io::FileSystem& files, const std::string& path) {
  TIDEMARK_TRY(const std::string text, files.Read(path, 0, kMaxCredentialsBytes));
  return ParseCredentialsFile(text);
}

Status SetCredentials(const StoreOptions& options, const StoreWorld& world, S3Options& s3) {
  s3.credentials = {options.access_key, options.secret_key, options.session_token};
  if (options.credentials_file.empty()) return {};
  s3.reload_credentials = [&files = world.files, path = options.credentials_file] {
    return ReadCredentials(files, path);
  };
  auto credentials = s3.reload_credentials();
  if (!credentials) {
    return Refuse(
        options,
        "CREDENTIALS_FILE",
        fmt::format("is `{}`: {}", options.credentials_file, credentials.error().message));
  }
  s3.credentials = std::move(*credentials);
  return {};
}

Result<std::unique_ptr<ObjectStore>> OpenS3(const StoreOptions& options, const StoreWorld& world) {
  auto endpoint = ParseS3Endpoint(options.endpoint);
  if (!endpoint) {
    return Refuse(
        options, "ENDPOINT", fmt::format("is {}, or file:///dir", endpoint.error().message));
  }
  TIDEMARK_TRY_VOID(CheckS3Fields(options));
  if (!options.path_style && IsIpLiteral(*endpoint)) {
    return Refuse(options,
                  "PATH_STYLE",
                  fmt::format("is false, but no bucket can be put in front of `{}`; set it to true",
                              endpoint->host));
  }
  if (!options.ca_file.empty()) {
    const auto readable = world.files.Read(options.ca_file, 0, 1);
    if (!readable) {
      return Refuse(options,
                    "CA_FILE",
                    fmt::format("is `{}`: {}", options.ca_file, readable.error().message));
    }
  }
  S3Options s3;
  s3.endpoint = std::move(*endpoint);
  s3.bucket = options.bucket;
  s3.region = options.region;
  s3.path_style = options.path_style;
  s3.sse = options.sse;
  s3.sse_kms_key_id = options.sse_kms_key_id;
  s3.ca_file = options.ca_file;
  if (!options.repeat_writes) s3.write_attempts_max = 1;
  TIDEMARK_TRY_VOID(SetCredentials(options, world, s3));
  return std::make_unique<S3Store>(world, std::move(s3));
}

}  // namespace

Result<std::unique_ptr<ObjectStore>> OpenStore(const StoreOptions& options,
                                               const StoreWorld& world) {
  if (options.endpoint.empty()) {
    return Refuse(options, "ENDPOINT", "is not set; expected http(s)://host[:port] or file:///dir");
  }
  if (options.endpoint.starts_with(kFileScheme)) return OpenDirectory(options, world);
  return OpenS3(options, world);
}

}  // namespace tidemark::store
