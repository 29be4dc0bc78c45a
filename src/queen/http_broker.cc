#include "queen/http_broker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/kv_documents.h"
#include "queen/discovery_decoder.h"
#include "queen/fetch_decoder.h"
#include "queen/http_status.h"
#include "queen/kv_decoder.h"
#include "queen/requests.h"

namespace tidemark::queen {

namespace {

constexpr std::string_view kFetchPath = "/api/v1/fetch";
constexpr std::string_view kDiscoveryPath = "/api/v1/partitions/changed";
constexpr std::string_view kKvPath = "/api/v1/kv";
constexpr std::string_view kQueuesPath = "/api/v1/resources/queues";

constexpr std::size_t kKvKeysMax = 1024;
constexpr io::Duration kTimeout = std::chrono::seconds(30);
constexpr std::int64_t kWaitMsMax = 30'000;

// A parked fetch gets ten seconds for its answer on top of its wait.
io::Duration FetchTimeout(std::int64_t max_wait_ms) {
  const auto parked =
      std::chrono::milliseconds(std::min(max_wait_ms, kWaitMsMax)) + std::chrono::seconds(10);
  return max_wait_ms == 0 ? kTimeout : std::max<io::Duration>(kTimeout, parked);
}

Status CheckCount(std::string_view what, std::size_t count, std::size_t most) {
  if (count <= most) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} {} in one call, the broker takes {}", count, what, most));
}

Status CheckPuts(const std::vector<KvPut>& puts) {
  TIDEMARK_TRY_VOID(CheckCount("kv operations", puts.size(), kKvOperationsMax));
  for (const auto& put : puts) {
    if (put.value.size() > format::kKvValueBytesMax) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("the value of {} has {} bytes, the broker takes {}",
                              put.key,
                              put.value.size(),
                              format::kKvValueBytesMax));
    }
  }
  return {};
}

// The broker acted, only its answer makes no sense: what it did has to be read back.
template <typename T>
Result<T> ReadBackWhenUnreadable(Result<T> decoded) {
  if (!decoded) decoded.error().code = ErrorCode::kOutcomeUnknown;
  return decoded;
}

}  // namespace

HttpBroker::HttpBroker(io::Loop& loop,
                       io::HttpClient& http,
                       io::WorkerPool& pool,
                       HttpBrokerOptions options)
    : loop_(loop), http_(http), pool_(pool), options_(std::move(options)) {}

io::HttpRequest HttpBroker::NewRequest(std::string_view method,
                                       std::string_view path,
                                       std::string body) {
  io::HttpRequest request;
  request.method = method;
  request.url = fmt::format("{}{}", options_.url, path);
  request.headers.emplace_back("Content-Type", "application/json");
  if (!options_.token.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + options_.token);
  }
  if (!options_.host.empty()) request.headers.emplace_back("Host", options_.host);
  if (method != "GET") request.body = std::make_shared<const std::string>(std::move(body));
  request.timeout = kTimeout;
  request.response_padding = kAnswerPadding;
  request.ca_file = options_.ca_file;
  return request;
}

io::Task<Result<std::string>> HttpBroker::Read(io::HttpRequest request) {
  const std::string call = fmt::format("{} {}", request.method, request.url);
  auto response = co_await http_.Send(std::move(request));
  co_return ReadAnswer(call, std::move(response));
}

io::Task<Result<std::string>> HttpBroker::Write(std::string operations) {
  io::HttpRequest request = NewRequest("POST", kKvPath, std::move(operations));
  const std::string call = fmt::format("{} {}", request.method, request.url);
  auto response = co_await http_.Send(std::move(request));
  co_return WriteAnswer(call, std::move(response));
}

io::Task<Result<FetchAnswer>> HttpBroker::Fetch(FetchRequest asked) {
  if (asked.entries.empty()) {
    co_return FetchAnswer{.body = std::make_shared<const AnswerBody>(""), .entries = {}};
  }
  TIDEMARK_CO_TRY_VOID(CheckCount("fetch entries", asked.entries.size(), kFetchEntriesMax));
  io::HttpRequest request = NewRequest("POST", kFetchPath, EncodeFetch(asked));
  request.timeout = FetchTimeout(asked.max_wait_ms);
  request.max_response_bytes = asked.max_answer_bytes;
  TIDEMARK_CO_TRY(std::string body, co_await Read(std::move(request)));
  const auto decode = [&] { return DecodeFetch(std::move(body), asked); };
  co_return co_await io::RunOn(loop_, pool_, decode);
}

io::Task<Result<DiscoveryAnswer>> HttpBroker::Discover(std::vector<DiscoveryEntry> entries) {
  TIDEMARK_CO_TRY_VOID(CheckCount("queues", entries.size(), kDiscoveryEntriesMax));
  io::HttpRequest request = NewRequest("POST", kDiscoveryPath, EncodeDiscovery(entries));
  TIDEMARK_CO_TRY(std::string body, co_await Read(std::move(request)));
  const auto decode = [&] { return DecodeDiscovery(std::move(body), entries); };
  co_return co_await io::RunOn(loop_, pool_, decode);
}

io::Task<Result<std::vector<KvRow>>> HttpBroker::KvGetMany(std::vector<std::string> keys) {
  if (keys.empty()) co_return std::vector<KvRow>();
  TIDEMARK_CO_TRY_VOID(CheckCount("kv keys", keys.size(), kKvKeysMax));
  io::HttpRequest request = NewRequest("POST", kKvPath, EncodeKvGetMany(keys));
  TIDEMARK_CO_TRY(std::string body, co_await Read(std::move(request)));
  co_return DecodeKvGetMany(std::move(body), keys);
}

io::Task<Result<std::vector<KvRow>>> HttpBroker::KvGetPrefix(std::string prefix) {
  io::HttpRequest request = NewRequest("POST", kKvPath, EncodeKvGetPrefix(prefix));
  TIDEMARK_CO_TRY(std::string body, co_await Read(std::move(request)));
  co_return DecodeKvGetPrefix(std::move(body));
}

io::Task<Result<std::vector<KvResult>>> HttpBroker::KvPutEach(std::vector<KvPut> puts) {
  if (puts.empty()) co_return std::vector<KvResult>();
  TIDEMARK_CO_TRY_VOID(CheckPuts(puts));
  std::string operations = EncodeKvPuts(puts, false);
  TIDEMARK_CO_TRY(std::string body, co_await Write(std::move(operations)));
  co_return ReadBackWhenUnreadable(DecodeKvEach(std::move(body), puts.size()));
}

io::Task<Result<KvBatchResult>> HttpBroker::KvPutAll(std::vector<KvPut> puts) {
  TIDEMARK_CO_TRY_VOID(CheckPuts(puts));
  std::string operations = EncodeKvPuts(puts, true);
  TIDEMARK_CO_TRY(std::string body, co_await Write(std::move(operations)));
  co_return ReadBackWhenUnreadable(DecodeKvBatch(std::move(body), puts.size()));
}

io::Task<Result<KvResult>> HttpBroker::KvDelete(std::string key, std::int64_t expect) {
  std::string operations = EncodeKvDelete(key, expect);
  TIDEMARK_CO_TRY(std::string body, co_await Write(std::move(operations)));
  auto deleted = ReadBackWhenUnreadable(DecodeKvOne(std::move(body)));
  if (deleted && deleted->applied) deleted->version = 0;
  co_return deleted;
}

io::Task<Result<std::vector<std::string>>> HttpBroker::ListQueues() {
  io::HttpRequest request = NewRequest("GET", kQueuesPath, "");
  TIDEMARK_CO_TRY(std::string body, co_await Read(std::move(request)));
  co_return DecodeQueueList(std::move(body));
}

}  // namespace tidemark::queen
