#pragma once
// One broker for many queues: what their sinks ask at about the same time goes out as one call, so
// that a thousand idle queues cost a few calls a second.

#include <string>
#include <vector>

#include "io/gather.h"
#include "queen/broker.h"

namespace tidemark::queen {

struct SharingOptions {
  // How far apart calls of a kind are sent at least, while several are asked for.
  io::Duration discovery_interval = std::chrono::milliseconds(100);
  io::Duration refresh_interval = std::chrono::milliseconds(500);
};

// First pages of discovery (up to 64 queues a call) and lone fenced puts, which are lease refreshes
// (up to 256 a call, each judged by itself), are shared; the rest goes straight through, later
// pages too: whoever reads a long list is not held up. Loop thread; `inner` outlives it, and it its
// calls.
class SharingBroker final : public Broker {
 public:
  SharingBroker(io::Loop& loop, Broker& inner, SharingOptions options);

  io::Task<Result<FetchAnswer>> Fetch(FetchRequest request) override;
  io::Task<Result<DiscoveryAnswer>> Discover(std::vector<DiscoveryEntry> entries) override;
  io::Task<Result<std::vector<KvRow>>> KvGetMany(std::vector<std::string> keys) override;
  io::Task<Result<std::vector<KvRow>>> KvGetPrefix(std::string prefix) override;
  io::Task<Result<std::vector<KvResult>>> KvPutEach(std::vector<KvPut> puts) override;
  io::Task<Result<KvBatchResult>> KvPutAll(std::vector<KvPut> puts) override;
  io::Task<Result<KvResult>> KvDelete(std::string key, std::int64_t expect) override;
  io::Task<Result<std::vector<std::string>>> ListQueues() override;

 private:
  // The entries of one answer, each as the answer it would be alone.
  io::Task<Result<std::vector<DiscoveryAnswer>>> DiscoverTogether(
      std::vector<DiscoveryEntry> entries);

  Broker& inner_;
  io::Gather<DiscoveryEntry, DiscoveryAnswer> discovery_;
  io::Gather<KvPut, KvResult> refreshes_;
};

}  // namespace tidemark::queen
