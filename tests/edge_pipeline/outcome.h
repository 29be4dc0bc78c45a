#pragma once
// What stands on the disk of a pipeline: rows of ready/ and rejects, by the numbers of their
// events.

#include <map>
#include <optional>
#include <string>

#include "io/file_system.h"
#include "tests/edge_pipeline/events.h"

namespace tidemark::test {

// The segments of all sinks and the logs of rejects.
struct Standing {
  std::map<std::string, std::string> segments;  // bytes, by path
  Outcome outcome;
  std::string unreadable;  // a segment that is none; empty: there is no such
};

// Reads what a pipeline left; remembers the rows of segments that it has read before.
class StandingReader {
 public:
  Standing Read(io::FileSystem& disk);

 private:
  using Rows = std::map<RowId, int>;

  void ReadSegments(io::FileSystem& disk, const std::string& sink, Standing& standing);

  std::map<std::string, std::pair<std::string, Rows>> known_;  // bytes and rows, by path
};

// The first difference between what must be and what is; nullopt: none.
std::optional<std::string> Difference(const Outcome& must, const Outcome& is);

// A row or reject that is there more than once; nullopt: none.
std::optional<std::string> Twice(const Outcome& is);

// Whether all of `before` is there still: nothing that was finished goes or changes.
std::optional<std::string> Missing(const Standing& before, const Standing& now);

}  // namespace tidemark::test
