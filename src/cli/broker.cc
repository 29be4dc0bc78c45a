#include "broker/broker.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/commands.h"

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

// `HOST:PORT`, an IPv6 host in brackets.
bool SplitListen(const std::string& listen, io::HttpServerOptions& http) {
  const auto colon = listen.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  http.host = listen.substr(0, colon);
  if (http.host.front() == '[' && http.host.back() == ']') {
    http.host = http.host.substr(1, http.host.size() - 2);
  }
  if (http.host == "localhost") http.host = "127.0.0.1";
  unsigned port = 0;
  const char* const first = listen.data() + colon + 1;
  const char* const last = listen.data() + listen.size();
  const auto [end, error] = std::from_chars(first, last, port);
  if (error != std::errc() || end != last || port > 65535) return false;
  http.port = static_cast<std::uint16_t>(port);
  return true;
}

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
  // Blocked before the threads start, so that only sigwait below sees them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const io::SystemClock clock;
  io::SystemRandom random;
  const std::string host = options.http.host;
  auto broker = broker::Broker::Start(std::move(options), clock, random);
  if (!broker) {
    fmt::print(stderr, "tidemark broker: {}\n", broker.error().message);
    return broker.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  const bool v6 = host.find(':') != std::string::npos;
  fmt::print("tidemark broker {} listening on http://{}{}{}:{}\n",
             TIDEMARK_VERSION,
             v6 ? "[" : "",
             host,
             v6 ? "]" : "",
             (*broker)->port());
  std::fflush(stdout);

  int signal = 0;
  sigwait(&signals, &signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
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
  app.add_option("--listen", arguments.listen, "HOST:PORT to serve on; port 0: any free one")
      ->capture_default_str();
  app.add_option("--token-file",
                 arguments.token_file,
                 "File with a token that callers must send as `Authorization: Bearer <token>`");
  app.add_option(
         "--dedup-records",
         arguments.dedup_records,
         "Latest records whose transaction ids are remembered, all queues together; 40 bytes of "
         "memory each. Within it, a queue's dedupWindowSeconds counts")
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }

  broker::BrokerOptions options;
  options.store.dir = arguments.data;
  options.store.dedup_records_max = arguments.dedup_records;
  options.store.safe_lag_us = arguments.safe_lag_ms * kMicrosPerMilli;
  options.housekeeping_interval = std::chrono::seconds(arguments.housekeeping_seconds);
  if (!SplitListen(arguments.listen, options.http)) {
    return Usage(fmt::format("--listen \"{}\" is not HOST:PORT", arguments.listen));
  }
  if (!arguments.token_file.empty() && !ReadToken(arguments.token_file, options.token)) {
    return Usage(fmt::format("--token-file {}: cannot be read, or empty", arguments.token_file));
  }
  RaiseDescriptorLimit();
  return Serve(std::move(options));
}

}  // namespace tidemark::cli
