#include "io/http_connection.h"

#include <fmt/format.h>

#include <boost/asio/ssl/stream_base.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/detect_ssl.hpp>
#include <string>
#include <string_view>
#include <tuple>

namespace tidemark::io {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

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

}  // namespace

HttpConnection::HttpConnection(tcp::socket socket, std::shared_ptr<HttpServerShared> shared)
    : shared_(std::move(shared)), stream_(std::move(socket), shared_->options.tls.get()) {
  shared_->connections.insert(this);
}

void HttpConnection::Begin() {
  if (stream_.is_tls()) return BeginTls();
  ReadHeader();
}

void HttpConnection::BeginTls() {
  stream_.tcp().expires_after(shared_->options.request_timeout);
  beast::async_detect_ssl(
      stream_.tcp(), buffer_, [self = shared_from_this()](error_code error, bool is_tls) {
        // Who only looks whether somebody listens comes to no handshake.
        if (error && error != beast::error::timeout && self->buffer_.size() == 0) {
          return self->Close();
        }
        if (error) return self->Cut(HttpCut::kHandshake);
        if (is_tls) return self->Handshake();
        self->stream_.DropTls();
        self->WriteRefusal({.status = 400,
                            .headers = {},
                            .body = R"({"error":"this port speaks TLS: use https"})"});
      });
}

void HttpConnection::Handshake() {
  // The default is for Beast 1.81, which also wants a handler that is not told `used`.
  const auto done = [self = shared_from_this()](error_code error, std::size_t used = 0) {
    if (error) return self->Cut(HttpCut::kHandshake);
    self->buffer_.consume(used);
    self->ReadHeader();
  };
  stream_.tls().async_handshake(asio::ssl::stream_base::server, buffer_.data(), done);
}

void HttpConnection::ReadHeader() {
  parser_.emplace();
  parser_->body_limit(shared_->options.body_bytes_max);
  parser_->header_limit(shared_->options.header_bytes_max);
  idle_ = true;
  stream_.tcp().expires_after(shared_->options.idle_timeout);
  if (buffer_.size() > 0) return ReadRestOfHeader();
  // Waiting for the first byte and reading on are two time-outs: a slow header is not an idle
  // connection.
  stream_.Use([this](auto& stream) {
    stream.async_read_some(buffer_.prepare(std::size_t{4} << 10),
                           [self = shared_from_this()](error_code error, std::size_t size) {
                             if (error) return self->Close();
                             self->buffer_.commit(size);
                             self->ReadRestOfHeader();
                           });
  });
}

void HttpConnection::Answer(HttpServerResponse response) {
  // Posted, because a responder may be used on any thread.
  shared_->Post([self = shared_from_this(), response = std::move(response)]() mutable {
    self->Write(std::move(response));
  });
}

void HttpConnection::CloseIfIdle() {
  if (idle_) Close();
}

void HttpConnection::Close() {
  if (shared_->connections.erase(this) == 0) return;
  ReleaseBody();
  error_code ignored;
  std::ignore = stream_.tcp().socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.tcp().close();
  shared_->on_connection_end();
}

void HttpConnection::ReadRestOfHeader() {
  idle_ = false;
  head_ = false;
  stream_.tcp().expires_after(shared_->options.request_timeout);
  stream_.Use([this](auto& stream) {
    http::async_read_header(
        stream, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
          if (error) return self->Refuse(error);
          self->HeaderRead();
        });
  });
}

void HttpConnection::HeaderRead() {
  const auto& header = parser_->get();
  head_ = header.method() == http::verb::head;
  if (!beast::iequals(header[http::field::expect], "100-continue")) return ReadBody();
  stream_.Use([this](auto& stream) {
    asio::async_write(stream,
                      asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->Refuse(error);
                        self->ReadBody();
                      });
  });
}

// Piece by piece: what a body takes is known as it grows, whatever its header promised.
void HttpConnection::ReadBody() {
  if (parser_->is_done()) return Handle();
  stream_.Use([this](auto& stream) {
    http::async_read_some(
        stream, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
          if (error) return self->Refuse(error);
          if (!self->HoldBody()) return self->RefuseForNow();
          self->ReadBody();
        });
  });
}

// Counts what the body has come to; false: all bodies together have no room for it.
bool HttpConnection::HoldBody() {
  const std::uint64_t size = parser_->get().body().size();
  shared_->held_bytes += size - std::exchange(held_, size);
  const std::uint64_t limit = shared_->options.bodies_bytes_max;
  return limit == 0 || shared_->held_bytes <= limit;
}

void HttpConnection::ReleaseBody() { shared_->held_bytes -= std::exchange(held_, 0); }

void HttpConnection::RefuseForNow() {
  parser_.reset();
  WriteRefusal({.status = 503,
                .headers = {{"Retry-After", "1"}},
                .body = R"({"error":"too many requests are under way"})"});
}

void HttpConnection::Handle() {
  stream_.tcp().expires_never();
  keep_alive_ = parser_->get().keep_alive();
  shared_->handler(ToRequest(parser_->release()), HttpResponder(shared_from_this()));
}

// A request that cannot be read on: says why where the peer may still listen, then closes.
void HttpConnection::Refuse(error_code error) {
  if (error == http::error::body_limit) {
    return WriteRefusal({.status = 413,
                         .headers = {},
                         .body = fmt::format(R"({{"error":"payload_too_large","limit_bytes":{}}})",
                                             shared_->options.body_bytes_max)});
  }
  if (error == http::error::header_limit) {
    return WriteRefusal({.status = 431, .headers = {}, .body = R"({"error":"headers too large"})"});
  }
  if (error.category() == http::make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message) {
    return WriteRefusal({.status = 400, .headers = {}, .body = R"({"error":"not HTTP/1.1"})"});
  }
  Cut(error == beast::error::timeout ? HttpCut::kTimeout : HttpCut::kGone);
}

// Not told of those that were closed by us: what was under way ends with an error then.
void HttpConnection::Cut(HttpCut why) {
  if (shared_->connections.contains(this)) shared_->options.on_cut(why);
  Close();
}

void HttpConnection::WriteRefusal(HttpServerResponse response) {
  keep_alive_ = false;
  shared_->options.on_refused(response.status);
  Write(std::move(response));
}

void HttpConnection::Write(HttpServerResponse response) {
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
  if (head_) answer_->body().clear();  // RFC 9110 9.3.2; its length stays
  stream_.tcp().expires_after(shared_->options.response_timeout);
  stream_.Use([this](auto& stream) {
    http::async_write(stream, *answer_, [self = shared_from_this()](error_code error, std::size_t) {
      self->answer_.reset();
      if (error || !self->keep_alive_) return self->CloseAfterAnswer();
      // Stopped while the answer was being written: nobody closes what becomes idle now.
      if (self->shared_->draining) return self->Close();
      self->ReadHeader();
    });
  });
}

// Ends the sending side and reads what the peer still sends, for a moment: closing a socket with
// unread bytes resets the connection, and the peer could lose the answer (a 413 in the middle of
// its body). Under TLS the peer is told first; it may be in the middle of sending, so that its
// goodbye is not waited for.
void HttpConnection::CloseAfterAnswer() {
  stream_.tcp().expires_after(std::chrono::seconds(2));
  if (!stream_.is_tls()) return EndSending();
  stream_.tls().async_shutdown([self = shared_from_this()](error_code) { self->EndSending(); });
}

void HttpConnection::EndSending() {
  error_code ignored;
  std::ignore = stream_.tcp().socket().shutdown(tcp::socket::shutdown_send, ignored);
  Discard();
}

void HttpConnection::Discard() {
  buffer_.clear();
  stream_.tcp().async_read_some(buffer_.prepare(std::size_t{64} << 10),
                                [self = shared_from_this()](error_code error, std::size_t) {
                                  if (error) return self->Close();
                                  self->Discard();
                                });
}

}  // namespace tidemark::io
