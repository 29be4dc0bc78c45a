#pragma once
// Which requests with an Idempotency-Key an http source has taken, for a day or until so many later
// ones came. It is kept in the tokens of the write-ahead log (format/source_token.h): a key becomes
// durable in the same group as its records, and stays when their segment goes.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/time.h"
#include "edge/source/http_events.h"
#include "edge/wal/wal.h"

namespace tidemark::edge {

// What tells the events of one request from others: topic, payloads, their order.
std::string ContentHash(const Events& events, std::string_view topic);

// Belongs to the loop's thread; `wal` outlives it.
class IdempotencyLedger {
 public:
  static constexpr std::int64_t kKeptMicros = 86'400 * kMicrosPerSecond;

  // Begins with what the log knows of the source.
  IdempotencyLedger(std::string source, std::size_t keys_max, Wal& wal);

  enum class State { kNew, kTaken, kTakenWithOtherContent, kUnderWay };

  struct Known {
    State state = State::kNew;
    std::size_t events = 0;  // of a taken one
  };

  // Forgets what is too old first.
  Known Look(std::string_view key, const std::string& content, Micros now);

  // Before the append of a new one: the token that its last record carries.
  std::string Begin(std::string_view key,
                    const std::string& content,
                    std::size_t events,
                    Micros now);
  // After it.
  void End(std::string_view key, const std::string& token, bool taken);

 private:
  struct Entry {
    Micros at;
    std::size_t events = 0;
    std::string content;
  };

  void Keep(const std::string& stream, const Entry& entry);
  void ForgetOldest();

  const std::string source_;
  const std::size_t keys_max_;
  Wal& wal_;
  std::map<std::string, Entry, std::less<>> taken_;  // by stream
  std::deque<std::string> by_age_;                   // streams
  std::set<std::string, std::less<>> under_way_;
};

}  // namespace tidemark::edge
