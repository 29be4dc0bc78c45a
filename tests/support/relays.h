#pragma once
// Every call of a broker or a store handed through one function of the test's: what a process's
// connections do to it. `Relay` has `template <typename R> io::Task<R> Pass(io::Task<R> call)`,
// which may start the call or not, and answer what it likes.

#include <string>
#include <utility>
#include <vector>

#include "queen/broker.h"
#include "store/object_store.h"

namespace tidemark::testing {

// `inner` and `relay` outlive it and its calls.
template <typename Relay>
class RelayedBroker final : public queen::Broker {
 public:
  RelayedBroker(queen::Broker& inner, Relay& relay) : inner_(inner), relay_(relay) {}

  io::Task<Result<queen::FetchAnswer>> Fetch(queen::FetchRequest request) override {
    return relay_.Pass(inner_.Fetch(std::move(request)));
  }

  io::Task<Result<queen::DiscoveryAnswer>> Discover(
      std::vector<queen::DiscoveryEntry> entries) override {
    return relay_.Pass(inner_.Discover(std::move(entries)));
  }

  io::Task<Result<std::vector<queen::KvRow>>> KvGetMany(std::vector<std::string> keys) override {
    return relay_.Pass(inner_.KvGetMany(std::move(keys)));
  }

  io::Task<Result<std::vector<queen::KvRow>>> KvGetPrefix(std::string prefix) override {
    return relay_.Pass(inner_.KvGetPrefix(std::move(prefix)));
  }

  io::Task<Result<std::vector<queen::KvResult>>> KvPutEach(
      std::vector<queen::KvPut> puts) override {
    return relay_.Pass(inner_.KvPutEach(std::move(puts)));
  }

  io::Task<Result<queen::KvBatchResult>> KvPutAll(std::vector<queen::KvPut> puts) override {
    return relay_.Pass(inner_.KvPutAll(std::move(puts)));
  }

  io::Task<Result<queen::KvResult>> KvDelete(std::string key, std::int64_t expect) override {
    return relay_.Pass(inner_.KvDelete(std::move(key), expect));
  }

  io::Task<Result<std::vector<std::string>>> ListQueues() override {
    return relay_.Pass(inner_.ListQueues());
  }

 private:
  queen::Broker& inner_;
  Relay& relay_;
};

// As RelayedBroker.
template <typename Relay>
class RelayedStore final : public store::ObjectStore {
 public:
  RelayedStore(store::ObjectStore& inner, Relay& relay) : inner_(inner), relay_(relay) {}

  io::Task<Status> Put(std::string key, std::string content_type, store::Bytes bytes) override {
    return relay_.Pass(inner_.Put(std::move(key), std::move(content_type), std::move(bytes)));
  }

  io::Task<Result<std::optional<store::ObjectInfo>>> Head(std::string key) override {
    return relay_.Pass(inner_.Head(std::move(key)));
  }

  io::Task<Result<std::optional<std::string>>> Get(std::string key) override {
    return relay_.Pass(inner_.Get(std::move(key)));
  }

  io::Task<Result<std::string>> GetRange(std::string key,
                                         std::int64_t offset,
                                         std::int64_t size) override {
    return relay_.Pass(inner_.GetRange(std::move(key), offset, size));
  }

  io::Task<Result<store::ListPage>> List(std::string prefix,
                                         std::string start_after,
                                         int max_keys) override {
    return relay_.Pass(inner_.List(std::move(prefix), std::move(start_after), max_keys));
  }

  io::Task<Status> Delete(std::string key) override {
    return relay_.Pass(inner_.Delete(std::move(key)));
  }

  io::Task<Result<store::UploadId>> CreateUpload(std::string key,
                                                 std::string content_type) override {
    return relay_.Pass(inner_.CreateUpload(std::move(key), std::move(content_type)));
  }

  io::Task<Result<std::string>> PutPart(store::UploadId upload,
                                        int number,
                                        store::Bytes bytes) override {
    return relay_.Pass(inner_.PutPart(std::move(upload), number, std::move(bytes)));
  }

  io::Task<Status> CompleteUpload(store::UploadId upload,
                                  std::vector<std::string> part_tags) override {
    return relay_.Pass(inner_.CompleteUpload(std::move(upload), std::move(part_tags)));
  }

  io::Task<Status> AbortUpload(store::UploadId upload) override {
    return relay_.Pass(inner_.AbortUpload(std::move(upload)));
  }

  io::Task<Result<std::vector<store::UploadId>>> ListUploads(std::string prefix) override {
    return relay_.Pass(inner_.ListUploads(std::move(prefix)));
  }

 private:
  store::ObjectStore& inner_;
  Relay& relay_;
};

}  // namespace tidemark::testing
