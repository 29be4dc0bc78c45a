#include "edge/source/http_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>

#include "base/compress.h"
#include "edge/wal/wal_reader.h"
#include "io/curl_http_client.h"
#include "io/lossy_file_system.h"
#include "tests/support/run_task.h"

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Worker threads that stand still while the gate is closed.
class GatedPool final : public io::WorkerPool {
 public:
  void Execute(Job job) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    changed_.notify_all();
    if (open_) Release();
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }

  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    Release();
  }

  // Until a job stands before the closed gate.
  void AwaitJob() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !waiting_.empty(); });
  }

 private:
  void Release() {
    for (Job& job : std::exchange(waiting_, {})) inner_->Execute(std::move(job));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  bool open_ = true;
  std::unique_ptr<io::WorkerPool> inner_ = io::NewWorkerPool(1);
};

class HttpSourceTest : public ::testing::Test {
 public:
  ~HttpSourceTest() override {
    if (source_) End();
    client_loop_.Run(DropClient());
  }

 protected:
  void Start() {
    options_.id = "ingest";
    ASSERT_TRUE(loop_.Run(Open()).has_value());
    const Status started = loop_.Run(StartSource());
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }

  void End() { loop_.Run(StopAll()); }

  io::HttpRequest Request(std::string path, std::string body) {
    io::HttpRequest request;
    request.method = "POST";
    request.url = fmt::format("http://127.0.0.1:{}{}", source_->port(), path);
    request.body = std::make_shared<const std::string>(std::move(body));
    return request;
  }

  io::HttpResponse Send(io::HttpRequest request) {
    auto response = client_loop_.Run(client_->Send(std::move(request)));
    EXPECT_TRUE(response.has_value()) << (response ? "" : response.error().message);
    return response.value_or(io::HttpResponse{});
  }

  io::HttpResponse Post(std::string path, std::string body, io::HttpHeaders headers = {}) {
    io::HttpRequest request = Request(std::move(path), std::move(body));
    request.headers = std::move(headers);
    return Send(std::move(request));
  }

  // Posts, and returns when the events are on their way to the disk, where they come when wal_pool_
  // is opened, and not before.
  std::future<io::HttpResponse> PostAndHold(std::string path,
                                            std::string body,
                                            io::HttpHeaders headers = {}) {
    wal_pool_.Close();
    auto answer = std::async(std::launch::async,
                             &HttpSourceTest::Post,
                             this,
                             std::move(path),
                             std::move(body),
                             std::move(headers));
    wal_pool_.AwaitJob();
    return answer;
  }

  // `topic payload` of all that is in the log.
  std::vector<std::string> Taken() { return loop_.Run(ReadAll()); }

  io::LossyFileSystem disk_;
  WalOptions wal_options_;
  HttpSourceOptions options_;
  io::ManualClock clock_{Micros(1)};
  GatedPool wal_pool_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewWorkerPool(1);
  std::unique_ptr<Wal> wal_;
  std::unique_ptr<HttpSource> source_;
  test::LoopThread loop_;
  test::LoopThread client_loop_;
  std::unique_ptr<io::CurlHttpClient> client_ =
      std::make_unique<io::CurlHttpClient>(client_loop_.loop());

 private:
  io::Task<Status> Open() {
    wal_options_.folder = "/wal";
    auto wal = Wal::Open(wal_options_, WalWorld{disk_, clock_, loop_.loop(), wal_pool_});
    if (!wal) co_return std::unexpected(wal.error());
    wal_ = std::move(*wal);
    co_return Status();
  }

  io::Task<Status> StartSource() {
    source_ = std::make_unique<HttpSource>(options_, *wal_, clock_, loop_.loop(), *pool_);
    co_return source_->Listen();
  }

  io::Task<bool> StopAll() {
    co_await source_->Stop();
    source_.reset();
    co_await wal_->Close();
    wal_.reset();
    co_return true;
  }

  io::Task<bool> DropClient() {
    client_.reset();
    co_return true;
  }

  io::Task<std::vector<std::string>> ReadAll() {
    std::vector<std::string> taken;
    WalReader reader(*wal_, *pool_, Position(1));
    while (!reader.AtEnd()) {
      const auto batch = co_await reader.Next();
      for (const auto& record : (**batch).records) {
        taken.push_back(fmt::format("{} {} {}", record.source, record.topic, record.payload));
      }
    }
    co_return taken;
  }
};

TEST_F(HttpSourceTest, TakesOneEvent) {
  Start();
  const auto response = Post("/v1/events/robots/7/telemetry", "{\"n\":1}\n");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, R"({"accepted":1})");
  EXPECT_THAT(Taken(), ElementsAre("ingest robots/7/telemetry {\"n\":1}\n"));
}

TEST_F(HttpSourceTest, TakesLinesInOneGroup) {
  Start();
  const auto response =
      Post("/v1/events/t", "{}\r\n\n[1]\nlast", {{"Content-Type", "Application/x-ndjson; a=b"}});
  EXPECT_EQ(response.status, 202);
  EXPECT_THAT(Taken(), ElementsAre("ingest t {}", "ingest t [1]", "ingest t last"));
  EXPECT_EQ(wal_->counters().groups, 1u);
}

TEST_F(HttpSourceTest, TakesCompressedBodies) {
  Start();
  std::string gzip;
  const auto compressor = NewGzipCompressor();
  compressor->Write("{\"z\":1}", gzip);
  compressor->Finish(gzip);
  EXPECT_EQ(Post("/v1/events/t", gzip, {{"Content-Encoding", "gzip"}}).status, 202);
  EXPECT_EQ(Post("/v1/events/t", ZstdCompress("{\"z\":2}"), {{"Content-Encoding", "zstd"}}).status,
            202);
  EXPECT_THAT(Taken(), ElementsAre("ingest t {\"z\":1}", "ingest t {\"z\":2}"));
}

TEST_F(HttpSourceTest, DecodesTheTopic) {
  Start();
  EXPECT_EQ(Post("/v1/events/a%2Fb/%C3%A4", "1").status, 202);
  EXPECT_THAT(Taken(), ElementsAre("ingest a/b/ä 1"));
}

TEST_F(HttpSourceTest, NamesTheFaultAndTakesNothing) {
  options_.limits = {.max_record_bytes = 10, .body_bytes_max = 1000};
  Start();
  const io::HttpHeaders lines = {{"Content-Type", "application/x-ndjson"}};
  const auto expect = [](const io::HttpResponse& response, int status, std::string_view fault) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_THAT(response.body, HasSubstr(std::string(fault)));
  };
  expect(Post("/v1/events/", "1"), 400, "names no topic");
  expect(Post("/v1/events/a/+/b", "1"), 400, "wildcard");
  expect(Post("/v1/events/a%00", "1"), 400, "NUL");
  expect(Post("/v1/events/a%2", "1"), 400, "two hex digits");
  expect(Post("/v1/events/%ff", "1"), 400, "UTF-8");
  expect(Post("/v1/events/t", ""), 400, "empty");
  expect(Post("/v1/events/t", "\n\n", lines), 400, "no line");
  expect(Post("/v1/events/t", "12345678901"), 413, "the event has 11 bytes, the limit is 10");
  expect(Post("/v1/events/t", "1\n\n12345678901\n", lines), 413, "line 3 has 11 bytes");
  expect(Post("/v1/events/t", "1", {{"Content-Encoding", "br"}}), 415, "\\\"br\\\" is not known");
  expect(Post("/v1/events/t", "no gzip", {{"Content-Encoding", "gzip"}}), 400, "gzip body");
  expect(Post("/v1/events/t", ZstdCompress(std::string(2000, 'x')), {{"Content-Encoding", "zstd"}}),
         413,
         "limit of 1000 bytes");
  expect(Post("/v1/events/t", "1", {{"Idempotency-Key", std::string(256, 'k')}}),
         400,
         "1 to 255 characters");
  expect(Post("/v1/events/t", "1", {{"Idempotency-Key", ""}}), 400, "1 to 255 characters");
  expect(Post("/v1/events/t", "1", {{"Idempotency-Key", "a"}, {"Idempotency-Key", "b"}}),
         400,
         "comes once");
  expect(Post("/v1/other", "1"), 404, "/v1/events/");
  io::HttpRequest get = Request("/v1/events/t", "");
  get.method = "GET";
  get.body = nullptr;
  expect(Send(std::move(get)), 405, "POST");
  EXPECT_THAT(Taken(), IsEmpty());
  const std::map<int, std::uint64_t> answers = {{400, 11}, {404, 1}, {405, 1}, {413, 3}, {415, 1}};
  EXPECT_EQ(source_->counters().answers, answers);
}

TEST_F(HttpSourceTest, TakesSoManyEventsAtOnceAndNoMore) {
  options_.limits.events_max = 3;
  Start();
  const io::HttpHeaders lines = {{"Content-Type", "application/x-ndjson"}};
  const auto refused = Post("/v1/events/t", "1\n\n2\n3\n4\n5\n", lines);
  EXPECT_EQ(refused.status, 413);
  EXPECT_THAT(refused.body, HasSubstr("line 5: a request holds 3 events at most"));
  EXPECT_THAT(Taken(), IsEmpty());
  EXPECT_EQ(Post("/v1/events/t", "1\n2\n3\n", lines).status, 202);
}

TEST_F(HttpSourceTest, AnswersForNowWhatWouldTakeTooMuchMemory) {
  options_.inflight_bytes_max = 2 * kEventBytes;
  Start();
  auto answer = PostAndHold("/v1/events/t", "1");
  const io::HttpHeaders lines = {{"Content-Type", "application/x-ndjson"}};
  const auto refused = Post("/v1/events/t", "2\n3\n", lines);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.Header("retry-after"), "1");
  wal_pool_.Open();
  EXPECT_EQ(answer.get().status, 202);
  EXPECT_EQ(Post("/v1/events/t", "2\n3\n", lines).status, 202);
}

TEST_F(HttpSourceTest, TakesARequestWithAKeyOnce) {
  Start();
  const io::HttpHeaders key = {{"Idempotency-Key", "k1"}, {"Content-Type", "application/x-ndjson"}};
  EXPECT_EQ(Post("/v1/events/t", "1\n2\n", key).body, R"({"accepted":2})");
  const auto again = Post("/v1/events/t", "1\n2\n", key);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.body, R"({"accepted":2,"repeated":true})");
  EXPECT_EQ(Post("/v1/events/t", "1\n3\n", key).status, 422);
  EXPECT_EQ(Post("/v1/events/u", "1\n2\n", key).status, 422);
  EXPECT_EQ(Post("/v1/events/t", "12", key).status, 422);
  EXPECT_THAT(Taken(), ElementsAre("ingest t 1", "ingest t 2"));
}

TEST_F(HttpSourceTest, ANewStartKnowsTheKeysAlsoOfSegmentsThatAreGone) {
  wal_options_ = {.segment_bytes = 200, .max_bytes = 4000};
  Start();
  EXPECT_EQ(Post("/v1/events/t", "1", {{"Idempotency-Key", "k1"}}).status, 202);
  for (int i = 0; i < 5; ++i) Post("/v1/events/t", std::string(100, 'x'));
  ASSERT_TRUE(loop_.Run(wal_->RemoveThrough(Position(6))));
  End();
  Start();
  EXPECT_THAT(Post("/v1/events/t", "1", {{"Idempotency-Key", "k1"}}).body, HasSubstr("repeated"));
}

TEST_F(HttpSourceTest, AKeyIsForgottenAfterADay) {
  Start();
  const io::HttpHeaders key = {{"Idempotency-Key", "k1"}};
  EXPECT_EQ(Post("/v1/events/t", "1", key).status, 202);
  clock_.Set(Micros(IdempotencyLedger::kKeptMicros));
  EXPECT_THAT(Post("/v1/events/t", "1", key).body, HasSubstr("repeated"));
  clock_.Set(Micros(IdempotencyLedger::kKeptMicros + 1));
  EXPECT_EQ(Post("/v1/events/t", "2", key).body, R"({"accepted":1})");
  EXPECT_THAT(Taken(), ElementsAre("ingest t 1", "ingest t 2"));
}

TEST_F(HttpSourceTest, TheOldestKeyGoesWhenThereAreTooMany) {
  options_.idempotency_keys_max = 2;
  Start();
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_EQ(Post("/v1/events/t", key, {{"Idempotency-Key", key}}).status, 202);
  }
  EXPECT_THAT(Post("/v1/events/t", "b", {{"Idempotency-Key", "b"}}).body, HasSubstr("repeated"));
  EXPECT_THAT(Post("/v1/events/t", "a", {{"Idempotency-Key", "a"}}).body, R"({"accepted":1})");
  Post("/v1/events/t", "the table goes with the next group");
  EXPECT_EQ(wal_->Streams("ingest").size(), 2u);
}

TEST_F(HttpSourceTest, ASecondRequestOfAKeyWaitsForTheFirst) {
  Start();
  const io::HttpHeaders key = {{"Idempotency-Key", "k1"}};
  auto answer = PostAndHold("/v1/events/t", "1", key);
  const auto second = Post("/v1/events/t", "1", key);
  EXPECT_EQ(second.status, 409);
  EXPECT_EQ(second.Header("retry-after"), "1");
  wal_pool_.Open();
  EXPECT_EQ(answer.get().status, 202);
  EXPECT_THAT(Post("/v1/events/t", "1", key).body, HasSubstr("repeated"));
}

TEST_F(HttpSourceTest, WantsTheToken) {
  options_.token = "secret";
  Start();
  EXPECT_EQ(Post("/v1/events/t", "1").status, 401);
  EXPECT_EQ(Post("/v1/events/t", "1", {{"Authorization", "Bearer wrong!"}}).status, 401);
  EXPECT_EQ(Post("/v1/events/t", "2", {{"Authorization", "Bearer secret"}}).status, 202);
  EXPECT_THAT(Taken(), ElementsAre("ingest t 2"));
}

TEST_F(HttpSourceTest, AnOpenAddressNeedsAToken) {
  Start();
  HttpSourceOptions open;
  open.http.host = "0.0.0.0";
  HttpSource source(open, *wal_, clock_, loop_.loop(), *pool_);
  const Status listening = source.Listen();
  ASSERT_FALSE(listening.has_value());
  EXPECT_THAT(listening.error().message, HasSubstr("needs a token_file"));
}

TEST_F(HttpSourceTest, AnswersOnlyWhenTheRecordIsOnDisk) {
  Start();
  auto answer = PostAndHold("/v1/events/t", "1");
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  wal_pool_.Open();
  EXPECT_EQ(answer.get().status, 202);
}

TEST_F(HttpSourceTest, WithheldIntakeAnswers503AtOnceAndGoesOnByItself) {
  wal_options_ = {.segment_bytes = 200, .max_bytes = 400};
  Start();
  io::HttpResponse response;
  int taken = 0;
  while ((response = Post("/v1/events/t", std::string(50, 'x'))).status == 202) ++taken;
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.Header("retry-after"), "1");
  EXPECT_THAT(response.body, HasSubstr("wal.max_bytes"));
  ASSERT_TRUE(loop_.Run(wal_->RemoveThrough(Position(taken))));
  EXPECT_EQ(Post("/v1/events/t", std::string(50, 'x')).status, 202);
}

// The group may come back after a restart: nobody is told that it was not taken.
TEST_F(HttpSourceTest, ADiskThatFailedUnderARequestAnswers500AndAfterwards503) {
  Start();
  disk_.FailNextSync();
  const auto unknown = Post("/v1/events/t", "1", {{"Idempotency-Key", "a"}});
  EXPECT_EQ(unknown.status, 500);
  EXPECT_EQ(unknown.Header("retry-after"), "");
  EXPECT_THAT(unknown.body, HasSubstr("whether these events were taken is not known"));
  EXPECT_EQ(Post("/v1/events/t", "2").status, 503);
  End();
  Start();
  const auto repeated = Post("/v1/events/t", "1", {{"Idempotency-Key", "a"}});
  EXPECT_THAT(repeated.body, HasSubstr("\"repeated\":true"));
  EXPECT_THAT(Taken(), ElementsAre("ingest t 1"));
}

TEST_F(HttpSourceTest, TheEndAnswersWhatIsUnderWay) {
  Start();
  auto answer = PostAndHold("/v1/events/t", "1");
  const std::jthread opener([&] { wal_pool_.Open(); });
  End();
  EXPECT_EQ(answer.get().status, 202);
}

}  // namespace
}  // namespace tidemark::edge
