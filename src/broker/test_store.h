#pragma once
// For tests: a LogStore in a folder of its own, called as a client calls it, with text in and text
// out.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "broker/discovery.h"
#include "broker/kv_batch.h"
#include "broker/log_store.h"
#include "io/clock.h"
#include "io/random.h"

namespace tidemark::broker {

inline constexpr Micros kTestStart{1'788'516'000'000'000};  // 2026-09-04T10:00:00Z

class TestStore {
 public:
  explicit TestStore(LogStoreOptions options = {})
      : dir_(MakeFolder()), options_(std::move(options)) {
    options_.dir = dir_ / "data";
    options_.dedup_records_max = std::min<std::size_t>(options_.dedup_records_max, 10'000);
    Open();
  }

  ~TestStore() {
    store_.reset();
    std::filesystem::remove_all(dir_);
  }

  void Open() {
    auto store = LogStore::Open(options_, clock_, random_, [](const std::vector<LaneNews>&) {});
    TIDEMARK_CHECK(store, "{}", store.error().message);
    store_ = std::move(*store);
  }

  void Reopen() {
    store_.reset();
    Open();
  }

  // Goes on from what a crash at this moment would leave: a copy of the files, without a clean
  // close.
  void ReopenAfterCrash() {
    const auto image = dir_ / ("image-" + std::to_string(++crashes_));
    std::filesystem::copy(options_.dir, image);
    store_.reset();
    options_.dir = image;
    Open();
  }

  std::string Push(const std::string& body) {
    auto request = PushRequest::Parse(body);
    if (!request) return "error: " + request.error().message;
    return Await<Result<std::string>>(
        [&](auto done) { store_->Push(std::move(*request), std::move(done)); });
  }

  // One item without transaction id.
  std::string PushOne(const std::string& queue,
                      const std::string& partition,
                      const std::string& payload) {
    return Push(R"({"items":[{"queue":")" + queue + R"(","partition":")" + partition +
                R"(","payload":)" + payload + "}]}");
  }

  std::string Kv(const std::string& body) {
    auto ops = ParseKvBatch(body);
    if (!ops) return "error: " + ops.error().message;
    return Await<Result<std::string>>(
        [&](auto done) { store_->Kv(std::move(*ops), std::move(done)); });
  }

  std::string Fetch(const std::string& body) {
    const auto request = ParseFetch(body);
    if (!request) return "error: " + request.error().message;
    const auto answer = store_->Fetch(*request);
    return answer ? answer->body : "error: " + answer.error().message;
  }

  std::string FetchLane(const std::string& queue,
                        const std::string& partition,
                        std::int64_t offset) {
    return Fetch(R"({"entries":[{"queue":")" + queue + R"(","partition":")" + partition +
                 R"(","offset":)" + std::to_string(offset) + "}]}");
  }

  Micros SafeTime() {
    std::promise<Result<Micros>> promise;
    store_->SafeTime([&](Result<Micros> safe) { promise.set_value(std::move(safe)); });
    return promise.get_future().get().value();
  }

  void Configure(const std::string& queue, QueueOptions options) {
    const Status status =
        Do([&](auto done) { store_->Configure(queue, options, std::move(done)); });
    TIDEMARK_CHECK(status, "{}", status.error().message);
  }

  Status DeleteQueue(const std::string& queue) {
    return Do([&](auto done) { store_->DeleteQueue(queue, std::move(done)); });
  }

  LogStore& store() { return *store_; }

  io::ManualClock& clock() { return clock_; }

  const LogStoreOptions& options() const { return options_; }

 private:
  static std::filesystem::path MakeFolder() {
    std::string path = std::filesystem::temp_directory_path() / "tidemark-store-XXXXXX";
    TIDEMARK_CHECK(mkdtemp(path.data()) != nullptr, "{}", path);
    return path;
  }

  template <typename T, typename Call>
  std::string Await(Call call) {
    std::promise<T> promise;
    call([&](T result) { promise.set_value(std::move(result)); });
    T result = promise.get_future().get();
    return result ? *result : "error: " + result.error().message;
  }

  template <typename Call>
  Status Do(Call call) {
    std::promise<Status> promise;
    call([&](Status status) { promise.set_value(std::move(status)); });
    return promise.get_future().get();
  }

  std::filesystem::path dir_;
  LogStoreOptions options_;
  io::ManualClock clock_{kTestStart};
  io::SeededRandom random_{42};
  std::unique_ptr<LogStore> store_;
  int crashes_ = 0;
};

}  // namespace tidemark::broker
