#pragma once
// The bytes of one HTTP connection, as they are or under TLS. Private to io.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <utility>
#include <variant>

#include "io/tls_identity.h"

namespace tidemark::io {

// I/O thread. Whatever waits on it is given up when the TCP stream's time is over.
class HttpStream {
 public:
  using Tcp = boost::beast::tcp_stream;
  using Tls = boost::beast::ssl_stream<Tcp>;

  // `tls` may be null: no TLS.
  HttpStream(boost::asio::ip::tcp::socket socket, const TlsIdentity* tls);

  bool is_tls() const { return std::holds_alternative<Tls>(layers_); }

  // What carries the bytes: time-outs and closing are its.
  Tcp& tcp();

  // The stream under TLS; there must be TLS.
  Tls& tls() { return std::get<Tls>(layers_); }

  // Calls `operation` with the stream that reads and writes what clients mean: Tcp& or Tls&.
  template <typename Operation>
  void Use(Operation operation) {
    std::visit(operation, layers_);
  }

  // Goes on without TLS, which did not begin.
  void DropTls();

 private:
  std::variant<Tcp, Tls> layers_;
};

}  // namespace tidemark::io
