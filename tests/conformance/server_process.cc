#include "tests/conformance/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "base/check.h"

namespace tidemark::test {

namespace {

constexpr auto kStartTimeout = std::chrono::seconds(60);
constexpr int kRetryMillis = 20;

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<in_port_t>(port));
  return address;
}

bool Accepts(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  const bool accepted =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return accepted;
}

std::string Content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

[[noreturn]] void BecomeServer(const std::vector<std::string>& command, int log) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  TIDEMARK_CHECK(bind(fd, generic, size) == 0 && getsockname(fd, generic, &size) == 0);
  close(fd);
  return ntohs(address.sin_port);
}

ServerProcess::ServerProcess(const std::vector<std::string>& command,
                             int port,
                             const std::string& log_file) {
  TIDEMARK_CHECK(access(command.at(0).c_str(), X_OK) == 0,
                 "{} is missing: run tools/setup --servers",
                 command.at(0));
  const int log = open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  pid_ = fork();
  if (pid_ == 0) BecomeServer(command, log);
  close(log);
  const auto deadline = std::chrono::steady_clock::now() + kStartTimeout;
  while (!Accepts(port)) {
    int status = 0;
    TIDEMARK_CHECK(
        std::chrono::steady_clock::now() < deadline && waitpid(pid_, &status, WNOHANG) == 0,
        "{} does not serve port {}: {}",
        command.at(0),
        port,
        Content(log_file));
    poll(nullptr, 0, kRetryMillis);
  }
}

ServerProcess::~ServerProcess() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace tidemark::test
