#include "queen/sharing_broker.h"

#include <utility>

namespace tidemark::queen {

SharingBroker::SharingBroker(io::Loop& loop, Broker& inner, SharingOptions options)
    : inner_(inner),
      discovery_(loop,
                 {.interval = options.discovery_interval, .items_max = kDiscoveryEntriesMax},
                 [this](std::vector<DiscoveryEntry> entries) {
                   return DiscoverTogether(std::move(entries));
                 }),
      refreshes_(loop,
                 {.interval = options.refresh_interval, .items_max = kKvOperationsMax},
                 [this](std::vector<KvPut> puts) { return inner_.KvPutEach(std::move(puts)); }) {}

io::Task<Result<FetchAnswer>> SharingBroker::Fetch(FetchRequest request) {
  return inner_.Fetch(std::move(request));
}

io::Task<Result<DiscoveryAnswer>> SharingBroker::Discover(std::vector<DiscoveryEntry> entries) {
  if (entries.size() != 1 || !entries.front().after.empty())
    return inner_.Discover(std::move(entries));
  return discovery_.Call(std::move(entries.front()));
}

io::Task<Result<std::vector<DiscoveryAnswer>>> SharingBroker::DiscoverTogether(
    std::vector<DiscoveryEntry> entries) {
  TIDEMARK_CO_TRY(auto answer, co_await inner_.Discover(std::move(entries)));
  std::vector<DiscoveryAnswer> parts;
  parts.reserve(answer.entries.size());
  for (DiscoveryEntryAnswer& entry : answer.entries) {
    DiscoveryAnswer& part = parts.emplace_back();
    part.safe_time = answer.safe_time;
    part.safe_time_degraded = answer.safe_time_degraded;
    part.entries.push_back(std::move(entry));
  }
  co_return parts;
}

io::Task<Result<std::vector<KvRow>>> SharingBroker::KvGetMany(std::vector<std::string> keys) {
  return inner_.KvGetMany(std::move(keys));
}

io::Task<Result<std::vector<KvRow>>> SharingBroker::KvGetPrefix(std::string prefix) {
  return inner_.KvGetPrefix(std::move(prefix));
}

io::Task<Result<std::vector<KvResult>>> SharingBroker::KvPutEach(std::vector<KvPut> puts) {
  return inner_.KvPutEach(std::move(puts));
}

io::Task<Result<KvBatchResult>> SharingBroker::KvPutAll(std::vector<KvPut> puts) {
  if (puts.size() != 1) co_return co_await inner_.KvPutAll(std::move(puts));
  auto put = co_await refreshes_.Call(std::move(puts.front()));
  if (!put) co_return std::unexpected(std::move(put.error()));
  KvBatchResult result{.applied = put->applied};
  if (put->applied) {
    result.versions.push_back(put->version);
  } else {
    result.failed_index = 0;
  }
  co_return result;
}

io::Task<Result<KvResult>> SharingBroker::KvDelete(std::string key, std::int64_t expect) {
  return inner_.KvDelete(std::move(key), expect);
}

io::Task<Result<std::vector<std::string>>> SharingBroker::ListQueues() {
  return inner_.ListQueues();
}

}  // namespace tidemark::queen
