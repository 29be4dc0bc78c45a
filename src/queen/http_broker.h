#pragma once
// A Queen broker (or a proxy before one) over HTTP: builds the calls, maps statuses to what the
// caller can do, hands answers to the decoders on the worker pool (queen-interface 1).

#include <memory>
#include <string>
#include <vector>

#include "io/http.h"
#include "io/loop.h"
#include "io/worker_pool.h"
#include "queen/broker.h"

namespace tidemark::queen {

struct HttpBrokerOptions {
  std::string url = "http://localhost:6632";  // scheme and authority, no slash at the end
  std::string token = {};                     // empty: no Authorization header
  std::string host = {};                      // sent as Host; empty: the URL's own
  std::string ca_file = {};                   // empty: the system's
};

// On the loop's thread; decoding runs on `pool`. All three outlive the broker, and the broker its
// calls. Retries nothing. Errors as queen/broker.h; `message` names the call and what was answered,
// never the token.
class HttpBroker final : public Broker {
 public:
  HttpBroker(io::Loop& loop, io::HttpClient& http, io::WorkerPool& pool, HttpBrokerOptions options);

  // No entries: an empty answer, nothing is sent.
  io::Task<Result<FetchAnswer>> Fetch(FetchRequest request) override;
  io::Task<Result<DiscoveryAnswer>> Discover(std::vector<DiscoveryEntry> entries) override;
  // No keys: an empty answer, nothing is sent.
  io::Task<Result<std::vector<KvRow>>> KvGetMany(std::vector<std::string> keys) override;
  io::Task<Result<std::vector<KvRow>>> KvGetPrefix(std::string prefix) override;
  // No puts: an empty answer, nothing is sent.
  io::Task<Result<std::vector<KvResult>>> KvPutEach(std::vector<KvPut> puts) override;
  io::Task<Result<KvBatchResult>> KvPutAll(std::vector<KvPut> puts) override;
  io::Task<Result<KvResult>> KvDelete(std::string key, std::int64_t expect) override;
  io::Task<Result<std::vector<std::string>>> ListQueues() override;

 private:
  io::HttpRequest NewRequest(std::string_view method, std::string_view path, std::string body);
  // Sends and sorts out the status: a 2xx answer's body, or the error.
  io::Task<Result<std::string>> Read(io::HttpRequest request);
  io::Task<Result<std::string>> Write(std::string operations);

  io::Loop& loop_;
  io::HttpClient& http_;
  io::WorkerPool& pool_;
  HttpBrokerOptions options_;
};

}  // namespace tidemark::queen
