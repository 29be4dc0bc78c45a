#include "queen/discovery_decoder.h"

#include <fmt/format.h>

#include <utility>

#include "queen/answer_json.h"

namespace tidemark::queen {

namespace {

using answer_json::Key;
using answer_json::Reader;
using answer_json::Value;

// lastOffset is -1 for a partition whose log is empty, so it is read as a plain number.
Result<DiscoveredPartition> ReadPartition(Reader& reader, Value value) {
  DiscoveredPartition partition;
  std::int64_t last_offset = -1;
  TIDEMARK_TRY_VOID(reader.ForEachField(value, [&](const Key& key, Value field) -> Status {
    if (key == "name") return reader.Read(field, partition.name);
    if (key == "lastOffset") return reader.Read(field, last_offset);
    if (key == "logStart") return reader.Read(field, partition.log_start);
    if (key == "lastWriteAt") return reader.Read(field, partition.last_write_at);
    return {};
  }));
  partition.last_offset = Offset(last_offset);
  return partition;
}

Result<DiscoveryEntryAnswer> ReadEntry(Reader& reader, Value value) {
  DiscoveryEntryAnswer entry;
  TIDEMARK_TRY_VOID(reader.ForEachField(value, [&](const Key& key, Value field) -> Status {
    if (key == "queue") return reader.Read(field, entry.queue);
    if (key == "error") return reader.Read(field, entry.error);
    if (key == "next") return reader.Read(field, entry.next);
    if (key != "partitions") return {};
    return reader.ForEachElement(field, [&](Value element) -> Status {
      TIDEMARK_TRY(auto partition, ReadPartition(reader, element));
      entry.partitions.push_back(std::move(partition));
      return {};
    });
  }));
  return entry;
}

bool SameQueues(const std::vector<DiscoveryEntry>& asked,
                const std::vector<DiscoveryEntryAnswer>& answered) {
  if (asked.size() != answered.size()) return false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].queue != answered[i].queue) return false;
  }
  return true;
}

}  // namespace

Result<DiscoveryAnswer> DecodeDiscovery(std::string body,
                                        const std::vector<DiscoveryEntry>& asked) {
  Reader reader("discovery", body);
  DiscoveryAnswer answer{.safe_time = kMinusInfinity};
  TIDEMARK_TRY_VOID(reader.ReadObject([&](const Key& key, Value value) -> Status {
    if (key == "safeTime") return reader.Read(value, answer.safe_time);
    if (key == "safeTimeDegraded") return reader.Read(value, answer.safe_time_degraded);
    if (key != "entries") return {};
    return reader.ForEachElement(value, [&](Value element) -> Status {
      TIDEMARK_TRY(auto entry, ReadEntry(reader, element));
      answer.entries.push_back(std::move(entry));
      return {};
    });
  }));
  if (answer.safe_time == kMinusInfinity) return reader.Fail("no safeTime");
  if (!SameQueues(asked, answer.entries)) return reader.Fail("other queues than were asked for");
  return answer;
}

Result<std::vector<std::string>> DecodeQueueList(std::string body) {
  Reader reader("queue list", body);
  std::vector<std::string> names;
  const auto read_row = [&](Value row) -> Status {
    std::string name;
    TIDEMARK_TRY_VOID(reader.ForEachField(row, [&](const Key& key, Value field) -> Status {
      return key == "name" ? reader.Read(field, name) : Status();
    }));
    if (!name.empty()) names.push_back(std::move(name));
    return {};
  };
  TIDEMARK_TRY_VOID(reader.ReadObject([&](const Key& key, Value value) -> Status {
    return key == "queues" ? reader.ForEachElement(value, read_row) : Status();
  }));
  return names;
}

}  // namespace tidemark::queen
