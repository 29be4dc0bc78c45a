#pragma once
// An HTTP/1.1 server over plain sockets that answers what a test tells it to, wrongly if need be.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::test {

struct StubRequest {
  std::string method;
  std::string target;                                        // path and query, as sent
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  // Empty when absent.
  std::string Header(std::string_view name) const;
};

struct StubAnswer {
  enum class Ending {
    kAnswer,   // a whole answer, the connection stays open
    kCutBody,  // Content-Length announces one byte more than is sent, then the connection closes
    kReset,    // no answer: RST after the whole request was read
    kHang,     // no answer: silence until the client gives up
  };

  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  Ending ending = Ending::kAnswer;
  std::string raw = {};  // not empty: sent as it is instead of everything above, then closed
};

// Serves from construction to destruction on a free port of 127.0.0.1, a thread a connection.
class StubServer {
 public:
  using Handler = std::function<StubAnswer(const StubRequest&)>;

  // `handler` is called by the server's threads, one call at a time.
  explicit StubServer(Handler handler);
  // Answers in this order, the last one for ever.
  explicit StubServer(std::vector<StubAnswer> script);
  ~StubServer();

  // New connections are refused from now on. Any thread, a handler's too.
  void StopListening();

  std::string url() const;  // http://127.0.0.1:<port>
  // What came in so far, in order of arrival. Any thread.
  std::vector<StubRequest> requests() const;
  int connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemark::test
