#include "lake/service/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "format/object_key.h"

namespace tidemark::lake {

namespace {

constexpr std::int64_t kTrialTtlSeconds = 60;
constexpr std::string_view kTrialBody = "tidemark lake --check\n";

std::unexpected<Error> Unlike(const std::string& what) {
  return Fail(ErrorCode::kCorruption, what + " gives other than what was written");
}

// The answer, but a refusal says what the policy of the keys lacks (queen-interface 11.8).
template <typename T>
Result<T> Needing(std::string_view permission, Result<T> answer) {
  if (!answer && answer.error().code == ErrorCode::kPermissionDenied)
    answer.error().message += fmt::format("; their policy must allow {}", permission);
  return answer;
}

// Whoever gave a status, or a document that makes no sense, did answer.
std::string HowItFailed(const Error& error, std::string_view expected) {
  if (error.status == 401 || error.status == 403) return "refuses us";
  if (error.status == 429 || error.status >= 500) return "answers that it cannot";
  const bool unreadable =
      error.code == ErrorCode::kInternal || error.code == ErrorCode::kCorruption;
  if (error.status == 0 && !unreadable) return "does not answer";
  return fmt::format("answered, but not as {}", expected);
}

}  // namespace

io::Task<Result<queen::DiscoveryAnswer>> ProbeBroker(queen::Broker& broker,
                                                     const LakeConfig& config) {
  std::vector<queen::DiscoveryEntry> none;
  auto answered = co_await broker.Discover(std::move(none));
  if (answered) co_return answered;
  co_return Annotate(answered.error(),
                     fmt::format("the broker at {} {}; check QUEEN_URL and QUEEN_TOKEN",
                                 config.broker.url,
                                 HowItFailed(answered.error(), "a Queen broker")));
}

io::Task<Status> ProbeBucket(store::ObjectStore& store, const LakeConfig& config) {
  const std::string key = config.form.prefix + "/";
  auto found = co_await store.Head(key);
  if (found) co_return Status();
  co_return Annotate(
      found.error(),
      fmt::format("the bucket {} at {} {}; check QUEEN_S3_ENDPOINT, QUEEN_S3_REGION, "
                  "QUEEN_S3_BUCKET and the keys",
                  config.bucket.bucket,
                  config.bucket.endpoint,
                  HowItFailed(found.error(), "that S3 bucket")));
}

io::Task<Status> TryKv(queen::Broker& broker, const LakeConfig& config) {
  const std::string key = fmt::format("s3:{}:check", config.sink);
  queen::KvPut put{.key = key,
                   .value = R"({"check":true})",
                   .ttl_seconds = kTrialTtlSeconds,
                   .expect = std::nullopt};
  TIDEMARK_CO_TRY(const auto written, co_await broker.KvPutOne(std::move(put)));
  std::vector<std::string> keys{key};
  TIDEMARK_CO_TRY(const auto rows, co_await broker.KvGetMany(std::move(keys)));
  // Another check may have come between; what counts is that somebody's row is there.
  if (!written.applied || rows.size() > 1) co_return Unlike("kv " + key);
  if (rows.empty()) co_return Status();
  TIDEMARK_CO_TRY_VOID(co_await broker.KvDelete(key, rows.front().version));
  co_return Status();
}

io::Task<Result<BucketTrial>> TryBucket(store::ObjectStore& store,
                                        const LakeConfig& config,
                                        io::Random& random) {
  BucketTrial trial;
  trial.key = format::TrialKey(config.form.prefix, random.Next());
  const auto body = std::make_shared<const std::string>(kTrialBody);
  TIDEMARK_CO_TRY_VOID(Needing("s3:PutObject", co_await store.Put(trial.key, "text/plain", body)));
  TIDEMARK_CO_TRY(const auto head, Needing("s3:GetObject", co_await store.Head(trial.key)));
  if (!head || head->bytes != std::ssize(*body)) co_return Unlike("head " + trial.key);
  TIDEMARK_CO_TRY(const auto read, Needing("s3:GetObject", co_await store.Get(trial.key)));
  if (read != *body) co_return Unlike("get " + trial.key);
  TIDEMARK_CO_TRY(const auto page, Needing("s3:ListBucket", co_await store.List(trial.key, "", 1)));
  if (page.objects.empty()) co_return Unlike("list " + trial.key);
  trial.deleted = Needing("s3:DeleteObject", co_await store.Delete(trial.key));
  co_return trial;
}

io::Task<Result<UploadTrial>> TryUpload(store::ObjectStore& store,
                                        const LakeConfig& config,
                                        io::Random& random) {
  UploadTrial trial;
  trial.key = format::TrialKey(config.form.prefix, random.Next());
  TIDEMARK_CO_TRY(const auto upload,
                  Needing("s3:PutObject", co_await store.CreateUpload(trial.key, "text/plain")));
  const auto body = std::make_shared<const std::string>(kTrialBody);
  const auto part = Needing("s3:PutObject", co_await store.PutPart(upload, 1, body));
  const auto listed =
      Needing("s3:ListBucketMultipartUploads", co_await store.ListUploads(trial.key));
  trial.aborted = Needing("s3:AbortMultipartUpload", co_await store.AbortUpload(upload));
  if (!part) co_return std::unexpected(part.error());
  if (!listed) trial.listed = std::unexpected(listed.error());
  co_return trial;
}

}  // namespace tidemark::lake
