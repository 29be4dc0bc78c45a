#include "obs/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <utility>

#include "format/json_text.h"
#include "obs/valid_utf8.h"

namespace tidemark::obs {

namespace {

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string Normalized(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  return out;
}

std::optional<Level> ParseLevel(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::pair<std::string_view, Level> kLevels[] = {{"off", Level::kOff},
                                                            {"error", Level::kError},
                                                            {"warn", Level::kWarn},
                                                            {"info", Level::kInfo},
                                                            {"debug", Level::kDebug},
                                                            {"trace", Level::kTrace}};
  for (const auto& [name, level] : kLevels) {
    if (lower == name) return level;
  }
  return std::nullopt;
}

std::string_view NameOf(Level level) {
  switch (level) {
    case Level::kOff:
      return "OFF";
    case Level::kError:
      return "ERROR";
    case Level::kWarn:
      return "WARN";
    case Level::kInfo:
      return "INFO";
    case Level::kDebug:
      return "DEBUG";
    case Level::kTrace:
      return "TRACE";
  }
  return "?";
}

// As it is when it is one plain word, as a JSON string otherwise: a line stays one line.
void AppendWord(std::string_view text, std::string& out) {
  const auto is_plain = [](unsigned char c) {
    return c > ' ' && c != '"' && c != '=' && c != 0x7f;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) {
    out += text;
  } else {
    format::AppendJsonString(text, out);
  }
}

void AppendMessage(std::string_view text, std::string& out) {
  const auto is_control = [](unsigned char c) { return c < ' '; };
  if (std::ranges::any_of(text, is_control)) {
    format::AppendJsonString(text, out);
  } else {
    out += text;
  }
}

void AppendValue(const LogField& field, LogFormat format, std::string& out) {
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    if (format == LogFormat::kJson) {
      format::AppendJsonString(*text, out);
    } else {
      AppendWord(*text, out);
    }
  } else if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
    fmt::format_to(std::back_inserter(out), "{}", *whole);
  } else {
    fmt::format_to(std::back_inserter(out), "{}", std::get<double>(field.value));
  }
}

}  // namespace

Result<Level> LevelFor(std::string_view filter, std::string_view target) {
  const std::string ours = Normalized(target);
  Level level = Level::kError;
  std::size_t matched = 0;
  while (!filter.empty()) {
    const auto comma = filter.find(',');
    const std::string_view directive = Trim(filter.substr(0, comma));
    filter = comma == std::string_view::npos ? "" : filter.substr(comma + 1);
    if (directive.empty()) continue;
    const auto equals = directive.rfind('=');
    const bool named = equals != std::string_view::npos;
    const auto parsed = ParseLevel(Trim(named ? directive.substr(equals + 1) : directive));
    if (!parsed) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"{}\" is not a level (off, error, warn, info, debug, trace) or "
                              "target=level",
                              directive));
    }
    const std::string prefix = named ? Normalized(Trim(directive.substr(0, equals))) : "";
    if (!ours.starts_with(prefix) || prefix.size() < matched) continue;
    level = *parsed;
    matched = prefix.size();
  }
  return level;
}

std::optional<std::int64_t> Sampler::Admit(std::string_view kind, Micros now) {
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    kinds_.emplace(kind, Kind{.passed_at = now});
    return 0;
  }
  Kind& state = found->second;
  const std::int64_t since = now - state.passed_at;
  if (since >= 0 && since < gate_ms_ * kMicrosPerMilli) {
    ++state.suppressed;
    return std::nullopt;
  }
  state.passed_at = now;
  return std::exchange(state.suppressed, 0);
}

Log::Log(const io::Clock& clock, LogOptions options, Sink sink)
    : clock_(clock),
      options_(std::move(options)),
      sink_(std::move(sink)),
      sampler_(options_.sample_gate_ms) {}

void Log::Write(Level level, std::string_view message, Fields fields) {
  if (level > options_.level) return;
  const std::lock_guard lock(mutex_);
  WriteLocked(level, clock_.Now(), message, fields, 0);
}

void Log::Sampled(std::string_view kind, std::string_view message, Fields fields) {
  if (Level::kWarn > options_.level) return;
  const std::lock_guard lock(mutex_);
  const Micros now = clock_.Now();
  const auto suppressed = sampler_.Admit(kind, now);
  if (suppressed) WriteLocked(Level::kWarn, now, message, fields, *suppressed);
}

void Log::WriteLocked(
    Level level, Micros now, std::string_view message, Fields fields, std::int64_t suppressed) {
  const bool json = options_.format == LogFormat::kJson;
  std::string line;
  const auto append_field = [&](const LogField& field) {
    line += json ? "," : " ";
    if (json) {
      format::AppendJsonString(field.key, line);
    } else {
      line += field.key;
    }
    line += json ? ':' : '=';
    AppendValue(field, options_.format, line);
  };
  if (json) {
    line = fmt::format(R"({{"timestamp":"{}","level":"{}","target":"{}","fields":{{"message":)",
                       FormatIso(now),
                       NameOf(level),
                       options_.target);
    format::AppendJsonString(message, line);
  } else {
    line = fmt::format("{} {:>5} {}: ", FormatIso(now), NameOf(level), options_.target);
    AppendMessage(message, line);
  }
  for (const auto& field : fields) append_field(field);
  if (suppressed > 0) append_field({"suppressed", suppressed});
  line += json ? "}}\n" : "\n";
  sink_(ValidUtf8(std::move(line)));
}

Log::Sink StderrSink() {
  return [](std::string_view line) {
    // There is nowhere to report that standard error is gone.
    [[maybe_unused]] const std::size_t written = std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

}  // namespace tidemark::obs
