// io: what a client may say to a server, heads and chunks, and how it is cut into packets. A client
// that ends is answered or left, and the server lives.

#include "io/http_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "io/http_text.h"

namespace tidemark::fuzz {

namespace {

constexpr std::uint64_t kBodyMax = 200;

void Handle(const io::HttpServerRequest& request, io::HttpResponder responder) {
  TIDEMARK_CHECK(request.body.size() <= kBodyMax, "{}", request.body.size());
  TIDEMARK_CHECK(request.path.find('?') == std::string::npos, "{}", request.path);
  if (const auto path = io::PercentDecode(request.path)) {
    TIDEMARK_CHECK(path->size() <= request.path.size(), "{}", request.path);
  }
  TIDEMARK_CHECK(!io::HasBearerToken(request, "not to be guessed"), "guessed");
  responder.Send({.headers = {}, .body = "ok"});
}

int Connect(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  while (true) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
    // libFuzzer looks at its watch by a signal.
    TIDEMARK_CHECK(errno == EINTR, "the server is gone: {}", std::strerror(errno));
    close(fd);
  }
}

void Say(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server closed
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

// The first byte says where the rest is cut in two.
void HttpServer(std::string_view bytes) {
  static const auto kServer =
      io::StartHttpServer(
          {.body_bytes_max = kBodyMax, .header_bytes_max = 1024},
          [](auto request, auto responder) { Handle(request, std::move(responder)); })
          .value();
  if (bytes.empty()) return;
  const std::size_t cut = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  const int fd = Connect(kServer->port());
  Say(fd, bytes.substr(0, cut));
  Say(fd, bytes.substr(std::min(cut, bytes.size())));
  shutdown(fd, SHUT_WR);
  char answer[4096];
  while (recv(fd, answer, sizeof(answer), 0) > 0) {
  }
  close(fd);
}

}  // namespace tidemark::fuzz
