// How fast the embedded broker takes pushes and answers fetches, over HTTP, client and broker on
// the same cores:
//   bin/broker_bench [path of tidemark]
// First fills the dedup window, so that every pushed record pushes an old one out; then pushes
// batches of 1,000 records over 64 lanes from four connections, then reads the log back through
// one. Prints rates, their ratio to the goals (100,000 records/s, 200 MB/s) and CPU seconds of both
// sides.

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/check.h"
#include "tests/support/cpu_seconds.h"

namespace {

constexpr double kGoalRecords = 100'000;
constexpr double kGoalBytes = 200e6;
constexpr int kBatch = 1000;
constexpr int kLanes = 64;
constexpr int kConnections = 4;
constexpr int kFillBatches = 2200;  // above the default window of 2,097,152 records
constexpr int kPushBatches = 1000;
constexpr std::size_t kPayloadBytes = 373;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The broker as a child process in a folder of its own.
class BrokerProcess {
 public:
  BrokerProcess(const std::string& program, const std::string& dir) {
    int out[2];
    TIDEMARK_CHECK(pipe(out) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      execl(program.c_str(),
            "tidemark",
            "broker",
            "--data",
            dir.c_str(),
            "--listen",
            "127.0.0.1:0",
            nullptr);
      _exit(127);
    }
    close(out[1]);
    std::string line;
    for (char c = 0; c != '\n' && read(out[0], &c, 1) == 1;) line += c;
    close(out[0]);
    const auto colon = line.rfind(':');
    TIDEMARK_CHECK(colon != std::string::npos, "{} did not start: {}", program, line);
    std::from_chars(line.data() + colon + 1, line.data() + line.size(), port_);
  }

  ~BrokerProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }

  std::uint16_t port() const { return port_; }

  double CpuSeconds() const {
    std::ifstream stat(fmt::format("/proc/{}/stat", pid_));
    std::string word;
    double ticks = 0;
    for (int i = 1; i <= 15 && stat >> word; ++i) {
      if (i >= 14) ticks += std::stod(word);
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

 private:
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

// One keep-alive connection; answers with Content-Length, as the broker's have.
class Connection {
 public:
  explicit Connection(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    TIDEMARK_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  }

  ~Connection() { close(fd_); }

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The body of the answer; valid until the next call.
  std::string_view Post(std::string_view path, std::string_view body, std::string_view status) {
    Send(fmt::format(
        "POST {} HTTP/1.1\r\nHost: b\r\nContent-Length: {}\r\n\r\n", path, body.size()));
    Send(body);
    std::size_t end = std::string::npos;
    for (size_ = 0; end == std::string::npos;) {
      Receive(64 << 10);
      end = std::string_view(answer_.data(), size_).find("\r\n\r\n");
    }
    const std::string_view header(answer_.data(), end);
    TIDEMARK_CHECK(header.substr(9, 3) == status, "{}: {}", path, header);
    const std::string_view name = "Content-Length: ";
    std::size_t body_size = 0;
    const char* const number = header.data() + header.find(name) + name.size();
    std::from_chars(number, header.data() + header.size(), body_size);
    while (size_ < end + 4 + body_size) Receive(end + 4 + body_size - size_);
    return {answer_.data() + end + 4, body_size};
  }

 private:
  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      TIDEMARK_CHECK(n > 0, "the broker closed the connection");
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void Receive(std::size_t wanted) {
    if (answer_.size() < size_ + wanted) answer_.resize(size_ + wanted);
    const ssize_t n = recv(fd_, answer_.data() + size_, wanted, 0);
    TIDEMARK_CHECK(n > 0, "the broker closed the connection");
    size_ += static_cast<std::size_t>(n);
  }

  int fd_;
  std::string answer_;
  std::size_t size_ = 0;
};

std::string PushBody(std::string_view run, int batch, std::string_view payload) {
  std::string body = R"({"items":[)";
  for (int i = 0; i < kBatch; ++i) {
    if (i > 0) body += ',';
    fmt::format_to(
        std::back_inserter(body),
        R"({{"queue":"bench","partition":"lane-{}","transactionId":"{}-{}-{}","payload":{}}})",
        (batch * 7 + i) % kLanes,
        run,
        batch,
        i,
        payload);
  }
  return body + "]}";
}

void PushAll(std::uint16_t port, std::string_view run, int batches, std::string_view payload) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> clients;
  clients.reserve(kConnections);
  for (int c = 0; c < kConnections; ++c) {
    clients.emplace_back([&] {
      Connection connection(port);
      for (int batch = next++; batch < batches; batch = next++) {
        connection.Post("/api/v1/push", PushBody(run, batch, payload), "201");
      }
    });
  }
}

// Reads every lane from `offsets` on, all in each call; returns the bytes of the answers.
std::size_t FetchAll(std::uint16_t port, std::size_t& records) {
  Connection connection(port);
  std::vector<long long> offsets(kLanes, 0);
  std::size_t bytes = 0;
  for (bool more = true; more;) {
    std::string request = R"({"entries":[)";
    for (int lane = 0; lane < kLanes; ++lane) {
      fmt::format_to(std::back_inserter(request),
                     R"({}{{"queue":"bench","partition":"lane-{}","offset":{}}})",
                     lane > 0 ? "," : "",
                     lane,
                     offsets[static_cast<std::size_t>(lane)]);
    }
    std::string_view answer = connection.Post("/api/v1/fetch", request + "]}", "200");
    bytes += answer.size();
    more = false;
    for (long long& offset : offsets) {
      // The last record before the entry's own high watermark; offsets have no gaps.
      const auto end = answer.find(R"(],"highWatermark":)");
      const auto last = answer.substr(0, end).rfind(R"({"offset":)");
      if (last != std::string_view::npos) {
        long long seen = 0;
        std::from_chars(answer.data() + last + 10, answer.data() + end, seen);
        records += static_cast<std::size_t>(seen + 1 - offset);
        offset = seen + 1;
        more = true;
      }
      answer.remove_prefix(end + 10);
    }
  }
  return bytes;
}

struct Phase {
  explicit Phase(const BrokerProcess& broker)
      : broker_(broker),
        wall_(Now()),
        broker_cpu_(broker.CpuSeconds()),
        own_cpu_(tidemark::test::CpuSeconds()) {}

  void Print(std::string_view name, double amount, double goal, std::string_view unit) const {
    const double wall = Now() - wall_;
    fmt::print(
        "{:<6} {:>12.0f} {}/s  {:.2f} of the goal  {:.2f} s wall  {:.2f} s CPU broker  {:.2f} s "
        "CPU client\n",
        name,
        amount / wall,
        unit,
        amount / wall / goal,
        wall,
        broker_.CpuSeconds() - broker_cpu_,
        tidemark::test::CpuSeconds() - own_cpu_);
  }

  const BrokerProcess& broker_;
  double wall_;
  double broker_cpu_;
  double own_cpu_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path own = std::filesystem::canonical("/proc/self/exe");
  const std::string program = argc > 1 ? argv[1] : (own.parent_path() / "tidemark").string();
  const auto dir =
      std::filesystem::temp_directory_path() / fmt::format("tidemark-broker-bench-{}", getpid());
  {
    const BrokerProcess broker(program, dir);
    const Phase fill(broker);
    PushAll(broker.port(), "fill", kFillBatches, "1");
    fill.Print("fill", double{kFillBatches} * kBatch, kGoalRecords, "records");

    const std::string payload =
        fmt::format(R"({{"text":"{}"}})", std::string(kPayloadBytes - 11, 'x'));
    const Phase push(broker);
    PushAll(broker.port(), "push", kPushBatches, payload);
    push.Print("push", double{kPushBatches} * kBatch, kGoalRecords, "records");

    std::size_t records = 0;
    const Phase fetch(broker);
    const std::size_t bytes = FetchAll(broker.port(), records);
    fetch.Print("fetch", static_cast<double>(bytes), kGoalBytes, "bytes");
    TIDEMARK_CHECK(
        records == std::size_t{kFillBatches + kPushBatches} * kBatch, "{} records read", records);
  }
  std::filesystem::remove_all(dir);
  return 0;
}
