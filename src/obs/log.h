#pragma once
// Log lines, as text or JSON, filtered by level and sampled where a fault repeats
// (queen-interface 13.3).

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "io/clock.h"

namespace tidemark::obs {

enum class Level { kOff, kError, kWarn, kInfo, kDebug, kTrace };
enum class LogFormat { kText, kJson };

// The most detailed level that RUST_LOG's `filter` lets through for `target`: a comma list of
// `level` and `target=level`, the longest target that is a prefix of ours wins (`-` and `_` are
// one), case of levels does not matter. kInvalidArgument names what is not understood.
Result<Level> LevelFor(std::string_view filter, std::string_view target);

struct LogField {
  std::string_view key;
  std::variant<std::string_view, std::int64_t, double> value;
};

// Lets the first of a repeating kind through, then one per gate. Not thread-safe.
class Sampler {
 public:
  explicit Sampler(std::int64_t gate_ms) : gate_ms_(gate_ms) {}

  // The number suppressed since the last one that passed; nullopt: suppress this one too. A clock
  // that steps back opens the gate.
  std::optional<std::int64_t> Admit(std::string_view kind, Micros now);

 private:
  struct Kind {
    Micros passed_at;
    std::int64_t suppressed = 0;
  };

  std::int64_t gate_ms_;
  std::map<std::string, Kind, std::less<>> kinds_;
};

struct LogOptions {
  std::string target = "queen_s3";
  Level level = Level::kInfo;
  LogFormat format = LogFormat::kText;
  std::int64_t sample_gate_ms = 5'000;
};

// Thread-safe; a line is written whole. `clock` outlives it.
class Log {
 public:
  using Fields = std::initializer_list<LogField>;
  // Gets each line with its line feed, valid UTF-8, one call at a time.
  using Sink = std::function<void(std::string_view line)>;

  Log(const io::Clock& clock, LogOptions options, Sink sink);

  void Write(Level level, std::string_view message, Fields fields = {});

  void Error(std::string_view message, Fields fields = {}) {
    Write(Level::kError, message, fields);
  }

  void Warn(std::string_view message, Fields fields = {}) { Write(Level::kWarn, message, fields); }

  void Info(std::string_view message, Fields fields = {}) { Write(Level::kInfo, message, fields); }

  void Debug(std::string_view message, Fields fields = {}) {
    Write(Level::kDebug, message, fields);
  }

  // A warning that may repeat by the thousand: one line per `kind` and gate, with `suppressed` when
  // others were left out since the last.
  void Sampled(std::string_view kind, std::string_view message, Fields fields = {});

 private:
  void WriteLocked(
      Level level, Micros now, std::string_view message, Fields fields, std::int64_t suppressed);

  const io::Clock& clock_;
  const LogOptions options_;
  std::mutex mutex_;
  Sink sink_;
  Sampler sampler_;
};

// Standard error, which is unbuffered.
Log::Sink StderrSink();

}  // namespace tidemark::obs
