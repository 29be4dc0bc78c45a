#include "tests/stub/stub_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <mutex>
#include <optional>
#include <thread>

#include "base/check.h"

namespace tidemark::test {

namespace {

// Reads one request from `fd`; bytes beyond it stay in `pending`. nullopt: the client is gone.
std::optional<StubRequest> ReadRequest(int fd, std::string& pending) {
  const auto read_until = [&](auto&& enough) {
    char chunk[16384];
    while (!enough()) {
      const ssize_t n = recv(fd, chunk, sizeof chunk, 0);
      if (n <= 0) return false;
      pending.append(chunk, static_cast<std::size_t>(n));
    }
    return true;
  };
  std::size_t head_end = 0;
  if (!read_until([&] { return (head_end = pending.find("\r\n\r\n")) != pending.npos; })) {
    return std::nullopt;
  }
  StubRequest request;
  std::size_t at = pending.find("\r\n");
  const std::string first = pending.substr(0, at);
  request.method = first.substr(0, first.find(' '));
  request.target =
      first.substr(request.method.size() + 1, first.rfind(' ') - request.method.size() - 1);
  while (at < head_end) {
    const std::size_t end = pending.find("\r\n", at + 2);
    const std::string line = pending.substr(at + 2, end - at - 2);
    const std::size_t colon = line.find(':');
    std::string name = line.substr(0, colon);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    request.headers.emplace_back(name, value == line.npos ? "" : line.substr(value));
    at = end;
  }
  pending.erase(0, head_end + 4);
  const std::string length = request.Header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  if (!read_until([&] { return pending.size() >= size; })) return std::nullopt;
  request.body = pending.substr(0, size);
  pending.erase(0, size);
  return request;
}

void SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void MakeCloseSendReset(int fd) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

// False: close the connection.
bool SendAnswer(int fd, const StubRequest& request, const StubAnswer& answer) {
  if (!answer.raw.empty()) {
    SendAll(fd, answer.raw);
    return false;
  }
  if (answer.ending == StubAnswer::Ending::kReset) {
    MakeCloseSendReset(fd);
    return false;
  }
  if (answer.ending == StubAnswer::Ending::kHang) {
    char byte = 0;
    recv(fd, &byte, 1, 0);
    return false;
  }
  const bool cut = answer.ending == StubAnswer::Ending::kCutBody;
  std::string text = fmt::format("HTTP/1.1 {} Stub\r\n", answer.status);
  for (const auto& [name, value] : answer.headers) text += fmt::format("{}: {}\r\n", name, value);
  text += fmt::format("Content-Length: {}\r\n\r\n", answer.body.size() + (cut ? 1 : 0));
  if (request.method != "HEAD") text += answer.body;
  SendAll(fd, text);
  return !cut;
}

StubServer::Handler Play(std::vector<StubAnswer> script) {
  return [script = std::move(script), next = std::size_t{0}](const StubRequest&) mutable {
    return script.at(next + 1 < script.size() ? next++ : next);
  };
}

}  // namespace

std::string StubRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

struct StubServer::State {
  Handler handler;
  int listener = -1;
  int port = 0;
  mutable std::mutex mutex;  // guards the rest
  std::vector<StubRequest> requests;
  std::vector<int> open;  // -1: closed by its thread
  std::vector<std::thread> connections;
  std::thread acceptor;

  void Accept() {
    while (true) {
      const int fd = accept(listener, nullptr, nullptr);
      if (fd < 0) return;
      const std::lock_guard lock(mutex);
      open.push_back(fd);
      connections.emplace_back([this, fd, i = open.size() - 1] { Serve(fd, i); });
    }
  }

  void Serve(int fd, std::size_t index) {
    std::string pending;
    while (const auto request = ReadRequest(fd, pending)) {
      StubAnswer answer;
      {
        const std::lock_guard lock(mutex);
        requests.push_back(*request);
        answer = handler(*request);
      }
      if (!SendAnswer(fd, *request, answer)) break;
    }
    const std::lock_guard lock(mutex);
    open[index] = -1;
    close(fd);
  }
};

StubServer::StubServer(Handler handler) : state_(std::make_unique<State>()) {
  state_->handler = std::move(handler);
  state_->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  TIDEMARK_CHECK(bind(state_->listener, generic, size) == 0, "bind");
  TIDEMARK_CHECK(listen(state_->listener, 128) == 0, "listen");
  TIDEMARK_CHECK(getsockname(state_->listener, generic, &size) == 0, "getsockname");
  state_->port = ntohs(address.sin_port);
  state_->acceptor = std::thread([state = state_.get()] { state->Accept(); });
}

StubServer::StubServer(std::vector<StubAnswer> script) : StubServer(Play(std::move(script))) {}

void StubServer::StopListening() { shutdown(state_->listener, SHUT_RDWR); }

StubServer::~StubServer() {
  StopListening();
  state_->acceptor.join();
  close(state_->listener);
  {
    const std::lock_guard lock(state_->mutex);
    for (const int fd : state_->open) {
      if (fd >= 0) shutdown(fd, SHUT_RDWR);
    }
  }
  for (std::thread& connection : state_->connections) connection.join();
}

std::string StubServer::url() const { return fmt::format("http://127.0.0.1:{}", state_->port); }

std::vector<StubRequest> StubServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

int StubServer::connections() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->connections.size());
}

}  // namespace tidemark::test
