#pragma once
// What takes events in and appends them to the write-ahead log.

#include <cstdint>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "io/task.h"

namespace tidemark::edge {

// Since the source was made.
struct SourceCounters {
  std::uint64_t records = 0;   // on disk
  std::uint64_t bytes = 0;     // of their payloads
  std::uint64_t requests = 0;  // asked by a client, whatever the answer
  std::uint64_t refused = 0;   // of them: the client's fault
  std::uint64_t withheld = 0;  // of them: told to come again
};

// Belongs to the loop's thread.
class Source {
 public:
  virtual ~Source() = default;

  // Once. Takes events in until `stop`, or until there are no more; when it returns nothing of it
  // is under way. The error that ends the pipeline otherwise.
  virtual io::Task<Status> Run(std::stop_token stop) = 0;

  virtual SourceCounters counters() const = 0;
};

}  // namespace tidemark::edge
