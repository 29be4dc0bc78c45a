#pragma once
// What a start would do with one queue, found without claiming its lease and without writing
// anything. For `tidemark lake --check`.

#include <optional>
#include <string>
#include <string_view>

#include "format/kv_documents.h"
#include "lake/commit/documents.h"
#include "lake/config/start.h"

namespace tidemark::lake {

struct QueueOutlook {
  std::string next;   // what comes first, in a sentence
  std::string lease;  // who holds it, in a sentence
  std::string note;   // what the operator should know all the same; empty: nothing
  std::string fault;  // why the queue would stop; empty: it would run
};

// What the documents make a sink do first: redo, go on, or start. Pure.
std::string DescribeNext(const Documents& documents, const Start& start);

// Who holds the lease and what that means to `instance`; `lease` is nullopt for a free one. Pure.
std::string DescribeLease(const std::optional<format::Lease>& lease,
                          std::string_view instance,
                          io::Duration ttl);

// Asks broker and bucket, each at most three times; the fault says what did not answer.
io::Task<QueueOutlook> LookAhead(LakeWorld world,
                                 CommitOptions options,
                                 LeaseOptions lease,
                                 Start start);

}  // namespace tidemark::lake
