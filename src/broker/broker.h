#pragma once
// The embedded broker: Queen's HTTP interface over a folder, on one node. For development, tests,
// the edge and small installations. Owns its threads: one for HTTP, one writer, one for timers, one
// for housekeeping, some workers.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "broker/log_store.h"
#include "io/clock.h"
#include "io/http_server.h"
#include "io/loop.h"
#include "io/random.h"

namespace tidemark::broker {

struct BrokerOptions {
  LogStoreOptions store;
  io::HttpServerOptions http;
  std::string token;  // empty: no credentials asked
  int workers = 2;
  // Between two rounds of retention, sweeping and expiry.
  io::Duration housekeeping_interval = std::chrono::seconds(30);
};

class Broker {
 public:
  // Serves when it returns. Borrows `clock` and `random` for its lifetime. Errors: LogStore::Open's
  // and StartHttpServer's.
  static Result<std::unique_ptr<Broker>> Start(BrokerOptions options,
                                               const io::Clock& clock,
                                               io::Random& random);
  ~Broker();

  std::uint16_t port() const;
  std::size_t parked_polls() const;

  // Answers parked polls, finishes the requests under way, closes the store. Once.
  Status Stop();

 private:
  class Impl;
  explicit Broker(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::broker
