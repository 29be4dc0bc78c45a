#include "io/curl_http_client.h"

#include <gtest/gtest.h>

#include "tests/stub/stub_server.h"
#include "tests/support/run_task.h"

namespace tidemark::io {
namespace {

using test::StubAnswer;
using test::StubServer;
using Ending = test::StubAnswer::Ending;

HttpRequest Request(std::string method, std::string url) {
  HttpRequest request;
  request.method = std::move(method);
  request.url = std::move(url);
  return request;
}

class CurlClient : public testing::Test {
 protected:
  Result<HttpResponse> Send(HttpRequest request) {
    return thread_.Run(client_->Send(std::move(request)));
  }

  test::LoopThread thread_;
  std::unique_ptr<CurlHttpClient> client_ = std::make_unique<CurlHttpClient>(thread_.loop());
};

TEST_F(CurlClient, HandsOutStatusHeadersAndBody) {
  StubServer server({{.status = 418, .headers = {{"X-Name", " value "}}, .body = "tea"}});
  const auto response = Send(Request("GET", server.url() + "/a%2Fb?c=%3D"));
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->Header("x-name"), "value");
  EXPECT_EQ(response->body, "tea");
  EXPECT_EQ(server.requests()[0].target, "/a%2Fb?c=%3D");
}

TEST_F(CurlClient, SendsNoHeadersOfItsOwnButHostAndLength) {
  StubServer server({StubAnswer{}});
  HttpRequest request = Request("PUT", server.url() + "/k");
  request.headers = {{"x-one", "1"}};
  request.body = std::make_shared<const std::string>(std::string(2 << 20, 'x'));
  ASSERT_TRUE(Send(request).has_value());
  const auto got = server.requests()[0];
  std::vector<std::string> names;
  names.reserve(got.headers.size());
  for (const auto& [name, value] : got.headers) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"host", "x-one", "content-length"}));
  EXPECT_EQ(got.body, *request.body);
}

TEST_F(CurlClient, PostWithoutBodyHasLengthZero) {
  StubServer server({StubAnswer{}});
  ASSERT_TRUE(Send(Request("POST", server.url())).has_value());
  EXPECT_EQ(server.requests()[0].Header("content-length"), "0");
}

TEST_F(CurlClient, DeleteAndHeadGoOutAsSuch) {
  StubServer server({{.headers = {{"X-Length", "7"}}}});
  ASSERT_TRUE(Send(Request("DELETE", server.url())).has_value());
  const auto head = Send(Request("HEAD", server.url()));
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->Header("x-length"), "7");
  EXPECT_EQ(server.requests()[0].method, "DELETE");
  EXPECT_EQ(server.requests()[1].method, "HEAD");
}

TEST_F(CurlClient, OneConnectionServesOneCallAfterTheOther) {
  StubServer server({StubAnswer{}});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Send(Request("GET", server.url())).has_value());
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(CurlClient, NobodyListeningIsUnavailable) {
  std::string url;
  {
    StubServer server({StubAnswer{}});
    url = server.url();
  }
  const auto response = Send(Request("PUT", url + "/k"));
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(response.error().message.find("PUT " + url + "/k"), std::string::npos);
}

TEST_F(CurlClient, ANameThatDoesNotResolveIsUnavailable) {
  const auto response = Send(Request("GET", "http://no-such-host.invalid/"));
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
}

TEST_F(CurlClient, AResetAfterTheRequestIsAnUnknownOutcome) {
  StubServer server({{.ending = Ending::kReset}});
  EXPECT_EQ(Send(Request("PUT", server.url())).error().code, ErrorCode::kOutcomeUnknown);
}

// curl repeats a request by itself when a kept connection turns out dead, and the repeat may find
// nobody: that must not read as "nothing happened".
TEST_F(CurlClient, AResetOnAKeptConnectionIsAnUnknownOutcomeThoughTheRepeatCannotConnect) {
  StubServer* running = nullptr;
  StubServer server([&](const test::StubRequest& request) -> StubAnswer {
    if (request.target == "/first") return {};
    running->StopListening();
    return {.ending = Ending::kReset};
  });
  running = &server;
  ASSERT_TRUE(Send(Request("PUT", server.url() + "/first")).has_value());
  const auto second = Send(Request("PUT", server.url() + "/second"));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(CurlClient, SilenceUntilTheTimeOutIsAnUnknownOutcome) {
  StubServer server({{.ending = Ending::kHang}});
  HttpRequest request = Request("POST", server.url());
  request.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(Send(request).error().code, ErrorCode::kOutcomeUnknown);
}

TEST_F(CurlClient, AShortBodyIsAnUnknownOutcome) {
  StubServer server({{.body = "half", .ending = Ending::kCutBody}});
  EXPECT_EQ(Send(Request("GET", server.url())).error().code, ErrorCode::kOutcomeUnknown);
}

TEST_F(CurlClient, AnAnswerThatIsNotHttpIsAnUnknownOutcome) {
  StubServer server({{.raw = "220 mail ready\r\n"}});
  EXPECT_EQ(Send(Request("GET", server.url())).error().code, ErrorCode::kOutcomeUnknown);
}

TEST_F(CurlClient, ACutOffAnnouncedBodyIsExhausted) {
  StubServer server({{.body = std::string(1001, 'x')}});
  HttpRequest request = Request("GET", server.url());
  request.max_response_bytes = 1000;
  const auto response = Send(request);
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::kExhausted);
}

TEST_F(CurlClient, ABodyAtTheLimitIsTaken) {
  StubServer server({{.body = std::string(1000, 'x')}});
  HttpRequest request = Request("GET", server.url());
  request.max_response_bytes = 1000;
  EXPECT_TRUE(Send(request).has_value());
}

TEST_F(CurlClient, AnUnannouncedBodyIsBoundedWhileItArrives) {
  StubServer server({{.raw = "HTTP/1.1 200 OK\r\n\r\n" + std::string(1001, 'x')}});
  HttpRequest request = Request("GET", server.url());
  request.max_response_bytes = 1000;
  EXPECT_EQ(Send(request).error().code, ErrorCode::kExhausted);
}

TEST_F(CurlClient, EndlessHeadersAreExhausted) {
  std::string raw = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 10'000; ++i)
    raw += "x-" + std::to_string(i) + ": " + std::string(50, 'y') + "\r\n";
  StubServer server({{.raw = raw + "\r\n"}});
  EXPECT_EQ(Send(Request("GET", server.url())).error().code, ErrorCode::kExhausted);
}

TEST_F(CurlClient, LeavesRoomBehindTheBody) {
  StubServer server({{.body = std::string(100'000, 'x')}});
  HttpRequest request = Request("GET", server.url());
  request.response_padding = 64;
  const auto response = Send(request);
  ASSERT_TRUE(response.has_value());
  EXPECT_GE(response->body.capacity(), response->body.size() + 64);
  EXPECT_LT(response->body.capacity(), response->body.size() + 4096);
}

TEST_F(CurlClient, ALineBreakInAHeaderIsRefused) {
  HttpRequest request = Request("GET", "http://127.0.0.1:1/");
  request.headers = {{"authorization", "a\r\nx-evil: 1"}};
  EXPECT_EQ(Send(request).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(CurlClient, OtherProtocolsAreRefused) {
  EXPECT_EQ(Send(Request("GET", "file:///etc/passwd")).error().code, ErrorCode::kInvalidArgument);
}

Task<Result<HttpResponse>> DestroyWhileSending(std::unique_ptr<CurlHttpClient>& client,
                                               const StubServer& server,
                                               Loop& loop) {
  TaskGroup group(loop);
  std::optional<Result<HttpResponse>> result;
  const auto send = [](auto& from, std::string url, auto& to) -> Task<void> {
    HttpRequest request = Request("GET", url);
    to.emplace(co_await from.Send(std::move(request)));
  };
  group.Add(send(*client, server.url(), result));
  const Yield pause{loop};
  while (server.requests().empty()) co_await pause;
  client.reset();
  co_await group.Join();
  co_return std::move(*result);
}

TEST_F(CurlClient, DestructionCancelsWhatIsUnderWay) {
  StubServer server({{.ending = Ending::kHang}});
  const auto response = thread_.Run(DestroyWhileSending(client_, server, thread_.loop()));
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace tidemark::io
