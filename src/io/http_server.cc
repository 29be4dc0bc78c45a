#include "io/http_server.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace tidemark::io {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr auto kAcceptRetry = std::chrono::milliseconds(100);
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

class Connection;

// What the connections share: the first group never changes, the second belongs to the I/O thread.
struct Shared {
  HttpServerOptions options;
  HttpHandler handler;
  asio::io_context io{1};

  bool draining = false;
  std::uint64_t held_bytes = 0;  // of bodies
  std::unordered_set<Connection*> connections;
  std::function<void()> on_connection_end;

  // Queued work holds connections, which hold `io`: nothing may be queued once nobody runs it any
  // more.
  std::mutex mutex;
  bool stopped = false;

  template <typename Work>
  void Post(Work work) {
    const std::lock_guard lock(mutex);
    if (!stopped) asio::post(io, std::move(work));
  }
};

HttpServerRequest ToRequest(http::request<http::string_body>&& message) {
  HttpServerRequest request;
  request.method = std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  const auto question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  for (const auto& field : message) {
    std::string name(field.name_string());
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    request.headers.emplace_back(std::move(name), std::string(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

// One client: reads a request, waits for its answer, writes it, and again. Keeps itself alive by
// the operation that is under way; while an answer is owed, by its responder.
class Connection final : public HttpResponder::Sink,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), stream_(std::move(socket)) {
    shared_->connections.insert(this);
  }

  void ReadHeader() {
    parser_.emplace();
    parser_->body_limit(shared_->options.body_bytes_max);
    parser_->header_limit(shared_->options.header_bytes_max);
    idle_ = true;
    stream_.expires_after(shared_->options.idle_timeout);
    if (buffer_.size() > 0) return ReadRestOfHeader();
    // Waiting for the first byte and reading on are two time-outs: a slow header is not an idle
    // connection.
    stream_.async_read_some(buffer_.prepare(std::size_t{4} << 10),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              if (error) return self->Close();
                              self->buffer_.commit(size);
                              self->ReadRestOfHeader();
                            });
  }

  void Answer(HttpServerResponse response) override {
    // Posted, because a responder may be used on any thread.
    shared_->Post([self = shared_from_this(), response = std::move(response)]() mutable {
      self->Write(std::move(response));
    });
  }

  void CloseIfIdle() {
    if (idle_) Close();
  }

  void Close() {
    if (shared_->connections.erase(this) == 0) return;
    ReleaseBody();
    error_code ignored;
    std::ignore = stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
    shared_->on_connection_end();
  }

 private:
  void ReadRestOfHeader() {
    idle_ = false;
    stream_.expires_after(shared_->options.request_timeout);
    http::async_read_header(
        stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
          if (error) return self->Refuse(error);
          self->HeaderRead();
        });
  }

  void HeaderRead() {
    const auto& header = parser_->get();
    if (!beast::iequals(header[http::field::expect], "100-continue")) return ReadBody();
    asio::async_write(stream_,
                      asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->Close();
                        self->ReadBody();
                      });
  }

  // Piece by piece: what a body takes is known as it grows, whatever its header promised.
  void ReadBody() {
    if (parser_->is_done()) return Handle();
    http::async_read_some(
        stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
          if (error) return self->Refuse(error);
          if (!self->HoldBody()) return self->RefuseForNow();
          self->ReadBody();
        });
  }

  // Counts what the body has come to; false: all bodies together have no room for it.
  bool HoldBody() {
    const std::uint64_t size = parser_->get().body().size();
    shared_->held_bytes += size - std::exchange(held_, size);
    const std::uint64_t limit = shared_->options.bodies_bytes_max;
    return limit == 0 || shared_->held_bytes <= limit;
  }

  void ReleaseBody() { shared_->held_bytes -= std::exchange(held_, 0); }

  void RefuseForNow() {
    parser_.reset();
    WriteRefusal({.status = 503,
                  .headers = {{"Retry-After", "1"}},
                  .body = R"({"error":"too many requests are under way"})"});
  }

  void Handle() {
    stream_.expires_never();
    keep_alive_ = parser_->get().keep_alive();
    shared_->handler(ToRequest(parser_->release()), HttpResponder(shared_from_this()));
  }

  // A request that cannot be read on: says why where the peer may still listen, then closes.
  void Refuse(error_code error) {
    if (error == http::error::body_limit) {
      return WriteRefusal(
          {.status = 413,
           .headers = {},
           .body = fmt::format(R"({{"error":"payload_too_large","limit_bytes":{}}})",
                               shared_->options.body_bytes_max)});
    }
    if (error == http::error::header_limit) {
      return WriteRefusal(
          {.status = 431, .headers = {}, .body = R"({"error":"headers too large"})"});
    }
    if (error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return WriteRefusal({.status = 400, .headers = {}, .body = R"({"error":"not HTTP/1.1"})"});
    }
    Close();
  }

  void WriteRefusal(HttpServerResponse response) {
    keep_alive_ = false;
    shared_->options.on_refused(response.status);
    Write(std::move(response));
  }

  void Write(HttpServerResponse response) {
    if (!shared_->connections.contains(this)) return;
    ReleaseBody();
    if (shared_->draining) keep_alive_ = false;
    answer_.emplace();
    answer_->version(11);
    answer_->result(static_cast<unsigned>(response.status));
    for (const auto& [name, value] : response.headers) answer_->set(name, value);
    answer_->keep_alive(keep_alive_);
    answer_->body() = std::move(response.body);
    answer_->prepare_payload();
    stream_.expires_after(shared_->options.response_timeout);
    http::async_write(
        stream_, *answer_, [self = shared_from_this()](error_code error, std::size_t) {
          self->answer_.reset();
          if (error || !self->keep_alive_) return self->CloseAfterAnswer();
          // Stopped while the answer was being written: nobody closes what becomes idle now.
          if (self->shared_->draining) return self->Close();
          self->ReadHeader();
        });
  }

  // Ends the sending side and reads what the peer still sends, for a moment: closing a socket with
  // unread bytes resets the connection, and the peer could lose the answer (a 413 in the middle of
  // its body).
  void CloseAfterAnswer() {
    error_code ignored;
    std::ignore = stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(2));
    Discard();
  }

  void Discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(std::size_t{64} << 10),
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (error) return self->Close();
                              self->Discard();
                            });
  }

  std::shared_ptr<Shared>
      shared_;  // before the stream: it holds the context that the stream needs to end
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> answer_;
  std::uint64_t held_ = 0;  // bytes of the body that the request at hand has, or had
  bool keep_alive_ = true;
  bool idle_ = true;
};

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(HttpServerOptions options, HttpHandler handler)
      : shared_(std::make_shared<Shared>()),
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
      std::make_shared<Connection>(std::move(socket), shared_)->ReadHeader();
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
    for (Connection* connection : connections) connection->CloseIfIdle();
    if (shared_->connections.empty()) return;
    drain_.expires_after(shared_->options.drain_timeout);
    drain_.async_wait([this](error_code) {
      const auto late = shared_->connections;
      for (Connection* connection : late) connection->Close();
    });
  }

  std::shared_ptr<Shared> shared_;
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
