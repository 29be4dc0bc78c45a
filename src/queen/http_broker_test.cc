#include "queen/http_broker.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/async.h"
#include "io/sim_loop.h"

namespace tidemark::queen {
namespace {

constexpr const char* kEmptyKv =
    R"({"results":[{"index":0,"op":"put","applied":true,"version":5}]})";

// Answers what it was given, in order, and keeps every request.
class ScriptedHttp final : public io::HttpClient {
 public:
  void Answer(int status, std::string body, io::HttpHeaders headers = {}) {
    answers_.emplace_back(
        io::HttpResponse{.status = status, .headers = std::move(headers), .body = std::move(body)});
  }

  void Fail(ErrorCode code) { answers_.emplace_back(tidemark::Fail(code, "the wire broke")); }

  io::Task<Result<io::HttpResponse>> Send(io::HttpRequest request) override {
    requests.push_back(std::move(request));
    auto answer = std::move(answers_.front());
    answers_.pop_front();
    co_return answer;
  }

  std::vector<io::HttpRequest> requests;

 private:
  std::deque<Result<io::HttpResponse>> answers_;
};

template <typename T>
io::Task<void> Keep(io::Task<T> task, std::optional<T>& out) {
  out.emplace(co_await task);
}

std::string HeaderOf(const io::HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

class HttpBrokerTest : public ::testing::Test {
 protected:
  template <typename T>
  T Run(io::Task<T> task) {
    std::optional<T> out;
    io::Spawn(loop_, Keep(std::move(task), out));
    loop_.Run();
    return std::move(out).value();
  }

  HttpBroker NewBroker(HttpBrokerOptions options = {.url = "http://b:1"}) {
    return HttpBroker(loop_, http_, *pool_, std::move(options));
  }

  Error ErrorOfRead(int status, io::HttpHeaders headers = {}) {
    http_.Answer(status, R"({"error":"pool"})", std::move(headers));
    auto broker = NewBroker();
    return Run(broker.ListQueues()).error();
  }

  Error ErrorOfPut(int status, const std::string& body) {
    http_.Answer(status, body);
    auto broker = NewBroker();
    return Run(broker.KvPutOne({"k", "1", std::nullopt, 0})).error();
  }

  io::Duration FetchTimeout(std::int64_t max_wait_ms) {
    http_.Answer(500, "");
    auto broker = NewBroker();
    FetchRequest request{.queue = "q", .entries = {{"p", Offset(0)}}, .max_wait_ms = max_wait_ms};
    EXPECT_FALSE(Run(broker.Fetch(request)).has_value());
    return http_.requests.back().timeout;
  }

  const io::HttpRequest& sent() const { return http_.requests.at(0); }

  io::SimLoop loop_;
  ScriptedHttp http_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewInlinePool(loop_);
};

TEST_F(HttpBrokerTest, FetchPostsTheEntriesAndDecodesTheAnswer) {
  http_.Answer(200, R"({"entries":[{"queue":"orders","partition":"cust-7","records":[
      {"offset":120,"transactionId":"t-120","payload":{"n":1},"ts":"2026-09-04T10:03:41.918204Z"}],
      "highWatermark":121,"logStartOffset":100}]})");
  auto broker = NewBroker();
  const auto answer =
      Run(broker.Fetch({.queue = "orders", .entries = {{"cust-7", Offset(120), 4096}}})).value();
  EXPECT_EQ(sent().method, "POST");
  EXPECT_EQ(sent().url, "http://b:1/api/v1/fetch");
  EXPECT_EQ(*sent().body,
            R"({"entries":[{"queue":"orders","partition":"cust-7","offset":120,"maxBytes":4096}],)"
            R"("maxWaitMs":0,"minBytes":1})");
  EXPECT_EQ(answer.entries.at(0).records[0].payload(answer.body->text()), R"({"n":1})");
}

TEST_F(HttpBrokerTest, EveryCallSaysJsonAndTheGetToo) {
  http_.Answer(200, R"({"queues":[]})");
  auto broker = NewBroker();
  EXPECT_TRUE(Run(broker.ListQueues()).has_value());
  EXPECT_EQ(sent().method, "GET");
  EXPECT_EQ(sent().url, "http://b:1/api/v1/resources/queues");
  EXPECT_EQ(HeaderOf(sent(), "Content-Type"), "application/json");
  EXPECT_EQ(sent().body, nullptr);
}

TEST_F(HttpBrokerTest, WithoutTokenThereIsNoAuthorization) {
  http_.Answer(200, R"({"queues":[]})");
  auto broker = NewBroker();
  EXPECT_TRUE(Run(broker.ListQueues()).has_value());
  EXPECT_EQ(HeaderOf(sent(), "Authorization"), "(none)");
  EXPECT_EQ(HeaderOf(sent(), "Host"), "(none)");
}

TEST_F(HttpBrokerTest, TheTokenIsABearerAndHostCanBeOverridden) {
  http_.Answer(200, R"({"queues":[]})");
  auto broker = NewBroker({.url = "http://b:1", .token = "s3cret", .host = "eu.queen.example"});
  EXPECT_TRUE(Run(broker.ListQueues()).has_value());
  EXPECT_EQ(HeaderOf(sent(), "Authorization"), "Bearer s3cret");
  EXPECT_EQ(HeaderOf(sent(), "Host"), "eu.queen.example");
}

TEST_F(HttpBrokerTest, AnEmptyFetchIsNeverSent) {
  auto broker = NewBroker();
  EXPECT_TRUE(Run(broker.Fetch({.queue = "q", .entries = {}}))->entries.empty());
  EXPECT_TRUE(http_.requests.empty());
}

TEST_F(HttpBrokerTest, MoreThanTheBrokerTakesIsRefusedHere) {
  auto broker = NewBroker();
  const FetchRequest fetch{.queue = "q", .entries = std::vector<FetchEntry>(1025)};
  EXPECT_EQ(Run(broker.Fetch(fetch)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Run(broker.Discover(std::vector<DiscoveryEntry>(65))).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Run(broker.KvPutAll(std::vector<KvPut>(257))).error().code,
            ErrorCode::kInvalidArgument);
  const KvPut big{"k", std::string(65'537, '1'), std::nullopt, std::nullopt};
  EXPECT_EQ(Run(broker.KvPutOne(big)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(http_.requests.empty());
}

TEST_F(HttpBrokerTest, AFetchWaitsThirtySecondsOrTenOnTopOfItsPark) {
  EXPECT_EQ(FetchTimeout(0), std::chrono::seconds(30));
  EXPECT_EQ(FetchTimeout(30'000), std::chrono::seconds(40));
  EXPECT_EQ(FetchTimeout(999'999), std::chrono::seconds(40));
}

TEST_F(HttpBrokerTest, TheBoundOfAnAnswerReachesTheClient) {
  http_.Fail(ErrorCode::kExhausted);
  auto broker = NewBroker();
  FetchRequest request{.queue = "q", .entries = {{"p", Offset(0)}}, .max_answer_bytes = 12345};
  EXPECT_EQ(Run(broker.Fetch(request)).error().code, ErrorCode::kExhausted);
  EXPECT_EQ(sent().max_response_bytes, 12345u);
}

TEST_F(HttpBrokerTest, DiscoveryAlwaysSendsAllFourKeys) {
  http_.Answer(200, R"({"safeTime":"2026-09-04T10:00:00.000000Z","safeTimeDegraded":false,
      "entries":[{"queue":"a","partitions":[],"next":null},{"queue":"b","partitions":[]}]})");
  auto broker = NewBroker();
  const std::vector<DiscoveryEntry> entries{{"a", std::nullopt, "", 1000},
                                            {"b", Micros(1'788'516'000'000'000), "t|1|p", 7}};
  EXPECT_EQ(Run(broker.Discover(entries))->entries.size(), 2u);
  EXPECT_EQ(sent().url, "http://b:1/api/v1/partitions/changed");
  EXPECT_EQ(*sent().body,
            R"({"entries":[{"queue":"a","since":null,"after":null,"limit":1000},)"
            R"({"queue":"b","since":"2026-09-04T10:00:00.000000Z","after":"t|1|p","limit":7}]})");
}

TEST_F(HttpBrokerTest, DiscoveryWithoutQueuesAsksForTheSafeTime) {
  http_.Answer(200, R"({"safeTime":"2026-09-04T10:00:00.000000Z","entries":[]})");
  auto broker = NewBroker();
  EXPECT_EQ(Run(broker.Discover({}))->safe_time, Micros(1'788'516'000'000'000));
  EXPECT_EQ(*sent().body, R"({"entries":[]})");
}

TEST_F(HttpBrokerTest, ABatchKeepsTheFenceFirstAndIsRequired) {
  http_.Answer(200, R"({"results":[{"index":1,"applied":true,"version":9},
                                   {"index":0,"applied":true,"version":7}]})");
  auto broker = NewBroker();
  const std::vector<KvPut> puts{{"s3:d:q:lease", R"({"i":1})", 30, 41},
                                {"s3:d:q:intent", R"({"k":8})", std::nullopt, 40}};
  const auto result = Run(broker.KvPutAll(puts)).value();
  EXPECT_EQ(result.versions, (std::vector<std::int64_t>{7, 9}));
  EXPECT_EQ(sent().url, "http://b:1/api/v1/kv");
  EXPECT_EQ(*sent().body,
            R"({"operations":[{"ns":"queen-s3","op":"put","key":"s3:d:q:lease","value":{"i":1},)"
            R"("ttlSeconds":30,"expect":41,"required":true},)"
            R"({"ns":"queen-s3","op":"put","key":"s3:d:q:intent","value":{"k":8},)"
            R"("forever":true,"expect":40,"required":true}]})");
}

TEST_F(HttpBrokerTest, ASinglePutIsNotRequiredAndWithoutExpectationSaysNone) {
  http_.Answer(200, kEmptyKv);
  auto broker = NewBroker();
  EXPECT_EQ(Run(broker.KvPutOne({"k", "1", std::nullopt, std::nullopt}))->version, 5);
  EXPECT_EQ(*sent().body,
            R"({"operations":[{"ns":"queen-s3","op":"put","key":"k","value":1,"forever":true}]})");
}

TEST_F(HttpBrokerTest, GetManyAsksForTheKeysInOneOperation) {
  http_.Answer(200, R"({"results":[{"index":0,"op":"getMany","rows":[],"missing":["a","b"]}]})");
  auto broker = NewBroker();
  EXPECT_TRUE(Run(broker.KvGetMany({"a", "b"}))->empty());
  EXPECT_EQ(*sent().body, R"({"operations":[{"ns":"queen-s3","op":"getMany","keys":["a","b"]}]})");
}

TEST_F(HttpBrokerTest, GetPrefixAsksForAThousandRows) {
  http_.Answer(200, R"({"results":[{"index":0,"op":"getPrefix","rows":[],"truncated":false}]})");
  auto broker = NewBroker();
  EXPECT_TRUE(Run(broker.KvGetPrefix("s3:\"x"))->empty());
  EXPECT_EQ(
      *sent().body,
      R"({"operations":[{"ns":"queen-s3","op":"getPrefix","prefix":"s3:\"x","limit":1000}]})");
}

TEST_F(HttpBrokerTest, AFencedDeleteLeavesNothingThere) {
  http_.Answer(200, R"({"results":[{"index":0,"op":"delete","applied":true,"version":5}]})");
  auto broker = NewBroker();
  const auto result = Run(broker.KvDelete("k", 5)).value();
  EXPECT_TRUE(result.applied);
  EXPECT_EQ(result.version, 0);
  EXPECT_EQ(*sent().body,
            R"({"operations":[{"ns":"queen-s3","op":"delete","key":"k","expect":5}]})");
}

TEST_F(HttpBrokerTest, RetryAfterIsReadInMilliseconds) {
  const Error error = ErrorOfRead(429, {{"retry-after", "7"}});
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_EQ(error.retry_after_ms, 7000);
  EXPECT_EQ(error.status, 429);
}

TEST_F(HttpBrokerTest, StatusesOfAReadSayWhatTheCallerCanDo) {
  EXPECT_EQ(ErrorOfRead(503).code, ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorOfRead(500).code, ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorOfRead(408).code, ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorOfRead(401).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(ErrorOfRead(403).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(ErrorOfRead(400).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOfRead(302).code, ErrorCode::kInternal);
}

TEST_F(HttpBrokerTest, AnErrorNamesTheCallAndWhatWasAnswered) {
  const Error error = ErrorOfRead(503);
  EXPECT_EQ(error.message, R"(GET http://b:1/api/v1/resources/queues: 503 {"error":"pool"})");
}

TEST_F(HttpBrokerTest, AReadWhoseAnswerWasLostDidNothing) {
  http_.Fail(ErrorCode::kOutcomeUnknown);
  auto broker = NewBroker();
  EXPECT_EQ(Run(broker.ListQueues()).error().code, ErrorCode::kUnavailable);
}

TEST_F(HttpBrokerTest, APutIsOnlyKnownUndoneWhenTheBrokerSaysSo) {
  EXPECT_EQ(ErrorOfPut(503, R"({"error":"kv_unavailable","reason":"kv_pool"})").code,
            ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorOfPut(503, R"({"error":"kv_disabled"})").code, ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorOfPut(429, "").code, ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorOfPut(503, R"({"error":"kv_unavailable","reason":"kv_timeout"})").code,
            ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(ErrorOfPut(503, "upstream connect error").code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(ErrorOfPut(504, "").code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(ErrorOfPut(500, R"({"error":"kv_error"})").code, ErrorCode::kOutcomeUnknown);
}

TEST_F(HttpBrokerTest, AnUnreadableAnswerToAPutHasToBeReadBack) {
  EXPECT_EQ(ErrorOfPut(200, "<html>").code, ErrorCode::kOutcomeUnknown);
}

TEST_F(HttpBrokerTest, AnUnreadableAnswerToAReadIsInternal) {
  http_.Answer(200, "<html>");
  auto broker = NewBroker();
  EXPECT_EQ(Run(broker.ListQueues()).error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace tidemark::queen
