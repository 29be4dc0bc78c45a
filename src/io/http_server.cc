#include "io/http_server.h"

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <thread>
#include <tuple>
#include <utility>

#include "io/http_connection.h"

namespace tidemark::io {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(HttpServerOptions options, HttpHandler handler)
      : shared_(std::make_shared<HttpServerShared>()),
        acceptor_(shared_->io),
        retry_(shared_->io),
        drain_(shared_->io) {
    shared_->options = std::move(options);
    shared_->handler = std::move(handler);
    shared_->on_connection_end = [this] { ConnectionEnded(); };
  }

  ~AsioHttpServer() override { Stop(); }

  Status Listen() {
    error_code error;
    const auto address = asio::ip::make_address(shared_->options.host, error);
    if (error) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("listen address \"{}\" is not an IPv4 or IPv6 address",
                              shared_->options.host));
    }
    const tcp::endpoint endpoint(address, shared_->options.port);
    if (acceptor_.open(endpoint.protocol(), error) ||
        acceptor_.set_option(tcp::acceptor::reuse_address(true), error) ||
        acceptor_.bind(endpoint, error) || acceptor_.listen(shared_->options.backlog, error)) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("cannot listen on {}:{}: {}",
                              shared_->options.host,
                              shared_->options.port,
                              error.message()));
    }
    port_ = acceptor_.local_endpoint().port();
    return {};
  }

  void Serve() {
    Accept();
    thread_ = std::thread([this] { shared_->io.run(); });
  }

  std::uint16_t port() const override { return port_; }

  void Stop() override {
    if (!thread_.joinable()) return;
    shared_->Post([this] { Drain(); });
    thread_.join();
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->stopped = true;
    }
    shared_->io.restart();
    shared_->io.poll();
    shared_->on_connection_end = [] {};
  }

 private:
  void Accept() {
    if (shared_->draining || accepting_ ||
        shared_->connections.size() >= shared_->options.connections_max) {
      return;
    }
    accepting_ = true;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      accepting_ = false;
      if (shared_->draining) return;
      if (error) return AcceptLater();
      error_code ignored;
      std::ignore = socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<HttpConnection>(std::move(socket), shared_)->Begin();
      Accept();
    });
  }

  // Out of descriptors, most likely: trying again at once would spin.
  void AcceptLater() {
    retry_.expires_after(kAcceptRetry);
    retry_.async_wait([this](error_code error) {
      if (!error) Accept();
    });
  }

  void ConnectionEnded() {
    if (!shared_->draining) return Accept();
    if (shared_->connections.empty()) drain_.cancel();
  }

  // The context's run() ends by itself when no operation is left: the timer keeps it going while
  // answers are owed.
  void Drain() {
    shared_->draining = true;
    error_code ignored;
    std::ignore = acceptor_.close(ignored);
    retry_.cancel();
    const auto connections = shared_->connections;
    for (HttpConnection* connection : connections) connection->CloseIfIdle();
    if (shared_->connections.empty()) return;
    drain_.expires_after(shared_->options.drain_timeout);
    drain_.async_wait([this](error_code) {
      const auto late = shared_->connections;
      for (HttpConnection* connection : late) connection->Close();
    });
  }

  std::shared_ptr<HttpServerShared> shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::steady_timer drain_;
  std::uint16_t port_ = 0;
  bool accepting_ = false;
  std::thread thread_;
};

}  // namespace

std::string_view HttpServerRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

HttpResponder::~HttpResponder() {
  if (sink_) Send({.status = 500, .headers = {}, .body = R"({"error":"internal"})"});
}

std::string_view ToString(HttpCut cut) {
  switch (cut) {
    case HttpCut::kHandshake:
      return "handshake";
    case HttpCut::kTimeout:
      return "timeout";
    case HttpCut::kGone:
      return "gone";
  }
  return "?";
}

void HttpResponder::Send(HttpServerResponse response) {
  if (auto sink = std::exchange(sink_, nullptr)) sink->Answer(std::move(response));
}

Result<std::unique_ptr<HttpServer>> StartHttpServer(HttpServerOptions options,
                                                    HttpHandler handler) {
  auto server = std::make_unique<AsioHttpServer>(std::move(options), std::move(handler));
  TIDEMARK_TRY_VOID(server->Listen());
  server->Serve();
  return server;
}

}  // namespace tidemark::io
