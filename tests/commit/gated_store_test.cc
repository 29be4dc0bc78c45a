// Writes to an S3 store whose answers fail: what is sent again, when, and by whom.

#include "lake/commit/gated_store.h"

#include <gtest/gtest.h>

#include <functional>

#include "format/kv_documents.h"
#include "io/file_system.h"
#include "store/s3_store.h"
#include "tests/commit/commit_rig.h"

namespace tidemark::test {
namespace {

using std::chrono::seconds;

constexpr char kKey[] = "queen/queue=orders/w.jsonl";

// An S3 server in virtual time: answers in this order, the last one for ever.
class ScriptedHttp final : public io::HttpClient {
 public:
  ScriptedHttp(io::Loop& loop, std::vector<io::HttpResponse> script)
      : loop_(loop), script_(std::move(script)) {}

  io::Task<Result<io::HttpResponse>> Send(io::HttpRequest request) override {
    const std::size_t index = std::min(requests_.size(), script_.size() - 1);
    requests_.push_back(std::move(request));
    if (on_request) on_request();
    co_await io::Sleep(loop_, takes, std::stop_token());
    co_return script_[index];
  }

  const std::vector<io::HttpRequest>& requests() const { return requests_; }

  std::function<void()> on_request;
  io::Duration takes{0};

 private:
  io::Loop& loop_;
  const std::vector<io::HttpResponse> script_;
  std::vector<io::HttpRequest> requests_;
};

io::HttpResponse Answer(int status, io::HttpHeaders headers = {}) {
  return {.status = status, .headers = std::move(headers), .body = ""};
}

const io::HttpResponse kTaken = Answer(200, {{"etag", "tag"}});
const io::HttpResponse kBusy = Answer(503);

class GatedS3 : public ::testing::Test {
 protected:
  void Start(std::vector<io::HttpResponse> script) {
    http_.emplace(world_.loop, std::move(script));
    store::S3Options options;
    options.endpoint = *store::ParseS3Endpoint("http://store");
    options.bucket = "lake";
    options.region = "here";
    options.path_style = true;
    options.write_attempts_max = 1;
    store_.emplace(store::StoreWorld{.loop = world_.loop,
                                     .pool = *world_.pool,
                                     .http = *http_,
                                     .files = files_,
                                     .clock = world_.clock,
                                     .random = world_.random,
                                     .stop = drain_.get_token()},
                   std::move(options));
    const lake::LakeWorld lake{.loop = world_.loop,
                               .pool = *world_.pool,
                               .broker = world_.broker,
                               .store = *store_,
                               .clock = world_.clock,
                               .random = world_.random};
    context_.emplace(
        lake::CommitContext{lake, life_.lease, life_.context.options, drain_.get_token()});
    gated_.emplace(*context_);
  }

  Status Put() { return Await(world_.loop, gated_->Put(kKey, "text/plain", Text("hello"))); }

  static store::Bytes Text(const std::string& text) {
    return std::make_shared<const std::string>(text);
  }

  std::size_t sent() const { return http_->requests().size(); }

  World world_;
  Life life_{world_};
  io::PosixFileSystem files_;
  std::stop_source drain_;
  std::optional<ScriptedHttp> http_;
  std::optional<store::S3Store> store_;
  std::optional<lake::CommitContext> context_;
  std::optional<lake::GatedStore> gated_;
};

TEST_F(GatedS3, APassingFailureIsTriedAgain) {
  Start({kBusy, kBusy, kTaken});
  EXPECT_TRUE(Put());
  EXPECT_EQ(sent(), 3u);
}

TEST_F(GatedS3, SixAttemptsAreMade) {
  Start({kBusy});
  EXPECT_EQ(Put().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(sent(), 6u);
}

TEST_F(GatedS3, NothingIsSentAgainOnceTheLeaseIsLost) {
  Start({kBusy, kTaken});
  http_->takes = seconds(15);  // a refresh comes meanwhile and finds out
  http_->on_request = [this] {
    const format::Lease other{.instance = "b", .incarnation = "00000000000000ff"};
    const queen::KvPut row{.key = format::LeaseKey("default", "orders"),
                           .value = format::EncodeLease(other),
                           .ttl_seconds = 30,
                           .expect = std::nullopt};
    ASSERT_TRUE(world_.broker.kv().Put(row, world_.loop.Now()).has_value());
  };
  EXPECT_EQ(Put().error().code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(sent(), 1u);
}

TEST_F(GatedS3, ADrainDoesNotWaitUntilTheStoreWantsToBeAskedAgain) {
  Start({Answer(503, {{"retry-after", "60"}}), kTaken});
  world_.loop.Schedule(seconds(1), [this] { drain_.request_stop(); });
  EXPECT_TRUE(Put());
  EXPECT_EQ(sent(), 2u);
  EXPECT_LT(world_.loop.Now(), seconds(2));
}

TEST_F(GatedS3, APartThatFailsDoesNotCostItsUpload) {
  Start({kBusy, kTaken});
  const store::UploadId upload{.key = kKey, .id = "up"};
  const auto tag = Await(world_.loop, gated_->PutPart(upload, 1, Text("part")));
  ASSERT_TRUE(tag.has_value());
  EXPECT_EQ(*tag, "tag");
  EXPECT_EQ(http_->requests()[1].url, http_->requests()[0].url);
}

TEST_F(GatedS3, AnUploadThatTheStoreDoesNotKnowIsNotCompletedAgain) {
  Start({Answer(404)});
  const store::UploadId upload{.key = kKey, .id = "up"};
  const std::vector<std::string> tags{"tag"};
  const Status done = Await(world_.loop, gated_->CompleteUpload(upload, tags));
  EXPECT_EQ(done.error().code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(sent(), 1u);
}

}  // namespace
}  // namespace tidemark::test
