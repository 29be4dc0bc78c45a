#pragma once
// One client of an HTTP server (io/http_server.h), and what all of them share. Private to io.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>

#include "io/http_server.h"
#include "io/http_stream.h"

namespace tidemark::io {

class HttpConnection;

// The first group never changes, the second belongs to the I/O thread.
struct HttpServerShared {
  HttpServerOptions options;
  HttpHandler handler;
  boost::asio::io_context io{1};

  bool draining = false;
  std::uint64_t held_bytes = 0;  // of bodies
  std::unordered_set<HttpConnection*> connections;
  std::function<void()> on_connection_end;

  // Queued work holds connections, which hold `io`: nothing may be queued once nobody runs it any
  // more.
  std::mutex mutex;
  bool stopped = false;

  template <typename Work>
  void Post(Work work) {
    const std::lock_guard lock(mutex);
    if (!stopped) boost::asio::post(io, std::move(work));
  }
};

// Reads a request, waits for its answer, writes it, and again. Keeps itself alive by the operation
// that is under way; while an answer is owed, by its responder. I/O thread, but for Answer.
class HttpConnection final : public HttpResponder::Sink,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(boost::asio::ip::tcp::socket socket, std::shared_ptr<HttpServerShared> shared);

  // Once: serves the client until it leaves or is closed.
  void Begin();

  void Answer(HttpServerResponse response) override;  // any thread
  void CloseIfIdle();
  void Close();

 private:
  void BeginTls();
  void Handshake();
  void ReadHeader();
  void ReadRestOfHeader();
  void HeaderRead();
  void ReadBody();
  bool HoldBody();
  void ReleaseBody();
  void RefuseForNow();
  void Handle();
  void Refuse(boost::system::error_code error);
  void Cut(HttpCut why);
  void WriteRefusal(HttpServerResponse response);
  void Write(HttpServerResponse response);
  void CloseAfterAnswer();
  void EndSending();
  void Discard();

  // Before the stream: it holds the context that the stream needs to end.
  std::shared_ptr<HttpServerShared> shared_;
  HttpStream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> answer_;
  std::uint64_t held_ = 0;  // bytes of the body that the request at hand has, or had
  bool keep_alive_ = true;
  bool head_ = false;  // the request under way is one
  bool idle_ = true;
};

}  // namespace tidemark::io
