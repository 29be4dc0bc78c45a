#include "broker/broker.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "io/socket_address.h"
#include "io/stop_signals.h"

namespace tidemark::cli {

namespace {

constexpr const char* kDescription =
    "A Queen-compatible broker in one process and one folder: push, fetch, discovery, key-value "
    "documents.\n"
    "Everything it has answered is on disk (kill -9 loses nothing). One node, no consumer "
    "groups.\n\n"
    "  tidemark broker --data ./broker --listen 127.0.0.1:6632\n"
    "  curl -s localhost:6632/api/v1/push -d "
    "'{\"items\":[{\"queue\":\"q\",\"payload\":{\"n\":1}}]}'\n"
    "  curl -s localhost:6632/api/v1/fetch -d '{\"entries\":[{\"queue\":\"q\",\"offset\":0}]}'\n";

constexpr const char* kFooter =
    "\nWhen ready it prints `tidemark broker <version> listening on http://HOST:PORT`. SIGTERM or "
    "SIGINT: answers\n"
    "what is under way and ends with 0; a second one ends it at once. Exit codes: 0 stopped, 1 "
    "failed, 2 usage.\n";

struct Arguments {
  std::string data;
  std::string listen = "127.0.0.1:6632";
  std::string token_file;
  std::size_t dedup_records = std::size_t{1} << 21;
  std::int64_t safe_lag_ms = 0;
  std::int64_t housekeeping_seconds = 30;
};

bool ReadToken(const std::string& path, std::string& token) {
  std::ifstream file(path, std::ios::binary);
  token.assign(std::istreambuf_iterator<char>(file), {});
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  return !token.empty();
}

// A parked poll costs a descriptor: the soft limit of 1024 would be the first wall.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int Usage(const std::string& message) {
  fmt::print(stderr, "tidemark broker: {}\n", message);
  return kExitUsage;
}

int Serve(broker::BrokerOptions options) {
  const io::StopSignals signals;
  const io::SystemClock clock;
  io::SystemRandom random;
  const std::string host = options.http.host;
  auto broker = broker::Broker::Start(std::move(options), clock, random);
  if (!broker) {
    fmt::print(stderr, "tidemark broker: {}\n", broker.error().message);
    return broker.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  const io::SocketAddress address{.host = host, .port = (*broker)->port()};
  fmt::print("tidemark broker {} listening on http://{}\n", TIDEMARK_VERSION, address.ToString());
  std::fflush(stdout);

  signals.AwaitStop();
  if (const Status stopped = (*broker)->Stop(); !stopped) {
    fmt::print(stderr, "tidemark broker: {}\n", stopped.error().message);
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace

int RunBroker(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "tidemark broker");
  app.footer(kFooter);
  app.add_option("--data", arguments.data, "Folder of the log; made when missing")->required();
  app.add_option("--listen",
                 arguments.listen,
                 "ADDRESS:PORT to serve on: an IP address or localhost, no other name; port 0: any "
                 "free one")
      ->capture_default_str();
  app.add_option("--token-file",
                 arguments.token_file,
                 "File with a token that callers must send as `Authorization: Bearer <token>`");
  app.add_option(
         "--dedup-records",
         arguments.dedup_records,
         "Latest records whose transaction ids are remembered, all queues together; up to 40 bytes "
         "of memory each. Within it, a queue's dedupWindowSeconds counts")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30));
  app.add_option(
         "--safe-lag-ms",
         arguments.safe_lag_ms,
         "Keeps safeTime this far behind the clock. 0 is safe; a lag imitates larger brokers")
      ->capture_default_str()
      ->check(CLI::Range(0, 3'600'000));
  app.add_option("--housekeeping-seconds",
                 arguments.housekeeping_seconds,
                 "Between two rounds of retention and clean-up")
      ->capture_default_str()
      ->check(CLI::Range(1, 86'400));
  if (const auto exit_code = ParseArguments(app, argc, argv)) return *exit_code;

  broker::BrokerOptions options;
  options.store.dir = arguments.data;
  options.store.dedup_records_max = arguments.dedup_records;
  options.store.safe_lag_us = arguments.safe_lag_ms * kMicrosPerMilli;
  options.housekeeping_interval = std::chrono::seconds(arguments.housekeeping_seconds);
  const auto listen = io::ParseSocketAddress(arguments.listen);
  if (!listen) {
    return Usage(
        fmt::format("--listen \"{}\" is not ADDRESS:PORT with an IP address or localhost, such as "
                    "127.0.0.1:6632 or [::1]:6632",
                    arguments.listen));
  }
  options.http.host = listen->host;
  options.http.port = listen->port;
  if (!arguments.token_file.empty() && !ReadToken(arguments.token_file, options.token)) {
    return Usage(fmt::format("--token-file {}: cannot be read, or empty", arguments.token_file));
  }
  RaiseDescriptorLimit();
  return Serve(std::move(options));
}

}  // namespace tidemark::cli
