// The way back from keys to what they name.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "format/object_key.h"

namespace tidemark::format {

namespace {

constexpr std::array<std::string_view, 4> kExtensions{"jsonl.zst", "jsonl.gz", "jsonl", "parquet"};

// A decimal number padded with zeros to `width`, and no wider than it needs to be beyond that.
std::optional<std::int64_t> ParsePadded(std::string_view text, std::size_t width) {
  if (text.size() < width || (text.size() > width && text.front() == '0')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<WindowNumber> ParseNumbered(std::string_view folder,
                                          std::string_view suffix,
                                          std::string_view key) {
  if (!key.starts_with(folder) || !key.ends_with(suffix)) return std::nullopt;
  if (key.size() < folder.size() + suffix.size()) return std::nullopt;
  key.remove_prefix(folder.size());
  key.remove_suffix(suffix.size());
  const auto k = ParsePadded(key, 10);
  return k ? std::optional(WindowNumber(*k)) : std::nullopt;
}

// Takes the text up to `stop` off the front of `rest`, and `stop` with it.
std::optional<std::string_view> TakeUntil(std::string_view& rest, char stop) {
  const auto at = rest.find(stop);
  if (at == std::string_view::npos) return std::nullopt;
  const auto taken = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  return taken;
}

bool TakeLiteral(std::string_view& rest, std::string_view literal) {
  if (!rest.starts_with(literal)) return false;
  rest.remove_prefix(literal.size());
  return true;
}

std::unexpected<Error> NotADataKey(std::string_view key, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not a data key: {}", key, why));
}

// `<k>-<tStart>-<tEnd>` off the front, up to "-p-" or the end.
std::optional<Window> TakeWindow(std::string_view& rest) {
  const auto k = TakeUntil(rest, '-');
  const auto start = k ? TakeUntil(rest, '-') : std::nullopt;
  if (!start) return std::nullopt;
  const auto end = rest.substr(0, rest.find('-'));
  rest.remove_prefix(end.size());
  const auto k_value = ParsePadded(*k, 10);
  const auto start_value = ParsePadded(*start, 16);
  const auto end_value = ParsePadded(end, 16);
  if (!k_value || !start_value || !end_value) return std::nullopt;
  return Window{WindowNumber(*k_value), Micros(*start_value), Micros(*end_value)};
}

// `-p-<partition>-<first>-<last>`: from the right, because a partition's name may hold dashes.
Result<DataKeyParts::Lane> ParseLane(std::string_view text, std::string_view key) {
  if (!TakeLiteral(text, "-p-")) return NotADataKey(key, "only \"-p-\" may follow the window");
  const auto last_dash = text.rfind('-');
  const auto first_dash = last_dash == std::string_view::npos || last_dash == 0
                              ? last_dash
                              : text.rfind('-', last_dash - 1);
  if (first_dash == std::string_view::npos || first_dash == last_dash) {
    return NotADataKey(key, "no -<first>-<last> after the partition");
  }
  const auto first = ParsePadded(text.substr(first_dash + 1, last_dash - first_dash - 1), 12);
  const auto last = ParsePadded(text.substr(last_dash + 1), 12);
  if (!first || !last) return NotADataKey(key, "offsets are 12 digits, padded with zeros");
  const auto escaped = text.substr(0, first_dash);
  TIDEMARK_TRY(auto partition, UnescapeName(escaped));
  if (EscapePathName(partition) != escaped)
    return NotADataKey(key, "a dot partition is not escaped");
  return DataKeyParts::Lane{std::move(partition), Offset(*first), Offset(*last)};
}

// `queue=<queue>/` off the front of `rest`.
Result<std::string> TakeQueue(std::string_view& rest, std::string_view key) {
  const auto escaped = TakeLiteral(rest, "queue=") ? TakeUntil(rest, '/') : std::nullopt;
  if (!escaped) return NotADataKey(key, "no queue=<queue>/");
  TIDEMARK_TRY(auto queue, UnescapeName(*escaped));
  if (EscapePathName(queue) != *escaped) return NotADataKey(key, "a dot queue is not escaped");
  return queue;
}

// `w-<k>-<tStart>-<tEnd>[-p-...].<ext>`.
Status ParseName(std::string_view name, std::string_view key, DataKeyParts& parts) {
  const auto extension = std::ranges::find_if(kExtensions, [&](std::string_view e) {
    return name.size() > e.size() && name.ends_with(e) && name[name.size() - e.size() - 1] == '.';
  });
  if (extension == kExtensions.end()) return NotADataKey(key, "unknown extension");
  parts.extension = *extension;
  name.remove_suffix(extension->size() + 1);
  if (!TakeLiteral(name, "w-")) return NotADataKey(key, "its name does not begin with w-");
  const auto window = TakeWindow(name);
  if (!window) return NotADataKey(key, "not <k>-<tStart>-<tEnd> with 10, 16 and 16 digits");
  parts.window = *window;
  if (name.empty()) return {};
  TIDEMARK_TRY(parts.lane, ParseLane(name, key));
  return {};
}

// dt= and hour= are a function of tStart, so the right folder is one of two.
Status ParseFolder(std::string_view folder, std::string_view prefix, DataKeyParts& parts) {
  Form form;
  form.prefix = prefix;
  const auto hourly = WindowFolder(form, parts.queue, parts.window.start);
  form.align = Align::kDay;
  const auto daily = WindowFolder(form, parts.queue, parts.window.start);
  parts.has_hour = folder == hourly;
  if (parts.has_hour || folder == daily) return {};
  return NotADataKey(folder, fmt::format("tStart belongs into \"{}\" or \"{}\"", hourly, daily));
}

}  // namespace

std::optional<WindowNumber> ParseManifestKey(std::string_view prefix,
                                             std::string_view queue,
                                             std::string_view key) {
  return ParseNumbered(ManifestPrefix(prefix, queue), ".json", key);
}

std::optional<WindowNumber> ParseCheckpointKey(std::string_view prefix,
                                               std::string_view queue,
                                               std::string_view key) {
  return ParseNumbered(CheckpointPrefix(prefix, queue), ".json.zst", key);
}

Result<DataKeyParts> ParseDataKey(std::string_view prefix, std::string_view key) {
  std::string_view rest = key;
  if (!prefix.empty() && !(TakeLiteral(rest, prefix) && TakeLiteral(rest, "/"))) {
    return NotADataKey(key, fmt::format("it is not below \"{}/\"", prefix));
  }
  DataKeyParts parts;
  TIDEMARK_TRY(parts.queue, TakeQueue(rest, key));
  const auto name_at = rest.rfind('/');
  if (name_at == std::string_view::npos) return NotADataKey(key, "no dt=<date>/");
  TIDEMARK_TRY_VOID(ParseName(rest.substr(name_at + 1), key, parts));
  TIDEMARK_TRY_VOID(
      ParseFolder(key.substr(0, key.size() - rest.size() + name_at + 1), prefix, parts));
  return parts;
}

}  // namespace tidemark::format
