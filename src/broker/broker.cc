#include "broker/broker.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "broker/api.h"
#include "broker/long_polls.h"
#include "io/worker_pool.h"

namespace tidemark::broker {

// Threads are ended from the outside in: HTTP, housekeeping, timers, writer, workers.
class Broker::Impl {
 public:
  Impl(BrokerOptions options, const io::Clock& clock, io::Random& random)
      : options_(std::move(options)), clock_(clock), random_(random), loop_(io::NewThreadLoop()) {}

  ~Impl() { IgnoreError(Stop(), "reported by the caller's own Stop, if it wants to know"); }

  Status Start() {
    TIDEMARK_TRY(
        store_, LogStore::Open(options_.store, clock_, random_, [this](std::vector<LaneNews> news) {
          polls_->OnNews(std::move(news));
        }));
    polls_.emplace(*loop_, store_->catalog());
    workers_ = io::NewWorkerPool(options_.workers);
    api_.emplace(*store_, *polls_, *workers_, options_.token);
    loop_thread_ = std::thread([this] { loop_->Run(); });
    housekeeper_ = std::jthread([this](const std::stop_token& stop) { KeepHouse(stop); });
    TIDEMARK_TRY(
        server_,
        io::StartHttpServer(options_.http,
                            [this](io::HttpServerRequest request, io::HttpResponder responder) {
                              api_->Handle(std::move(request), std::move(responder));
                            }));
    return {};
  }

  Status Stop() {
    if (std::exchange(stopped_, true)) return {};
    if (polls_) polls_->Drain();
    if (server_) server_->Stop();
    housekeeper_.request_stop();
    if (housekeeper_.joinable()) housekeeper_.join();
    loop_->Stop();
    if (loop_thread_.joinable()) loop_thread_.join();
    // The store before the workers: its last callbacks still hand work to them.
    const Status closed = store_ ? store_->Close() : Status();
    workers_.reset();
    return closed;
  }

  std::uint16_t port() const { return server_->port(); }

  std::size_t parked_polls() const { return polls_->parked(); }

 private:
  void KeepHouse(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, options_.housekeeping_interval, [] { return false; })) {
      if (stop.stop_requested()) return;
      if (const Status kept = store_->Housekeep(); !kept) {
        fmt::print(stderr, "tidemark broker: housekeeping: {}\n", kept.error().message);
      }
    }
  }

  const BrokerOptions options_;
  const io::Clock& clock_;
  io::Random& random_;
  std::unique_ptr<io::Loop> loop_;
  std::unique_ptr<LogStore> store_;
  std::optional<LongPolls> polls_;
  std::unique_ptr<io::WorkerPool> workers_;
  std::optional<Api> api_;
  std::thread loop_thread_;
  std::jthread housekeeper_;
  std::unique_ptr<io::HttpServer> server_;
  bool stopped_ = false;
};

Broker::Broker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Broker::~Broker() = default;

Result<std::unique_ptr<Broker>> Broker::Start(BrokerOptions options,
                                              const io::Clock& clock,
                                              io::Random& random) {
  auto impl = std::make_unique<Impl>(std::move(options), clock, random);
  TIDEMARK_TRY_VOID(impl->Start());
  return std::unique_ptr<Broker>(new Broker(std::move(impl)));
}

std::uint16_t Broker::port() const { return impl_->port(); }

std::size_t Broker::parked_polls() const { return impl_->parked_polls(); }

Status Broker::Stop() { return impl_->Stop(); }

}  // namespace tidemark::broker
