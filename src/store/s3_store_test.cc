#include "store/s3_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/async.h"
#include "io/curl_http_client.h"
#include "io/file_system.h"
#include "tests/stub/stub_server.h"
#include "tests/support/run_task.h"

namespace tidemark::store {
namespace {

using test::StubAnswer;
using test::StubRequest;
using test::StubServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr char kKey[] = "queen/queue=orders/w.jsonl";
constexpr char kCreated[] =
    "<InitiateMultipartUploadResult><UploadId>up</UploadId></InitiateMultipartUploadResult>";

Bytes Text(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

const StubAnswer kStored{.headers = {{"ETag", "\"opaque\""}}};

std::string Completed(const std::string& tag) {
  return "<CompleteMultipartUploadResult><ETag>" + tag + "</ETag></CompleteMultipartUploadResult>";
}

S3Options Fast() {
  S3Options options;
  options.bucket = "lake";
  options.region = "us-east-1";
  options.path_style = true;
  options.credentials = {"AK", "SK", ""};
  options.backoff.first = std::chrono::milliseconds(1);
  return options;
}

// An S3Store in front of a stub that answers by script.
class S3 : public testing::Test {
 protected:
  S3Store& Start(std::vector<StubAnswer> script, S3Options options = Fast()) {
    server_ = std::make_unique<StubServer>(std::move(script));
    return Open(server_->url(), std::move(options));
  }

  S3Store& Open(const std::string& url, S3Options options = Fast()) {
    options.endpoint = *ParseS3Endpoint(url);
    StoreWorld world{.loop = thread_.loop(),
                     .pool = *pool_,
                     .http = http_,
                     .files = files_,
                     .clock = clock_,
                     .random = random_,
                     .stop = stop_.get_token(),
                     .on_request = [this](Operation operation, int status) {
                       requests_.emplace_back(ToString(operation), status);
                     }};
    store_ = std::make_unique<S3Store>(std::move(world), std::move(options));
    return *store_;
  }

  template <typename T>
  T Run(io::Task<T> task) {
    return thread_.Run(std::move(task));
  }

  Status Put(ObjectStore& store, std::string text = "hello") {
    return Run(store.Put(kKey, "text/plain", Text(std::move(text))));
  }

  StubRequest Sent(std::size_t index) { return server_->requests().at(index); }

  io::SystemClock clock_;
  io::SeededRandom random_{1};
  io::PosixFileSystem files_;
  std::stop_source stop_;
  std::vector<std::pair<std::string, int>> requests_;
  std::unique_ptr<StubServer> server_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewWorkerPool(1);
  test::LoopThread thread_;
  io::CurlHttpClient http_{thread_.loop()};
  std::unique_ptr<S3Store> store_;
};

TEST_F(S3, APutIsSignedAndCarriesItsDigests) {
  ASSERT_TRUE(Put(Start({{.headers = {{"ETag", "\"5D41402ABC4B2A76B9719D911017C592\""}}}})));
  const StubRequest put = Sent(0);
  EXPECT_EQ(put.method, "PUT");
  EXPECT_EQ(put.target, "/lake/queen/queue%3Dorders/w.jsonl");
  EXPECT_EQ(put.Header("content-md5"), "XUFAKrxLKna5cZ2REBfFkg==");
  EXPECT_EQ(put.Header("x-amz-content-sha256"),
            "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  EXPECT_THAT(
      put.Header("authorization"),
      HasSubstr("SignedHeaders=content-md5;content-type;host;x-amz-content-sha256;x-amz-date,"));
  EXPECT_EQ(put.Header("expect"), "");
  EXPECT_EQ(put.body, "hello");
}

TEST_F(S3, SseHeadersAndSessionTokenAreSigned) {
  S3Options options = Fast();
  options.sse = "aws:kms";
  options.sse_kms_key_id = "key-1";
  options.credentials.session_token = "tok";
  ASSERT_TRUE(Put(Start({kStored}, options)));
  EXPECT_EQ(Sent(0).Header("x-amz-server-side-encryption"), "aws:kms");
  EXPECT_EQ(Sent(0).Header("x-amz-security-token"), "tok");
  EXPECT_THAT(Sent(0).Header("authorization"),
              HasSubstr("x-amz-date;x-amz-security-token;x-amz-server-side-encryption;"
                        "x-amz-server-side-encryption-aws-kms-key-id,"));
}

TEST_F(S3, ABodyIsPlainAndItsLengthIsSaid) {
  ASSERT_TRUE(Put(Start({kStored})));
  EXPECT_EQ(Sent(0).Header("content-length"), "5");
  for (const char* header : {"transfer-encoding", "content-encoding", "x-amz-trailer"})
    EXPECT_EQ(Sent(0).Header(header), "") << header;
}

TEST_F(S3, Aes256HasNoKey) {
  S3Options options = Fast();
  options.sse = "AES256";
  ASSERT_TRUE(Put(Start({kStored}, options)));
  EXPECT_EQ(Sent(0).Header("x-amz-server-side-encryption"), "AES256");
  EXPECT_EQ(Sent(0).Header("x-amz-server-side-encryption-aws-kms-key-id"), "");
  EXPECT_THAT(Sent(0).Header("authorization"), HasSubstr("x-amz-server-side-encryption,"));
}

TEST_F(S3, TheRegionIsSigned) {
  S3Options options = Fast();
  options.region = "eu-central-1";
  ASSERT_TRUE(Put(Start({kStored}, options)));
  EXPECT_THAT(Sent(0).Header("authorization"), HasSubstr("/eu-central-1/s3/aws4_request,"));
}

// The stub listens on 127.0.0.1, which has a name among the IPv6 literals too.
TEST_F(S3, AnIpv6LiteralIsReached) {
  ASSERT_TRUE(Put(Start({kStored})));
  const std::string port = server_->url().substr(server_->url().rfind(':'));
  ASSERT_TRUE(Put(Open("http://[::ffff:127.0.0.1]" + port)));
  EXPECT_EQ(Sent(1).Header("host"), "[::ffff:127.0.0.1]" + port);
}

TEST_F(S3, AnETagThatIsAnotherMd5IsCorruption) {
  const StubAnswer wrong{.headers = {{"ETag", "\"00000000000000000000000000000000\""}}};
  const Status put = Put(Start({wrong}));
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kCorruption);
  EXPECT_EQ(server_->requests().size(), 6u);
}

TEST_F(S3, AnETagOfAnotherShapePasses) {
  EXPECT_TRUE(Put(Start({{.headers = {{"ETag", "\"opaque\""}}}})));
}

TEST_F(S3, UnderKmsAnETagIsNoMd5) {
  EXPECT_TRUE(Put(Start({{.headers = {{"ETag", "\"00000000000000000000000000000000\""},
                                      {"x-amz-server-side-encryption", "aws:kms"}}}})));
}

TEST_F(S3, AnErrorWithStatus200IsNoPut) {
  const StubAnswer error{.headers = {{"ETag", "\"opaque\""}},
                         .body =
                             "<?xml version=\"1.0\"?><Error><Code>InternalError</Code>"
                             "<Message>again</Message></Error>"};
  ASSERT_TRUE(Put(Start({error, kStored})));
  EXPECT_EQ(server_->requests().size(), 2u);
  const Status put = Put(Start({error}));
  ASSERT_FALSE(put.has_value());
  EXPECT_TRUE(IsRetriable(put.error()));
  EXPECT_THAT(put.error().message, HasSubstr("200 with InternalError: again"));
}

// Answers a PUT as nobody who stored it does, and HEAD as told.
StubServer::Handler WithoutTag(StubAnswer head, StubAnswer put = {}) {
  return [head = std::move(head), put = std::move(put)](const StubRequest& request) {
    return request.method == "HEAD" ? head : put;
  };
}

TEST_F(S3, APageWithAnETagIsNoPut) {
  server_ = std::make_unique<StubServer>(WithoutTag(
      {.status = 404}, {.headers = {{"ETag", "\"opaque\""}}, .body = "<html>log in</html>"}));
  const Status put = Put(Open(server_->url()));
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kOutcomeUnknown);
}

TEST_F(S3, WithoutAnETagThePutCountsOnceItsSizeIsThere) {
  server_ = std::make_unique<StubServer>(
      WithoutTag({.raw = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"}));
  EXPECT_TRUE(Put(Open(server_->url())));
  EXPECT_THAT(requests_, ElementsAre(Pair("put", 200), Pair("head", 200)));
}

TEST_F(S3, WithoutAnETagAndWithoutTheObjectNothingIsStored) {
  server_ = std::make_unique<StubServer>(WithoutTag({.status = 404}));
  const Status gone = Put(Open(server_->url()));
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code, ErrorCode::kOutcomeUnknown);
  EXPECT_THAT(gone.error().message, HasSubstr("it is not there"));
  server_ = std::make_unique<StubServer>(
      WithoutTag({.raw = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"}));
  const Status cut = Put(Open(server_->url()));
  ASSERT_FALSE(cut.has_value());
  EXPECT_THAT(cut.error().message, HasSubstr("4 bytes are there"));
}

TEST_F(S3, RetriesBusyAndBrokenServersAndCountsEachRequest) {
  ASSERT_TRUE(Put(Start(
      {{.status = 503}, {.status = 500}, {.ending = StubAnswer::Ending::kCutBody}, kStored})));
  EXPECT_THAT(requests_,
              ElementsAre(Pair("put", 503), Pair("put", 500), Pair("put", 0), Pair("put", 200)));
}

TEST_F(S3, GivesUpAfterSixAttemptsWithTheStoresWords) {
  const Status put = Put(Start(
      {{.status = 503, .body = "<Error><Code>SlowDown</Code><Message>later</Message></Error>"}}));
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(put.error().status, 503);
  EXPECT_EQ(put.error().message, "put queen/queue=orders/w.jsonl: 503 SlowDown: later");
  EXPECT_EQ(server_->requests().size(), 6u);
}

S3Options OneAttemptOfAWrite() {
  S3Options options = Fast();
  options.write_attempts_max = 1;
  return options;
}

TEST_F(S3, AWriteIsLeftToWhoMakesItsAttempts) {
  EXPECT_FALSE(Put(Start({{.status = 503}}, OneAttemptOfAWrite())));
  EXPECT_EQ(server_->requests().size(), 1u);
  S3Store& store = Start({{.status = 503}}, OneAttemptOfAWrite());
  EXPECT_FALSE(Run(store.Delete(kKey)));
  EXPECT_FALSE(Run(store.CreateUpload(kKey, "text/plain")).has_value());
  EXPECT_FALSE(Run(store.PutPart({kKey, "up"}, 1, Text("part"))).has_value());
  EXPECT_FALSE(Run(store.CompleteUpload({kKey, "up"}, {"tag"})));
  EXPECT_EQ(server_->requests().size(), 4u);
  EXPECT_FALSE(Run(store.Get(kKey)).has_value());
  EXPECT_EQ(server_->requests().size(), 4u + 6u);
  EXPECT_EQ(requests_.size(), 1u + 4u + 6u);  // each is counted
}

TEST_F(S3, ARefusedWriteIsNotRepeatedWithTheNewCredentialsInsideItsOneAttempt) {
  S3Options options = OneAttemptOfAWrite();
  options.reload_credentials = [] { return Credentials{"AK2", "SK2", ""}; };
  S3Store& store = Start({{.status = 403}, kStored}, options);
  EXPECT_EQ(Put(store).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(server_->requests().size(), 1u);
  EXPECT_TRUE(Put(store));
  EXPECT_THAT(Sent(1).Header("authorization"), HasSubstr("Credential=AK2/"));
}

TEST_F(S3, RetryAfterIsAFloorAndIsHandedOut) {
  S3Options options = Fast();
  options.attempts_max = 2;
  const StubAnswer busy{.status = 503, .headers = {{"Retry-After", "1"}}};
  const auto begin = thread_.loop().Now();
  const Status put = Put(Start({busy}, options));
  EXPECT_GE(thread_.loop().Now() - begin, std::chrono::seconds(1));
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().retry_after_ms, 1000);
}

TEST_F(S3, AStopEndsTheWait) {
  S3Options options = Fast();
  options.backoff.first = std::chrono::hours(1);
  options.backoff.most = std::chrono::hours(1);
  S3Store& store = Start({{.status = 503}}, options);
  stop_.request_stop();
  EXPECT_EQ(Put(store).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(S3, OtherRefusalsAreNotRepeated) {
  EXPECT_EQ(Put(Start({{.status = 403}})).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(server_->requests().size(), 1u);
  EXPECT_EQ(Put(Start({{.status = 400}})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(server_->requests().size(), 1u);
  EXPECT_EQ(Put(Start({{.status = 404}})).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(S3, ABucketOfAnotherRegionIsToldByTheRegion) {
  S3Store& store = Start({{.status = 301, .headers = {{"x-amz-bucket-region", "eu-west-1"}}}});
  const auto head = Run(store.Head(kKey));
  ASSERT_FALSE(head.has_value());
  EXPECT_EQ(head.error().status, 301);
  EXPECT_THAT(head.error().message, HasSubstr("the bucket is in region eu-west-1"));
}

TEST_F(S3, RefusedCredentialsAreReadAgainAndTriedOnce) {
  S3Options options = Fast();
  options.reload_credentials = [] { return Credentials{"AK2", "SK2", ""}; };
  ASSERT_TRUE(Put(Start({{.status = 403}, kStored}, options)));
  EXPECT_THAT(Sent(0).Header("authorization"), HasSubstr("Credential=AK/"));
  EXPECT_THAT(Sent(1).Header("authorization"), HasSubstr("Credential=AK2/"));
}

// Complaint C40: whichever of them reads the file first, the others go on with what it found.
TEST_F(S3, RequestsThatAreRefusedTogetherAllTakeTheNewCredentials) {
  S3Options options = Fast();
  options.reload_credentials = [] { return Credentials{"AK2", "SK2", ""}; };
  server_ = std::make_unique<StubServer>([](const StubRequest& request) {
    const bool old = request.Header("authorization").find("Credential=AK/") != std::string::npos;
    return old ? StubAnswer{.status = 403} : kStored;
  });
  S3Store& store = Open(server_->url(), std::move(options));
  const int stored = Run([](io::Loop& loop, S3Store& to) -> io::Task<int> {
    int count = 0;
    io::TaskGroup puts(loop);
    for (int n = 0; n < 8; ++n) {
      puts.Add([](S3Store& one, int& done) -> io::Task<void> {
        const Status put = co_await one.Put(kKey, "text/plain", Text("hello"));
        if (put) ++done;
      }(to, count));
    }
    co_await puts.Join();
    co_return count;
  }(thread_.loop(), store));
  EXPECT_EQ(stored, 8);
}

TEST_F(S3, TheSameCredentialsAgainAreNotTried) {
  S3Options options = Fast();
  options.reload_credentials = [] { return Credentials{"AK", "SK", ""}; };
  EXPECT_EQ(Put(Start({{.status = 403}}, options)).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(S3, NotFoundIsAnAnswerForHeadGetAndDelete) {
  S3Store& store = Start({{.status = 404}});
  EXPECT_FALSE(Run(store.Head(kKey))->has_value());
  EXPECT_FALSE(Run(store.Get(kKey))->has_value());
  EXPECT_TRUE(Run(store.Delete(kKey)).has_value());
  EXPECT_EQ(Run(store.GetRange(kKey, 0, 1)).error().code, ErrorCode::kNotFound);
}

TEST_F(S3, NotFoundOfTheBucketOrTheAccessKeyIsNoAnswerAboutTheKey) {
  const auto refused = [this](const std::string& code, ErrorCode expected) {
    const StubAnswer answer{.status = 404, .body = "<Error><Code>" + code + "</Code></Error>"};
    S3Store& store = Start({answer});
    EXPECT_EQ(Run(store.Get(kKey)).error().code, expected);
    EXPECT_EQ(Run(store.GetRange(kKey, 0, 1)).error().code, expected);
    EXPECT_EQ(Run(store.Delete(kKey)).error().code, expected);
    EXPECT_EQ(Put(store).error().code, expected);
    S3Store& asked_twice = Start({{.status = 404}, answer});
    const auto head = Run(asked_twice.Head(kKey));
    ASSERT_FALSE(head.has_value());
    EXPECT_EQ(head.error().code, expected);
    EXPECT_THAT(head.error().message, HasSubstr(code));
  };
  refused("NoSuchBucket", ErrorCode::kInvalidArgument);
  refused("XAdminUserNotFound", ErrorCode::kPermissionDenied);
}

TEST_F(S3, NotFoundOfTheKeyIsAnAnswer) {
  const StubAnswer answer{.status = 404, .body = "<Error><Code>NoSuchKey</Code></Error>"};
  S3Store& store = Start({{.status = 404}, answer});
  EXPECT_FALSE(Run(store.Head(kKey))->has_value());
  EXPECT_FALSE(Run(store.Get(kKey))->has_value());
}

TEST_F(S3, AnExpiredTokenIsReadAgainWhateverTheStatus) {
  S3Options options = Fast();
  options.reload_credentials = [] { return Credentials{"AK2", "SK2", "new"}; };
  const StubAnswer expired{.status = 400, .body = "<Error><Code>ExpiredToken</Code></Error>"};
  ASSERT_TRUE(Put(Start({expired, kStored}, options)));
  EXPECT_EQ(Sent(1).Header("x-amz-security-token"), "new");
}

TEST_F(S3, ARangeIsAskedForByBytes) {
  S3Store& store = Start({{.status = 206, .body = "cd"}, {.status = 416}, {.body = "abcdef"}});
  EXPECT_EQ(*Run(store.GetRange(kKey, 2, 2)), "cd");
  EXPECT_EQ(Sent(0).Header("range"), "bytes=2-3");
  EXPECT_EQ(*Run(store.GetRange(kKey, 9, 2)), "");
  EXPECT_EQ(*Run(store.GetRange(kKey, 2, 2)), "cd") << "from a store that does not serve ranges";
}

TEST_F(S3, AListingGoesOnFromTheLastKey) {
  S3Store& store =
      Start({{.body = "<ListBucketResult><IsTruncated>true</IsTruncated><Contents>"
                      "<Key>p/a&amp;b</Key><Size>3</Size></Contents></ListBucketResult>"}});
  const auto page = Run(store.List("p/", "p/a", 1));
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->objects.at(0).key, "p/a&b");
  EXPECT_TRUE(page->truncated);
  EXPECT_EQ(Sent(0).target, "/lake?list-type=2&max-keys=1&prefix=p%2F&start-after=p%2Fa");
}

class S3Multipart : public S3 {
 protected:
  // Creates an upload, sends one part, completes it with the answer given.
  Status Upload(std::vector<StubAnswer> completions) {
    std::vector<StubAnswer> script = {{.body = kCreated}, {.headers = {{"ETag", "\"t1\""}}}};
    script.insert(script.end(), completions.begin(), completions.end());
    S3Store& store = Start(std::move(script));
    const UploadId upload = *Run(store.CreateUpload(kKey, "text/plain"));
    const std::string tag = *Run(store.PutPart(upload, 1, Text("part")));
    return Run(store.CompleteUpload(upload, {tag}));
  }
};

TEST_F(S3Multipart, GoesThroughItsThreeRequests) {
  ASSERT_TRUE(Upload({{.body = Completed("&quot;x-1&quot;")}}));
  EXPECT_EQ(Sent(0).method, "POST");
  EXPECT_THAT(Sent(0).target, testing::EndsWith("w.jsonl?uploads="));
  EXPECT_THAT(Sent(1).target, testing::EndsWith("w.jsonl?partNumber=1&uploadId=up"));
  EXPECT_EQ(Sent(1).Header("content-md5"), "");
  EXPECT_EQ(Sent(2).Header("content-type"), "application/xml");
  EXPECT_EQ(Sent(2).body,
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"t1\"</ETag></Part>"
            "</CompleteMultipartUpload>");
  EXPECT_THAT(requests_,
              ElementsAre(Pair("multipart_create", 200),
                          Pair("multipart_part", 200),
                          Pair("multipart_complete", 200)));
}

TEST_F(S3Multipart, EncryptionIsAskedForByTheCreationAlone) {
  S3Options options = Fast();
  options.sse = "aws:kms";
  options.sse_kms_key_id = "key-1";
  S3Store& store = Start({{.body = kCreated},
                          {.headers = {{"ETag", "\"t1\""}}},
                          {.body = Completed("&quot;x-1&quot;")}},
                         options);
  const UploadId upload = *Run(store.CreateUpload(kKey, "text/plain"));
  const std::string tag = *Run(store.PutPart(upload, 1, Text("part")));
  ASSERT_TRUE(Run(store.CompleteUpload(upload, {tag})));
  EXPECT_EQ(Sent(0).Header("x-amz-server-side-encryption"), "aws:kms");
  EXPECT_EQ(Sent(0).Header("x-amz-server-side-encryption-aws-kms-key-id"), "key-1");
  EXPECT_EQ(Sent(0).Header("content-type"), "text/plain");
  EXPECT_EQ(Sent(1).Header("x-amz-server-side-encryption"), "");
  EXPECT_EQ(Sent(1).Header("content-length"), "4");
  EXPECT_EQ(Sent(2).Header("x-amz-server-side-encryption"), "");
}

TEST_F(S3Multipart, ABusyStoreIsAskedForTheUploadAgain) {
  S3Store& store = Start({{.status = 503}, {.status = 500}, {.body = kCreated}});
  EXPECT_EQ(Run(store.CreateUpload(kKey, "text/plain"))->id, "up");
  EXPECT_THAT(requests_,
              ElementsAre(Pair("multipart_create", 503),
                          Pair("multipart_create", 500),
                          Pair("multipart_create", 200)));
}

TEST_F(S3Multipart, ARefusedCreationIsNotRepeated) {
  S3Store& store = Start({{.status = 403, .body = "<Error><Code>AccessDenied</Code></Error>"}});
  const auto upload = Run(store.CreateUpload(kKey, "text/plain"));
  EXPECT_EQ(upload.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(S3Multipart, ACreationThatNamesNoUploadIsNone) {
  S3Store& store = Start({{.body = "<html>hello</html>"}});
  EXPECT_FALSE(Run(store.CreateUpload(kKey, "text/plain")).has_value());
}

class S3Part : public S3Multipart {
 protected:
  Result<std::string> Part(std::vector<StubAnswer> script) {
    S3Store& store = Start(std::move(script));
    const UploadId upload{.key = kKey, .id = "up"};
    return Run(store.PutPart(upload, 1, Text("part")));
  }
};

TEST_F(S3Part, IsSentAgainToABusyStoreAndOverALostConnection) {
  const auto tag = Part(
      {{.status = 503}, {.ending = StubAnswer::Ending::kReset}, {.headers = {{"ETag", "\"t1\""}}}});
  EXPECT_EQ(*tag, "\"t1\"");
  EXPECT_EQ(server_->requests().size(), 3u);
}

TEST_F(S3Part, WithoutATagOrWithTheTagOfOtherBytesIsCorruption) {
  EXPECT_EQ(Part({StubAnswer{}}).error().code, ErrorCode::kCorruption);
  EXPECT_EQ(Part({{.headers = {{"ETag", "\"00000000000000000000000000000000\""}}}}).error().code,
            ErrorCode::kCorruption);
}

TEST_F(S3Part, OfAnUploadThatIsGoneFails) {
  EXPECT_FALSE(Part({{.status = 404, .body = "<Error><Code>NoSuchUpload</Code></Error>"}}));
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(S3Multipart, ARefusedCompletionIsNotRepeated) {
  const Status completed =
      Upload({{.status = 400, .body = "<Error><Code>InvalidPart</Code></Error>"}});
  EXPECT_EQ(completed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(completed.error().message, HasSubstr("InvalidPart"));
  EXPECT_EQ(server_->requests().size(), 3u);
}

TEST_F(S3Multipart, AnErrorWithStatus200EachTimeIsLeftToTheCaller) {
  const Status completed = Upload({{.body = "<Error><Code>InternalError</Code></Error>"}});
  ASSERT_FALSE(completed.has_value());
  EXPECT_TRUE(IsRetriable(completed.error())) << completed.error().message;
  EXPECT_EQ(server_->requests().size(), 2u + 6u);
}

TEST_F(S3Multipart, AnAbortOfWhatIsGoneIsDone) {
  S3Store& store = Start({{.status = 404}});
  const UploadId upload{.key = kKey, .id = "up"};
  EXPECT_TRUE(Run(store.AbortUpload(upload)).has_value());
}

TEST_F(S3Multipart, AnErrorWithStatus200IsRetried) {
  ASSERT_TRUE(Upload({{.body = "<Error><Code>InternalError</Code></Error>"},
                      {.body = Completed("&quot;x-1&quot;")}}));
  EXPECT_EQ(server_->requests().size(), 4u);
}

TEST_F(S3Multipart, AnotherNumberOfPartsIsCorruption) {
  EXPECT_EQ(Upload({{.body = Completed("&quot;x-2&quot;")}}).error().code, ErrorCode::kCorruption);
}

TEST_F(S3Multipart, AnUploadThatIsGoneMayHaveBeenCompleted) {
  const Status completed = Upload({{.ending = StubAnswer::Ending::kReset}, {.status = 404}});
  ASSERT_FALSE(completed.has_value());
  EXPECT_EQ(completed.error().code, ErrorCode::kOutcomeUnknown);
}

TEST_F(S3Multipart, AnAbortNamesTheUpload) {
  S3Store& store = Start({{.status = 204}});
  UploadId upload;
  upload.key = kKey;
  upload.id = "up";
  ASSERT_TRUE(Run(store.AbortUpload(upload)).has_value());
  EXPECT_EQ(Sent(0).method, "DELETE");
  EXPECT_EQ(requests_.at(0).first, "multipart_abort");
}

}  // namespace
}  // namespace tidemark::store
