// queen: answers about partitions, queues and documents.

#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "queen/discovery_decoder.h"
#include "queen/kv_decoder.h"

namespace tidemark::fuzz {

void BrokerAnswers(std::string_view bytes) {
  static const std::vector<queen::DiscoveryEntry> kAsked = {{.queue = "q"}, {.queue = "r"}};
  static const std::vector<std::string> kKeys = {"a", "b"};
  const std::string body(bytes);
  if (const auto answer = queen::DecodeDiscovery(body, kAsked)) {
    TIDEMARK_CHECK(answer->entries.size() == kAsked.size(), "entries");
  }
  IgnoreError(queen::DecodeQueueList(body), "any list will do");
  if (const auto rows = queen::DecodeKvGetMany(body, kKeys)) {
    TIDEMARK_CHECK(rows->size() <= kKeys.size(), "rows");
  }
  IgnoreError(queen::DecodeKvGetPrefix(body), "any rows will do");
  if (const auto each = queen::DecodeKvEach(body, 2)) TIDEMARK_CHECK(each->size() == 2, "results");
  IgnoreError(queen::DecodeKvOne(body), "any result will do");
  if (const auto batch = queen::DecodeKvBatch(body, 2)) {
    TIDEMARK_CHECK(!batch->applied || batch->versions.size() == 2, "versions");
  }
}

}  // namespace tidemark::fuzz
