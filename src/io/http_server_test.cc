#include "io/http_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/raw_client.h"

namespace tidemark::io {
namespace {

using test::RawClient;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Post(std::string_view body) {
  return fmt::format(
      "POST /echo?x=1 HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
}

std::unique_ptr<HttpServer> Start(HttpServerOptions options, HttpHandler handler) {
  return StartHttpServer(std::move(options), std::move(handler)).value();
}

// Answers "<method> <path> <query> <body>." and so ends with a full stop.
void Echo(HttpServerRequest request, HttpResponder responder) {
  responder.Send({.status = 201,
                  .headers = {{"X-Kind", std::string(request.Header("x-kind"))}},
                  .body = fmt::format(
                      "{} {} {} {}.", request.method, request.path, request.query, request.body)});
}

TEST(HttpServer, AnswersARequest) {
  const auto server = Start({}, Echo);
  RawClient client(server->port());
  client.Send(Post("hello"));
  const std::string answer = client.ReadTo("hello.");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 201 Created\r\n"));
  EXPECT_THAT(answer, HasSubstr("POST /echo x=1 hello."));
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  const auto server = Start({}, Echo);
  RawClient client(server->port());
  client.Send("HEAD /echo HTTP/1.1\r\nHost: t\r\n\r\n" + Post("two"));
  const std::string answers = client.ReadTo("two.");
  EXPECT_THAT(answers, HasSubstr("Content-Length: 13\r\n"));  // "HEAD /echo  ."
  EXPECT_THAT(answers, HasSubstr("\r\n\r\nHTTP/1.1 201 Created\r\n"));
}

TEST(HttpServer, KeepsAConnectionForPipelinedRequests) {
  const auto server = Start({}, Echo);
  RawClient client(server->port());
  client.Send(Post("one") + Post("two"));
  EXPECT_THAT(client.ReadTo("one."), HasSubstr("POST /echo x=1 one."));
  EXPECT_THAT(client.ReadTo("two."), HasSubstr("POST /echo x=1 two."));
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
  const auto server = Start({}, Echo);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("GET /  ."));
}

TEST(HttpServer, ReadsAChunkedBody) {
  const auto server = Start({}, Echo);
  RawClient client(server->port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_THAT(client.ReadTo("."), HasSubstr("HTTP"));
  EXPECT_THAT(client.ReadTo("abcde."), HasSubstr("abcde."));
}

TEST(HttpServer, RefusesABodyThatAnnouncesToBeTooLarge) {
  const auto server = Start({.body_bytes_max = 100}, Echo);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 101\r\n\r\n");
  EXPECT_THAT(client.ReadTo("too_large"), StartsWith("HTTP/1.1 413"));
}

TEST(HttpServer, RefusesAChunkedBodyThatGrowsTooLarge) {
  const auto server = Start({.body_bytes_max = 100}, Echo);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) client.Send("28\r\n" + std::string(40, 'x') + "\r\n");
  EXPECT_THAT(client.ReadTo("too_large"), StartsWith("HTTP/1.1 413"));
}

TEST(HttpServer, InvitesABodyThatWaitsForIt) {
  const auto server = Start({}, Echo);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadTo("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("hi");
  EXPECT_THAT(client.ReadTo("hi."), HasSubstr("201"));
}

TEST(HttpServer, SaysWhatIsNotHttp) {
  const auto server = Start({}, Echo);
  RawClient client(server->port());
  client.Send("what is this\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 400"));
}

TEST(HttpServer, RefusesHeadersWithoutEnd) {
  const auto server = Start({.header_bytes_max = 1000}, Echo);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x'));
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 431"));
}

TEST(HttpServer, LeavesAClientThatNeverFinishesItsRequestAndTellsSo) {
  std::promise<HttpCut> cut;
  const auto server = Start({.on_cut = [&](HttpCut why) { cut.set_value(why); },
                             .request_timeout = std::chrono::milliseconds(50)},
                            Echo);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_EQ(cut.get_future().get(), HttpCut::kTimeout);
}

TEST(HttpServer, TellsOfAClientThatGoesInTheMiddleOfItsRequest) {
  std::promise<HttpCut> cut;
  const auto server = Start({.on_cut = [&](HttpCut why) { cut.set_value(why); }}, Echo);
  {
    RawClient client(server->port());
    client.Send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nhalf");
  }
  EXPECT_EQ(cut.get_future().get(), HttpCut::kGone);
}

TEST(HttpServer, LeavesAnIdleClientAndCountsNone) {
  const auto told = [](HttpCut why) { ADD_FAILURE() << ToString(why); };
  const auto server = Start({.on_cut = told, .idle_timeout = std::chrono::milliseconds(50)}, Echo);
  RawClient answered(server->port());
  answered.Send(Post("x"));
  answered.ReadTo("x.");
  EXPECT_EQ(answered.ReadToEnd(), "");
  RawClient client(server->port());
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(HttpServer, AnAnswerMayComeFromAnotherThread) {
  std::jthread answering;
  const auto server = Start({}, [&](HttpServerRequest request, HttpResponder responder) {
    answering =
        std::jthread([request = std::move(request), responder = std::move(responder)]() mutable {
          Echo(std::move(request), std::move(responder));
        });
  });
  RawClient client(server->port());
  client.Send(Post("late"));
  EXPECT_THAT(client.ReadTo("late."), HasSubstr("201"));
}

TEST(HttpServer, AForgottenAnswerIsA500) {
  const auto server = Start({}, [](const HttpServerRequest&, HttpResponder) {});
  RawClient client(server->port());
  client.Send(Post("x"));
  EXPECT_THAT(client.ReadTo("internal"), StartsWith("HTTP/1.1 500"));
}

// Keeps what it is asked until the test lets it answer.
class Parking {
 public:
  HttpHandler Handler() {
    return [this](const HttpServerRequest&, HttpResponder responder) {
      const std::lock_guard lock(mutex_);
      parked_.push_back(std::move(responder));
      if (parked_.size() == wanted_) full_.set_value();
    };
  }

  explicit Parking(std::size_t wanted) : wanted_(wanted) {}

  void WaitUntilFull() { full_.get_future().wait(); }

  void AnswerAll() {
    const std::lock_guard lock(mutex_);
    for (auto& responder : parked_)
      responder.Send({.status = 200, .headers = {}, .body = "ready."});
    parked_.clear();
  }

 private:
  const std::size_t wanted_;
  std::mutex mutex_;
  std::vector<HttpResponder> parked_;
  std::promise<void> full_;
};

TEST(HttpServer, RefusesForNowWhatAllBodiesTogetherHaveNoRoomFor) {
  Parking parking(1);
  const auto handle = [park = parking.Handler()](HttpServerRequest request,
                                                 HttpResponder responder) {
    const bool parks = request.body.starts_with('x');
    parks ? park(std::move(request), std::move(responder))
          : Echo(std::move(request), std::move(responder));
  };
  const auto server = Start({.bodies_bytes_max = 100}, handle);
  RawClient first(server->port());
  first.Send(Post(std::string(60, 'x')));
  parking.WaitUntilFull();
  RawClient second(server->port());
  second.Send(Post(std::string(60, 'y')));
  const std::string refusal = second.ReadToEnd();
  EXPECT_THAT(refusal, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refusal, HasSubstr("Retry-After: 1\r\n"));
  parking.AnswerAll();
  first.ReadTo("ready.");
  RawClient third(server->port());
  third.Send(Post(std::string(100, 'z')));
  EXPECT_THAT(third.ReadTo("\r\n"), StartsWith("HTTP/1.1 201"));
}

TEST(HttpServer, ABodyThatWasCutOffTakesNoRoomAnyMore) {
  const auto server = Start({.bodies_bytes_max = 100}, Echo);
  std::optional<RawClient> first(server->port());
  first->Send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 90\r\nExpect: 100-continue\r\n\r\n");
  first->ReadTo("\r\n\r\n");
  first->Send(std::string(80, 'x'));
  first.reset();
  std::string answer;
  while (!answer.starts_with("HTTP/1.1 201")) {  // until the server has seen the first one leave
    RawClient second(server->port());
    second.Send(Post(std::string(90, 'y')));
    answer = second.ReadTo("\r\n");
    ASSERT_THAT(answer, ::testing::AnyOf(StartsWith("HTTP/1.1 201"), StartsWith("HTTP/1.1 503")));
  }
}

TEST(HttpServer, AStopWaitsForAnswersThatAreOwed) {
  Parking parking(1);
  const auto server = Start({}, parking.Handler());
  RawClient client(server->port());
  client.Send(Post("x"));
  parking.WaitUntilFull();
  std::jthread stopping([&] { server->Stop(); });
  parking.AnswerAll();
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("ready."));
}

TEST(HttpServer, AStopWaitsNoLongerThanItsDrainTime) {
  Parking parking(1);
  const auto server = Start({.drain_timeout = std::chrono::milliseconds(50)}, parking.Handler());
  RawClient client(server->port());
  client.Send(Post("x"));
  parking.WaitUntilFull();
  server->Stop();
  EXPECT_EQ(client.ReadToEnd(), "");
  parking.AnswerAll();  // goes nowhere, harmlessly
}

TEST(HttpServer, AnswersOutliveTheServerHarmlessly) {
  Parking parking(1);
  {
    const auto server = Start({.drain_timeout = std::chrono::milliseconds(1)}, parking.Handler());
    RawClient client(server->port());
    client.Send(Post("x"));
    parking.WaitUntilFull();
  }
  parking.AnswerAll();
}

TEST(HttpServer, AFullServerServesTheNextClientWhenOneLeaves) {
  const auto server = Start({.connections_max = 1}, Echo);
  std::optional<RawClient> first(server->port());
  first->Send(Post("first"));
  first->ReadTo("first.");
  RawClient second(server->port());
  second.Send(Post("second"));
  first.reset();
  EXPECT_THAT(second.ReadTo("second."), HasSubstr("201"));
}

TEST(HttpServer, ManyWaitingRequestsAreAllAnswered) {
  constexpr std::size_t kClients = 300;
  Parking parking(kClients);
  const auto server = Start({}, parking.Handler());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->Send(Post("x"));
  }
  parking.WaitUntilFull();
  parking.AnswerAll();
  for (auto& client : clients) EXPECT_THAT(client->ReadTo("ready."), HasSubstr("200"));
}

TEST(HttpServer, APortInUseIsSaid) {
  const auto server = Start({}, Echo);
  HttpServerOptions options;
  options.port = server->port();
  EXPECT_EQ(StartHttpServer(options, Echo).error().code, ErrorCode::kUnavailable);
}

TEST(HttpServer, ANameIsNotAnAddress) {
  HttpServerOptions options;
  options.host = "example";
  EXPECT_EQ(StartHttpServer(options, Echo).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace tidemark::io
