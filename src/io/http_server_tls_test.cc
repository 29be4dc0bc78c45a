#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <fstream>
#include <future>
#include <mutex>

#include "io/curl_http_client.h"
#include "io/http_server.h"
#include "io/lossy_file_system.h"
#include "io/tls_identity.h"
#include "tests/support/raw_client.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_pems.h"

namespace tidemark::io {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kBeginOfAHandshake[] = "\x16\x03\x01\x02";

std::shared_ptr<const TlsIdentity> Identity() {
  LossyFileSystem files;
  const std::string both = test::kCertificatePem + test::kKeyPem;
  EXPECT_TRUE(files.CreateLocked("/both.pem").value()->WriteAt(0, both).has_value());
  return TlsIdentity::Read(files, "/both.pem", "/both.pem").value();
}

// What one thread tells and another waits for.
class Told {
 public:
  void Push(HttpCut cut) {
    const std::lock_guard lock(mutex_);
    cuts_.push_back(cut);
    changed_.notify_one();
  }

  HttpCut Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !cuts_.empty(); });
    const HttpCut first = cuts_.front();
    cuts_.pop_front();
    return first;
  }

  bool empty() {
    const std::lock_guard lock(mutex_);
    return cuts_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<HttpCut> cuts_;
};

class HttpServerTls : public ::testing::Test {
 protected:
  HttpServerTls() { std::ofstream(ca_file_) << test::kCertificatePem; }

  void Start(HttpServerOptions options = {}) {
    options.tls = Identity();
    options.on_cut = [this](HttpCut why) { cut_.Push(why); };
    options.on_refused = [this](int status) { refused_.set_value(status); };
    const auto echo = [](HttpServerRequest request, HttpResponder responder) {
      responder.Send({.status = 200, .headers = {}, .body = std::move(request.body)});
    };
    server_ = StartHttpServer(std::move(options), echo).value();
  }

  Result<HttpResponse> Send(const std::string& body, const std::string& ca_file) {
    HttpRequest request;
    request.method = "POST";
    request.url = fmt::format("https://127.0.0.1:{}/", server_->port());
    request.ca_file = ca_file;
    request.body = std::make_shared<const std::string>(body);
    return thread_.Run(client_->Send(std::move(request)));
  }

  test::TempFolder folder_;
  std::string ca_file_ = folder_.path() + "/ca.pem";
  std::promise<int> refused_;
  Told cut_;
  std::unique_ptr<HttpServer> server_;
  test::LoopThread thread_;
  std::unique_ptr<CurlHttpClient> client_ = std::make_unique<CurlHttpClient>(thread_.loop());
};

TEST_F(HttpServerTls, AnswersAClientThatTrustsItsCertificate) {
  Start();
  for (const std::size_t size : {0UL, 5UL, 3UL << 20}) {
    const std::string body(size, 'x');
    const auto answer = Send(body, ca_file_);
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, body);
  }
}

TEST_F(HttpServerTls, AClientThatDoesNotTrustItLeaves) {
  Start();
  EXPECT_EQ(Send("x", "").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(cut_.Pop(), HttpCut::kHandshake);
  EXPECT_TRUE(Send("x", ca_file_).has_value());
}

TEST_F(HttpServerTls, AnAnswerInTheMiddleOfABodyArrives) {
  Start({.body_bytes_max = 1 << 10});
  const auto answer = Send(std::string(4 << 20, 'x'), ca_file_);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->status, 413);
}

TEST_F(HttpServerTls, PlainHttpIsToldSo) {
  Start();
  test::RawClient client(server_->port());
  client.Send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(answer, HasSubstr("this port speaks TLS"));
  EXPECT_EQ(refused_.get_future().get(), 400);
}

TEST_F(HttpServerTls, AHandshakeThatDoesNotGoOnIsCut) {
  Start({.idle_timeout = std::chrono::hours(1), .request_timeout = std::chrono::milliseconds(50)});
  test::RawClient silent(server_->port());
  test::RawClient slow(server_->port());
  slow.Send(kBeginOfAHandshake);
  EXPECT_EQ(slow.ReadToEnd(), "");
  EXPECT_EQ(silent.ReadToEnd(), "");
  EXPECT_EQ(cut_.Pop(), HttpCut::kHandshake);
  EXPECT_EQ(cut_.Pop(), HttpCut::kHandshake);
}

TEST_F(HttpServerTls, WhoOnlyLooksWhetherSomebodyListensIsNotCounted) {
  Start();
  {
    test::RawClient looking(server_->port());
  }
  {
    test::RawClient gone(server_->port());
    gone.Send(kBeginOfAHandshake);
  }
  EXPECT_EQ(cut_.Pop(), HttpCut::kHandshake);
  server_->Stop();
  EXPECT_TRUE(cut_.empty());
}

TEST_F(HttpServerTls, AStopWaitsForNoHandshakeAndNoIdleClient) {
  Start({.request_timeout = std::chrono::hours(1), .drain_timeout = std::chrono::hours(1)});
  test::RawClient slow(server_->port());
  slow.Send(kBeginOfAHandshake);
  ASSERT_TRUE(Send("x", ca_file_).has_value());  // and keeps its connection
  server_->Stop();
  EXPECT_EQ(slow.ReadToEnd(), "");
}

}  // namespace
}  // namespace tidemark::io
