#include "cli/lake_reader.h"

#include <fmt/format.h>

#include "lake/config/read_bucket.h"
#include "store/directory_store.h"
#include "store/open_store.h"
#include "verify/locate_lake.h"

namespace tidemark::cli {

namespace {

constexpr std::string_view kS3Scheme = "s3://";
constexpr std::string_view kFileScheme = "file://";

// s3://bucket[/prefix] is the environment with another bucket, and another prefix where it names
// one.
void PutUrl(std::string_view url, lake::Environment& environment) {
  url.remove_prefix(kS3Scheme.size());
  const auto slash = url.find('/');
  environment["QUEEN_S3_BUCKET"] = url.substr(0, slash);
  const auto prefix = slash == std::string_view::npos ? "" : url.substr(slash + 1);
  if (!prefix.empty()) environment["QUEEN_S3_PREFIX"] = prefix;
}

}  // namespace

const char* const kLakeArgumentHelp =
    "a folder, or file:///FOLDER: that of the prefix (it holds _queen), of the bucket, or the one "
    "that holds buckets; "
    "or s3://BUCKET[/PREFIX], with the other QUEEN_S3_* variables of `tidemark lake`; or nothing: "
    "the place those variables name";

Result<std::unique_ptr<LakeReader>> LakeReader::Open(std::string lake) {
  if (lake.starts_with(kFileScheme)) lake.erase(0, kFileScheme.size());
  std::unique_ptr<LakeReader> reader(new LakeReader());
  const bool is_folder = !lake.empty() && !lake.starts_with(kS3Scheme);
  TIDEMARK_TRY_VOID(is_folder ? reader->OpenFolder(lake) : reader->OpenByEnvironment(lake));
  return reader;
}

Status LakeReader::OpenFolder(const std::string& path) {
  TIDEMARK_TRY(auto place, verify::LocateLake(path));
  prefix_ = std::move(place.prefix);
  words_ = fmt::format("{}, prefix {}", place.bucket_folder, prefix_);
  store_ =
      store::DirectoryStore::OpenToRead(*loop_, *pool_, files_, std::move(place.bucket_folder));
  return {};
}

Status LakeReader::OpenByEnvironment(const std::string& s3_url) {
  auto environment = lake::ProcessEnvironment();
  if (!s3_url.empty()) PutUrl(s3_url, environment);
  lake::Variables variables(environment);
  store::StoreOptions bucket;
  lake::ReadBucket(variables, bucket);
  prefix_ = lake::ReadPrefix(variables);
  TIDEMARK_TRY_VOID(variables.status());
  if (bucket.IsDirectory()) {
    const auto dir = bucket.endpoint.substr(kFileScheme.size());
    words_ = fmt::format("{}/{}, prefix {}", dir, bucket.bucket, prefix_);
    store_ = store::DirectoryStore::OpenToRead(*loop_, *pool_, files_, dir + "/" + bucket.bucket);
    return {};
  }
  words_ = fmt::format("bucket {} at {}, prefix {}", bucket.bucket, bucket.endpoint, prefix_);
  const store::StoreWorld world{*loop_, *pool_, http_, files_, clock_, random_};
  TIDEMARK_TRY(store_, store::OpenStore(bucket, world));
  return {};
}

}  // namespace tidemark::cli
