#include "edge/status_endpoints.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/curl_http_client.h"
#include "tests/support/run_task.h"

namespace tidemark::edge {
namespace {

using ::testing::HasSubstr;

const io::SocketAddress kAnyPort{.host = "127.0.0.1", .port = 0};

TEST(StatusEndpoints, SayThatItIsStartingBeforeThereIsAPipeline) {
  test::LoopThread thread;
  obs::Metrics metrics(obs::Wing::kEdge);
  const auto endpoints = StatusEndpoints::Listen(kAnyPort, thread.loop(), metrics, {}).value();
  io::CurlHttpClient client(thread.loop());
  for (const char* path : {"/healthz", "/metrics", "/"}) {
    io::HttpRequest request;
    request.url = fmt::format("http://127.0.0.1:{}{}", endpoints->port(), path);
    const auto answer = thread.Run(client.Send(std::move(request))).value();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.body, R"({"ok":false,"reason":"starting"})");
  }
}

TEST(StatusEndpoints, NameAnAddressThatIsTaken) {
  test::LoopThread thread;
  obs::Metrics metrics(obs::Wing::kEdge);
  const auto first = StatusEndpoints::Listen(kAnyPort, thread.loop(), metrics, {}).value();
  const io::SocketAddress taken{.host = "127.0.0.1", .port = first->port()};
  const auto second = StatusEndpoints::Listen(taken, thread.loop(), metrics, {});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr(fmt::format("127.0.0.1:{}", first->port())));
}

}  // namespace
}  // namespace tidemark::edge
