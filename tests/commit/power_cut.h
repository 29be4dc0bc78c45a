#pragma once
// A process that dies in the middle, as its peers see it: from some call on nothing reaches broker
// or store any more.

#include <string>
#include <utility>
#include <vector>

#include "queen/broker.h"
#include "store/object_store.h"

namespace tidemark::test {

// Shared by the broker and the store of one process.
struct PowerCut {
  int calls_left = -1;  // the call after so many is the last; negative: never
  bool acts = false;    // the last call still arrives, only its answer does not
  bool dead = false;

  // What becomes of the call that begins now.
  enum class Fate { kWorks, kActsUnheard, kLost };

  Fate Next() {
    if (dead) return Fate::kLost;
    if (calls_left == 0) {
      dead = true;
      return acts ? Fate::kActsUnheard : Fate::kLost;
    }
    if (calls_left > 0) --calls_left;
    return Fate::kWorks;
  }
};

// `call` as the process sees it.
template <typename R>
io::Task<R> Cut(PowerCut& cut, io::Task<R> call) {
  const PowerCut::Fate fate = cut.Next();
  if (fate == PowerCut::Fate::kWorks) co_return co_await call;
  if (fate == PowerCut::Fate::kActsUnheard) co_await call;
  co_return Fail(ErrorCode::kCancelled, "the process is dead");
}

class CuttableBroker final : public queen::Broker {
 public:
  CuttableBroker(queen::Broker& inner, PowerCut& cut) : inner_(inner), cut_(cut) {}

  io::Task<Result<queen::FetchAnswer>> Fetch(queen::FetchRequest request) override {
    return Cut(cut_, inner_.Fetch(std::move(request)));
  }

  io::Task<Result<queen::DiscoveryAnswer>> Discover(
      std::vector<queen::DiscoveryEntry> entries) override {
    return Cut(cut_, inner_.Discover(std::move(entries)));
  }

  io::Task<Result<std::vector<queen::KvRow>>> KvGetMany(std::vector<std::string> keys) override {
    return Cut(cut_, inner_.KvGetMany(std::move(keys)));
  }

  io::Task<Result<std::vector<queen::KvResult>>> KvPutEach(
      std::vector<queen::KvPut> puts) override {
    return Cut(cut_, inner_.KvPutEach(std::move(puts)));
  }

  io::Task<Result<queen::KvBatchResult>> KvPutAll(std::vector<queen::KvPut> puts) override {
    return Cut(cut_, inner_.KvPutAll(std::move(puts)));
  }

  io::Task<Result<queen::KvResult>> KvDelete(std::string key, std::int64_t expect) override {
    return Cut(cut_, inner_.KvDelete(std::move(key), expect));
  }

  io::Task<Result<std::vector<std::string>>> ListQueues() override {
    return Cut(cut_, inner_.ListQueues());
  }

 private:
  queen::Broker& inner_;
  PowerCut& cut_;
};

class CuttableStore final : public store::ObjectStore {
 public:
  CuttableStore(store::ObjectStore& inner, PowerCut& cut) : inner_(inner), cut_(cut) {}

  io::Task<Status> Put(std::string key, std::string content_type, store::Bytes bytes) override {
    return Cut(cut_, inner_.Put(std::move(key), std::move(content_type), std::move(bytes)));
  }

  io::Task<Result<std::optional<store::ObjectInfo>>> Head(std::string key) override {
    return Cut(cut_, inner_.Head(std::move(key)));
  }

  io::Task<Result<std::optional<std::string>>> Get(std::string key) override {
    return Cut(cut_, inner_.Get(std::move(key)));
  }

  io::Task<Result<std::string>> GetRange(std::string key,
                                         std::int64_t offset,
                                         std::int64_t size) override {
    return Cut(cut_, inner_.GetRange(std::move(key), offset, size));
  }

  io::Task<Result<store::ListPage>> List(std::string prefix,
                                         std::string start_after,
                                         int max_keys) override {
    return Cut(cut_, inner_.List(std::move(prefix), std::move(start_after), max_keys));
  }

  io::Task<Status> Delete(std::string key) override {
    return Cut(cut_, inner_.Delete(std::move(key)));
  }

  io::Task<Result<store::UploadId>> CreateUpload(std::string key,
                                                 std::string content_type) override {
    return Cut(cut_, inner_.CreateUpload(std::move(key), std::move(content_type)));
  }

  io::Task<Result<std::string>> PutPart(store::UploadId upload,
                                        int number,
                                        store::Bytes bytes) override {
    return Cut(cut_, inner_.PutPart(std::move(upload), number, std::move(bytes)));
  }

  io::Task<Status> CompleteUpload(store::UploadId upload,
                                  std::vector<std::string> part_tags) override {
    return Cut(cut_, inner_.CompleteUpload(std::move(upload), std::move(part_tags)));
  }

  io::Task<Status> AbortUpload(store::UploadId upload) override {
    return Cut(cut_, inner_.AbortUpload(std::move(upload)));
  }

  io::Task<Result<std::vector<store::UploadId>>> ListUploads(std::string prefix) override {
    return Cut(cut_, inner_.ListUploads(std::move(prefix)));
  }

 private:
  store::ObjectStore& inner_;
  PowerCut& cut_;
};

}  // namespace tidemark::test
