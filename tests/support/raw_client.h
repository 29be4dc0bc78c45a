#pragma once
// A TCP client of 127.0.0.1 for tests of servers: says what it is given, whatever it means.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::test {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }

  ~RawClient() { close(fd_); }

  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server closed; what it said is still to be read
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Everything up to `mark` and including it, or up to the end of the connection.
  std::string ReadTo(std::string_view mark) {
    while (true) {
      if (const auto at = got_.find(mark); at != std::string::npos) return Take(at + mark.size());
      char bytes[4096];
      const ssize_t n = recv(fd_, bytes, sizeof(bytes), 0);
      if (n <= 0) return Take(got_.size());
      got_.append(bytes, static_cast<std::size_t>(n));
    }
  }

  std::string ReadToEnd() { return ReadTo("\x01 never sent"); }

 private:
  std::string Take(std::size_t n) {
    std::string taken = got_.substr(0, n);
    got_.erase(0, n);
    return taken;
  }

  int fd_;
  std::string got_;
};

}  // namespace tidemark::test
