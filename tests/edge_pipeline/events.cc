#include "tests/edge_pipeline/events.h"

#include <fmt/format.h>

namespace tidemark::test {

namespace {

std::string Good(std::int64_t number) { return fmt::format("{{\"v\":{}}}", number); }

std::string Bad(std::int64_t number) { return fmt::format("{{\"v\":\"{}\"}}", number); }

Event Many(std::int64_t number, bool good, int parts) {
  const std::string v = good ? fmt::format("{}", number) : fmt::format("\"{}\"", number);
  Event event{
      .number = number, .topic = "t/many", .payload = "{\"v\":" + v + ",\"s\":[", .ends = {}};
  for (int part = 0; part < parts; ++part) {
    event.payload += fmt::format("{}{{\"e\":{}}}", part > 0 ? "," : "", part);
    if (good) event.ends.emplace_back(kParts, RowId(number, part));
  }
  event.payload += "]}";
  if (good) {
    event.ends.emplace_back(kPosts, RowId(number, 0));
  } else {
    event.ends.emplace_back(RejectsOf("copy", "parts"), RowId(number, 0));
    event.ends.emplace_back(RejectsOf("local", "posts"), RowId(number, 0));
  }
  return event;
}

}  // namespace

Place RejectsOf(const std::string& sink, const std::string& dataset) {
  return sink + "/rejects of " + dataset;
}

Event NewLine(std::int64_t number, io::Random& random) {
  Event event{.number = number, .topic = {}, .payload = {}, .ends = {}};
  const bool good = random.Next() % 8 != 0;
  event.payload = good ? Good(number) : Bad(number);
  event.ends.emplace_back(good ? kLines : RejectsOf("local", "lines"), RowId(number, 0));
  return event;
}

Event NewPosted(std::int64_t number, io::Random& random) {
  const auto kind = random.Next() % 16;
  if (kind < 7) return Many(number, kind != 0, 1 + static_cast<int>(random.Next() % 3));
  Event event{.number = number, .topic = "t/one", .payload = Good(number), .ends = {}};
  if (kind == 7) {
    event.payload = Bad(number);
    event.ends.emplace_back(RejectsOf("local", "posts"), RowId(number, 0));
  } else if (kind == 8) {
    event.topic = "nobody";
    event.ends.emplace_back(RejectsOf("local", ""), RowId(number, 0));
  } else {
    event.ends.emplace_back(kPosts, RowId(number, 0));
  }
  return event;
}

}  // namespace tidemark::test
