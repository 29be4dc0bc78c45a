#pragma once
// A Queen broker as its clients see it. HttpBroker (queen/http_broker.h) speaks HTTP to a real one;
// tests use a broker in memory that can be told to answer late, twice or wrongly.

#include <string>
#include <vector>

#include "base/result.h"
#include "io/task.h"
#include "queen/types.h"

namespace tidemark::queen {

// Errors of every call: kUnavailable (nothing happened: no connection, 408, 429, 5xx),
// kOutcomeUnknown (a call that changes something may have been acted on: no or no readable answer,
// 408, a 5xx that does not say otherwise: read back), kPermissionDenied (401, 403),
// kInvalidArgument (other 4xx, or refused here by the broker's limits), kInternal (a read's answer
// that makes no sense; retriable), with status and retry_after_ms where told. All calls on the
// loop's thread.
class Broker {
 public:
  virtual ~Broker() = default;

  // Verified: as many entries as asked, in order, same queue and partitions. kExhausted: answer
  // above the bound.
  virtual io::Task<Result<FetchAnswer>> Fetch(FetchRequest request) = 0;

  // 0 .. kDiscoveryEntriesMax entries; none answers the safe time alone.
  virtual io::Task<Result<DiscoveryAnswer>> Discover(std::vector<DiscoveryEntry> entries) = 0;

  // All in namespace `queen-s3`. Rows that are not there are missing from the answer.
  virtual io::Task<Result<std::vector<KvRow>>> KvGetMany(std::vector<std::string> keys) = 0;
  // The rows whose keys begin with `prefix`, ascending, the first thousand.
  virtual io::Task<Result<std::vector<KvRow>>> KvGetPrefix(std::string prefix) = 0;
  // Puts of different keys in one call, none `required`: each is judged by itself, a lost condition
  // answered with the row that won. As many results as puts, in order.
  virtual io::Task<Result<std::vector<KvResult>>> KvPutEach(std::vector<KvPut> puts) = 0;
  io::Task<Result<KvResult>> KvPutOne(KvPut put);
  // All puts `required`: all or nothing.
  virtual io::Task<Result<KvBatchResult>> KvPutAll(std::vector<KvPut> puts) = 0;
  virtual io::Task<Result<KvResult>> KvDelete(std::string key, std::int64_t expect) = 0;

  virtual io::Task<Result<std::vector<std::string>>> ListQueues() = 0;
};

}  // namespace tidemark::queen
