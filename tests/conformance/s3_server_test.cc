// What only a real S3 server can judge: signatures, regions, encryption headers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/curl_http_client.h"
#include "tests/conformance/store_harness.h"
#include "tests/support/temp_folder.h"

namespace tidemark::store {
namespace {

using testing::HasSubstr;

Status PutWith(const std::string& server, const StoreOptions& options) {
  const auto store = test::OpenBeside(server, options);
  TIDEMARK_CHECK(store.has_value(), "{}", store.error().message);
  auto bytes = std::make_shared<const std::string>("1");
  return test::SharedHarness(server).thread().Run((*store)->Put("s3/k", "text/plain", bytes));
}

TEST(EveryServer, RefusesAWrongSecret) {
  for (const std::string server : {"versitygw", "moto"}) {
    StoreOptions options = test::S3OptionsOf(server);
    options.secret_key = "wrong";
    const Status put = PutWith(server, options);
    ASSERT_FALSE(put.has_value()) << server;
    EXPECT_EQ(put.error().code, ErrorCode::kPermissionDenied) << server;
    EXPECT_THAT(put.error().message, HasSubstr("SignatureDoesNotMatch")) << server;
  }
}

// The bucket is a part of the host name, which is signed: lake.localhost.
TEST(Versitygw, TakesTheBucketOutOfTheHostName) {
  StoreOptions options = test::S3OptionsOf("versitygw");
  const std::string port = options.endpoint.substr(options.endpoint.rfind(':'));
  options.endpoint = "http://localhost" + port;
  options.path_style = false;
  const auto store = test::OpenBeside("versitygw", options);
  ASSERT_TRUE(store.has_value()) << store.error().message;
  test::StoreHarness& harness = test::SharedHarness("versitygw");
  test::LoopThread& thread = harness.thread();
  const std::string key = "virtual/queue=a%2Fb/host x";
  const auto bytes = std::make_shared<const std::string>("by host");
  const Status put = thread.Run((*store)->Put(key, "text/plain", bytes));
  ASSERT_TRUE(put.has_value()) << put.error().message;
  EXPECT_EQ(*thread.Run(harness.store().Get(key)), "by host") << "seen by path";
  EXPECT_EQ(*thread.Run((*store)->Get(key)), "by host");
  const auto page = thread.Run((*store)->List("virtual/", "", 10));
  ASSERT_TRUE(page.has_value()) << page.error().message;
  ASSERT_EQ(page->objects.size(), 1U);
  EXPECT_EQ(page->objects[0].key, key);
}

// It answers 404, as for a key that is not there, and to HEAD without a word more.
TEST(Versitygw, AnUnknownAccessKeyIsNoMissingObject) {
  StoreOptions options = test::S3OptionsOf("versitygw");
  options.access_key = "nobody";
  const auto store = test::OpenBeside("versitygw", options);
  ASSERT_TRUE(store.has_value());
  test::LoopThread& thread = test::SharedHarness("versitygw").thread();
  const auto head = thread.Run((*store)->Head("s3/none"));
  ASSERT_FALSE(head.has_value());
  EXPECT_EQ(head.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(head.error().message, HasSubstr("XAdminUserNotFound"));
  const auto got = thread.Run((*store)->Get("s3/none"));
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ErrorCode::kPermissionDenied);
}

TEST(Versitygw, RefusesAnotherRegion) {
  StoreOptions options = test::S3OptionsOf("versitygw");
  options.region = "eu-central-1";
  EXPECT_FALSE(PutWith("versitygw", options).has_value());
}

TEST(Versitygw, TakesSignedEncryptionHeaders) {
  StoreOptions options = test::S3OptionsOf("versitygw");
  options.sse = "aws:kms";
  options.sse_kms_key_id = "key-1";
  const Status put = PutWith("versitygw", options);
  EXPECT_TRUE(put.has_value()) << put.error().message;
}

TEST(Versitygw, NewCredentialsInTheFileHealARefusal) {
  test::TempFolder folder;
  StoreOptions options = test::S3OptionsOf("versitygw");
  options.credentials_file = folder.path() + "/credentials";
  const auto write = [&](const std::string& secret) {
    std::ofstream(options.credentials_file)
        << "[default]\naws_access_key_id = " << options.access_key
        << "\naws_secret_access_key = " << secret << "\n";
  };
  write("out of date");
  const auto store = test::OpenBeside("versitygw", options);
  ASSERT_TRUE(store.has_value());
  write(options.secret_key);
  auto bytes = std::make_shared<const std::string>("1");
  const Status put =
      test::SharedHarness("versitygw").thread().Run((*store)->Put("s3/k", "text/plain", bytes));
  EXPECT_TRUE(put.has_value()) << put.error().message;
}

TEST(VersitygwTls, IsTrustedThroughTheCaFile) {
  const Status put = PutWith("versitygw-tls", test::S3OptionsOf("versitygw-tls"));
  EXPECT_TRUE(put.has_value()) << put.error().message;
}

TEST(VersitygwTls, IsNotTrustedWithoutIt) {
  test::LoopThread& thread = test::SharedHarness("versitygw-tls").thread();
  io::CurlHttpClient http(thread.loop());
  io::HttpRequest request;
  request.url = test::S3OptionsOf("versitygw-tls").endpoint;
  const auto response = thread.Run(http.Send(request));
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(response.error().message, HasSubstr("certificate"));
}

TEST(Versitygw, AMissingBucketIsNamed) {
  StoreOptions options = test::S3OptionsOf("versitygw");
  options.bucket = "no-such-bucket";
  const Status put = PutWith("versitygw", options);
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(put.error().message, HasSubstr("NoSuchBucket"));
  const auto store = test::OpenBeside("versitygw", options);
  const auto head = test::SharedHarness("versitygw").thread().Run((*store)->Head("s3/k"));
  ASSERT_FALSE(head.has_value());
  EXPECT_THAT(head.error().message, HasSubstr("NoSuchBucket"));
}

TEST(Moto, TakesEncryptionOfBothKinds) {
  StoreOptions options = test::S3OptionsOf("moto");
  for (const std::string sse : {"AES256", "aws:kms"}) {
    options.sse = sse;
    const Status put = PutWith("moto", options);
    EXPECT_TRUE(put.has_value()) << sse << ": " << put.error().message;
  }
}

}  // namespace
}  // namespace tidemark::store
