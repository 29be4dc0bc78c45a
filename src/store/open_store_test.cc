#include "store/open_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/sim_loop.h"
#include "store/credentials_file.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_folder.h"

namespace tidemark::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class NoHttp final : public io::HttpClient {
 public:
  io::Task<Result<io::HttpResponse>> Send(io::HttpRequest) override {
    co_return Fail(ErrorCode::kUnavailable, "no network in this test");
  }
};

class OpenStoreTest : public testing::Test {
 protected:
  StoreOptions S3() {
    StoreOptions options;
    options.endpoint = "https://s3.example.com";
    options.bucket = "lake";
    options.region = "eu-central-1";
    options.access_key = "AK";
    options.secret_key = "very-secret";
    return options;
  }

  Result<std::unique_ptr<ObjectStore>> Open(const StoreOptions& options) {
    return OpenStore(options, world_);
  }

  std::string Refusal(const StoreOptions& options) {
    const auto opened = Open(options);
    if (opened) return "opened";
    EXPECT_EQ(opened.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(opened.error().message, Not(HasSubstr("very-secret")));
    return opened.error().message;
  }

  io::SimLoop loop_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewInlinePool(loop_);
  NoHttp http_;
  io::PosixFileSystem files_;
  io::SystemClock clock_;
  io::SeededRandom random_{1};
  StoreWorld world_{.loop = loop_,
                    .pool = *pool_,
                    .http = http_,
                    .files = files_,
                    .clock = clock_,
                    .random = random_};
  test::TempFolder folder_;
};

TEST_F(OpenStoreTest, AFileUrlIsADirectoryWithTheBucketLake) {
  StoreOptions options;
  options.endpoint = "file://" + folder_.path() + "/new/";
  const auto store = Open(options);
  ASSERT_TRUE(store.has_value());
  auto bytes = std::make_shared<const std::string>("1");
  ASSERT_TRUE(test::RunTask(loop_, (*store)->Put("a", "t", bytes)).has_value());
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/new/lake/a"));
}

TEST_F(OpenStoreTest, AnS3EndpointOpensWithoutARequest) { EXPECT_TRUE(Open(S3()).has_value()); }

TEST_F(OpenStoreTest, AWriteIsRepeatedInsideItsCallUnlessItsCallerMakesTheAttempts) {
  int requests = 0;
  world_.on_request = [&](Operation, int) { ++requests; };
  StoreOptions options = S3();
  const auto bytes = std::make_shared<const std::string>("1");
  const auto put = [&] {
    const auto store = Open(options);
    EXPECT_FALSE(test::RunTask(loop_, (*store)->Put("a", "t", bytes)));
  };
  put();
  EXPECT_EQ(requests, 6);
  options.repeat_writes = false;
  put();
  EXPECT_EQ(requests, 6 + 1);
}

TEST_F(OpenStoreTest, EachRefusalNamesTheVariableAndItsValue) {
  using Change = std::function<void(StoreOptions&)>;
  const std::vector<std::tuple<Change, std::string, std::string>> cases = {
      {[](auto& o) { o.endpoint = ""; }, "QUEEN_S3_ENDPOINT", "not set"},
      {[](auto& o) { o.endpoint = "ftp://x"; }, "QUEEN_S3_ENDPOINT", "`ftp://x`"},
      {[](auto& o) { o.endpoint = "file://relative"; }, "QUEEN_S3_ENDPOINT", "`file://relative`"},
      {[](auto& o) { o.bucket = ""; }, "QUEEN_S3_BUCKET", "not set"},
      {[](auto& o) { o.bucket = "a/b"; }, "QUEEN_S3_BUCKET", "`a/b`"},
      {[](auto& o) { o.region = ""; }, "QUEEN_S3_REGION", "not set"},
      {[](auto& o) { o.access_key = ""; }, "QUEEN_S3_ACCESS_KEY", "not set"},
      {[](auto& o) { o.secret_key = ""; }, "QUEEN_S3_SECRET_KEY", "not set"},
      {[](auto& o) { o.sse = "DES"; }, "QUEEN_S3_SSE", "`DES`"},
      {[](auto& o) { o.sse_kms_key_id = "k"; }, "QUEEN_S3_SSE_KMS_KEY_ID", "aws:kms"},
      {[](auto& o) { o.endpoint = "http://[::1]:9"; }, "QUEEN_S3_PATH_STYLE", "`[::1]`"},
      {[](auto& o) { o.ca_file = "/no/ca.pem"; }, "QUEEN_S3_CA_FILE", "`/no/ca.pem`"},
      {[](auto& o) { o.credentials_file = "/no/c"; }, "QUEEN_S3_CREDENTIALS_FILE", "`/no/c`"},
  };
  for (const auto& [change, name, value] : cases) {
    StoreOptions options = S3();
    change(options);
    EXPECT_THAT(Refusal(options), AllOf(HasSubstr(name), HasSubstr(value)));
  }
}

TEST(ParseCredentialsFile, ReadsTheDefaultSection) {
  const auto credentials = ParseCredentialsFile(
      "[other]\naws_access_key_id = NO\n[default]\n# comment = x\n"
      "aws_access_key_id = AK\r\naws_secret_access_key=S/K=\n aws_session_token = T\n");
  ASSERT_TRUE(credentials.has_value());
  EXPECT_EQ(*credentials, (Credentials{"AK", "S/K=", "T"}));
}

TEST(ParseCredentialsFile, NamesWhatIsMissing) {
  EXPECT_THAT(ParseCredentialsFile("aws_access_key_id=AK").error().message,
              HasSubstr("aws_secret_access_key"));
}

}  // namespace
}  // namespace tidemark::store
