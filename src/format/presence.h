#pragma once
// The row by which an instance of a sink tells the others that it lives and how many queues it
// holds (queen-interface 18). It expires; nothing but a fair spread depends on it. Pure;
// docs/formats/kv-documents.md.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::format {

// `s3:<sink>:node=<escaped instance>`, and what the keys of all instances begin with.
std::string PresenceKey(std::string_view sink, std::string_view instance);
std::string PresencePrefix(std::string_view sink);

struct Presence {
  std::string instance;
  // Instances share queues when their sets have the same name: `*`, or the digest of a fixed list.
  std::string queue_set;
  std::int64_t held = 0;  // leases it holds

  bool operator==(const Presence&) const = default;
};

std::string EncodePresence(const Presence& presence);
// kCorruption for anything else.
Result<Presence> DecodePresence(std::string_view json);

}  // namespace tidemark::format
