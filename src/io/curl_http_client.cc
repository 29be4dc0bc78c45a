#include "io/curl_http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "io/curl_transfer.h"

namespace tidemark::io {

namespace {

constexpr int kPollMillis = 60'000;  // curl wakes up earlier for its own timers, and for Submit
constexpr long kKeptConnections = 256;

void InitCurlOnce() {
  static const CURLcode kCode = curl_global_init(CURL_GLOBAL_DEFAULT);
  TIDEMARK_CHECK(kCode == CURLE_OK, "curl_global_init: {}", static_cast<int>(kCode));
}

bool HasLineBreak(std::string_view text) { return text.find_first_of("\r\n") != text.npos; }

Status CheckRequest(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (HasLineBreak(name) || HasLineBreak(value)) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("header {} holds a line break", name));
    }
  }
  return {};
}

}  // namespace

// Owns the thread. Members above `thread_` are the thread's alone, but for those under `mutex_`.
class CurlHttpClient::Engine {
 public:
  explicit Engine(Loop& loop) : loop_(loop) {
    InitCurlOnce();
    multi_ = curl_multi_init();
    TIDEMARK_CHECK(multi_ != nullptr, "curl_multi_init: out of memory");
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections);
    thread_ = std::thread([this] { Serve(); });
  }

  ~Engine() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
    curl_multi_cleanup(multi_);
  }

  void Submit(std::unique_ptr<CurlTransfer> transfer) {
    {
      const std::lock_guard lock(mutex_);
      submitted_.push_back(std::move(transfer));
    }
    curl_multi_wakeup(multi_);
  }

  Loop& loop() { return loop_; }

 private:
  void Serve() {
    while (StartSubmitted()) {
      int running = 0;
      curl_multi_perform(multi_, &running);
      FinishEnded();
      curl_multi_poll(multi_, nullptr, 0, kPollMillis, nullptr);
    }
    for (auto& [handle, transfer] : active_) {
      curl_multi_remove_handle(multi_, handle);
      transfer->Cancel();
    }
    active_.clear();
  }

  // False when closing.
  bool StartSubmitted() {
    std::vector<std::unique_ptr<CurlTransfer>> starting;
    bool closing = false;
    {
      const std::lock_guard lock(mutex_);
      starting.swap(submitted_);
      closing = closing_;
    }
    for (auto& transfer : starting) {
      CURL* const handle = transfer->handle();
      curl_multi_add_handle(multi_, handle);
      active_.emplace(handle, std::move(transfer));
    }
    return !closing;
  }

  void FinishEnded() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;  // `message` dies with remove_handle
      CURL* const handle = message->easy_handle;
      curl_multi_remove_handle(multi_, handle);
      active_.extract(handle).mapped()->Finish(code);
    }
  }

  Loop& loop_;
  CURLM* multi_ = nullptr;
  std::unordered_map<CURL*, std::unique_ptr<CurlTransfer>> active_;

  std::mutex mutex_;  // guards the next two
  std::vector<std::unique_ptr<CurlTransfer>> submitted_;
  bool closing_ = false;

  std::thread thread_;
};

namespace {

// Waits for one exchange. Lives in the coroutine's frame, which stays put until it is resumed.
template <typename EngineT>
struct Exchange {
  EngineT& engine;
  HttpRequest request;
  std::optional<Result<HttpResponse>> result = std::nullopt;

  bool await_ready() const noexcept { return false; }

  void await_suspend(std::coroutine_handle<> waiter) {
    Loop& loop = engine.loop();
    auto done = [this, &loop, waiter](Result<HttpResponse> got) {
      result.emplace(std::move(got));
      loop.Post([waiter] { waiter.resume(); });
    };
    engine.Submit(std::make_unique<CurlTransfer>(std::move(request), std::move(done)));
  }

  Result<HttpResponse> await_resume() { return std::move(*result); }
};

}  // namespace

CurlHttpClient::CurlHttpClient(Loop& loop) : engine_(std::make_unique<Engine>(loop)) {}

CurlHttpClient::~CurlHttpClient() = default;

Task<Result<HttpResponse>> CurlHttpClient::Send(HttpRequest request) {
  TIDEMARK_CO_TRY_VOID(CheckRequest(request));
  Exchange<Engine> exchange{.engine = *engine_, .request = std::move(request)};
  co_return co_await exchange;
}

}  // namespace tidemark::io
