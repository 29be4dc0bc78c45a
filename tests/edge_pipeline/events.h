#pragma once
// Events that a pipeline is given, and where each must end.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/random.h"

namespace tidemark::test {

// A data set of a sink, or one of the lanes of its log of rejects.
using Place = std::string;

// What an event is known by wherever it ends: its number, and the row of those it gives.
using RowId = std::pair<std::int64_t, std::int32_t>;

// How often each is where.
using Outcome = std::map<Place, std::map<RowId, int>>;

struct Event {
  std::int64_t number = 0;
  std::string topic;  // below the source's own; empty: a line of a file
  std::string payload;
  std::vector<std::pair<Place, RowId>> ends;
};

// Events that are taken together or not at all.
struct Post {
  std::vector<Event> events;
  std::string key;  // an Idempotency-Key; empty: none
  bool acknowledged = false;
};

inline constexpr char kLines[] = "local/lines";
inline constexpr char kPosts[] = "local/posts";
inline constexpr char kParts[] = "copy/parts";

Place RejectsOf(const std::string& sink, const std::string& dataset);

// A line of a file, seldom a bad one.
Event NewLine(std::int64_t number, io::Random& random);

// An event that is posted: for one data set or for two, with several rows in the second, or a bad
// one, or one that nobody takes.
Event NewPosted(std::int64_t number, io::Random& random);

}  // namespace tidemark::test
