#pragma once
// What takes events in and appends them to the write-ahead log.

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "io/task.h"

namespace tidemark::edge {

// Since the source was made.
struct SourceCounters {
  std::uint64_t records = 0;  // on disk
  std::uint64_t bytes = 0;    // of their payloads
  // Of clients, by the status of the answer: 202 is taken, 503 is told to come again.
  std::map<int, std::uint64_t> answers = {};
  // Of clients that were left without one, by why: `handshake`, `timeout`, `gone`.
  std::map<std::string, std::uint64_t> cut = {};
};

// Belongs to the loop's thread.
class Source {
 public:
  virtual ~Source() = default;

  // Once. Takes events in until `stop`, or until there are no more; when it returns nothing of it
  // is under way. The error that ends the pipeline otherwise.
  virtual io::Task<Status> Run(std::stop_token stop) = 0;

  virtual SourceCounters counters() const = 0;

  // Why it takes in nothing of what is there; empty: it does, or nothing is there.
  virtual std::string stuck() const { return ""; }
};

}  // namespace tidemark::edge
