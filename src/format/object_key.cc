#include "format/object_key.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::format {

namespace {

constexpr std::size_t kSegmentBytesMax = 255;
constexpr std::string_view kTrialFolder = ".check";
// What a lane's object name holds besides partition and extension, with every number at its padded
// width.
constexpr std::size_t kLaneSegmentOverhead =
    std::string_view("w-0000000000-0000000000000000-0000000000000000-p--000000000000-000000000000.")
        .size();

bool IsPlain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::int64_t Printed(std::int64_t value) { return std::max<std::int64_t>(value, 0); }

std::string Root(std::string_view prefix) {
  return prefix.empty() ? std::string() : fmt::format("{}/", prefix);
}

std::string SidecarFolder(std::string_view prefix, std::string_view queue, std::string_view what) {
  return fmt::format("{}{}/{}", SidecarRoot(prefix), EscapePathName(queue), what);
}

std::string PaddedK(WindowNumber k) { return fmt::format("{:010}", Printed(k.value())); }

}  // namespace

std::string EscapeName(std::string_view name) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(name.size());
  for (char c : name) {
    if (IsPlain(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string EscapePathName(std::string_view name) {
  if (name == ".") return "%2E";
  if (name == "..") return "%2E%2E";
  return EscapeName(name);
}

Result<std::string> UnescapeName(std::string_view escaped) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string name;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '%') {
      name += escaped[i];
      continue;
    }
    const int high = i + 2 < escaped.size() ? digit(escaped[i + 1]) : -1;
    const int low = i + 2 < escaped.size() ? digit(escaped[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"{}\": '%' needs two upper-case hex digits after it", escaped));
    }
    name += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (escaped != EscapeName(name) && escaped != EscapePathName(name)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not how \"{}\" is escaped", escaped, name));
  }
  return name;
}

ObjectKey QueueFolder(std::string_view prefix, std::string_view queue) {
  return fmt::format("{}queue={}/", Root(prefix), EscapePathName(queue));
}

ObjectKey WindowFolder(const Form& form, std::string_view queue, Micros start) {
  const auto at = DateHourOf(start);
  std::string folder = fmt::format(
      "{}dt={:04}-{:02}-{:02}/", QueueFolder(form.prefix, queue), at.year, at.month, at.day);
  if (form.align != Align::kDay) folder += fmt::format("hour={:02}/", at.hour);
  return folder;
}

ObjectKey WindowStem(const Form& form, std::string_view queue, const Window& window) {
  return fmt::format("{}w-{}-{:016}-{:016}",
                     WindowFolder(form, queue, window.start),
                     PaddedK(window.k),
                     Printed(window.start.value()),
                     Printed(window.end.value()));
}

ObjectKey MergedObjectKey(const Form& form, std::string_view queue, const Window& window) {
  return fmt::format("{}.{}", WindowStem(form, queue, window), Extension(form));
}

ObjectKey LaneObjectKey(const Form& form,
                        std::string_view queue,
                        const Window& window,
                        std::string_view partition,
                        Offset first,
                        Offset last) {
  return fmt::format("{}-p-{}-{:012}-{:012}.{}",
                     WindowStem(form, queue, window),
                     EscapePathName(partition),
                     Printed(first.value()),
                     Printed(last.value()),
                     Extension(form));
}

ObjectKey SidecarRoot(std::string_view prefix) { return Root(prefix) + "_queen/"; }

ObjectKey ManifestPrefix(std::string_view prefix, std::string_view queue) {
  return SidecarFolder(prefix, queue, "windows/");
}

ObjectKey ManifestKey(std::string_view prefix, std::string_view queue, WindowNumber k) {
  return fmt::format("{}{}.json", ManifestPrefix(prefix, queue), PaddedK(k));
}

ObjectKey CheckpointPrefix(std::string_view prefix, std::string_view queue) {
  return SidecarFolder(prefix, queue, "checkpoint/");
}

ObjectKey CheckpointKey(std::string_view prefix, std::string_view queue, WindowNumber k) {
  return fmt::format("{}{}.json.zst", CheckpointPrefix(prefix, queue), PaddedK(k));
}

ObjectKey CompleteKey(std::string_view prefix, std::string_view queue) {
  return SidecarFolder(prefix, queue, "complete.json");
}

ObjectKey TrialKey(std::string_view prefix, std::uint64_t id) {
  return fmt::format("{}{:016x}.txt", CheckpointPrefix(prefix, kTrialFolder), id);
}

bool IsTrialKey(std::string_view prefix, std::string_view key) {
  const std::string folder = CheckpointPrefix(prefix, kTrialFolder);
  return key.starts_with(folder) && key.ends_with(".txt") &&
         key.size() == folder.size() + 16 + std::string_view(".txt").size();
}

ObjectKey LostSidecarKey(std::string_view prefix,
                         std::string_view queue,
                         WindowNumber k,
                         std::string_view sha256_hex) {
  return fmt::format("{}{}-{}.json", SidecarFolder(prefix, queue, "lost/"), PaddedK(k), sha256_hex);
}

Status CheckNameFits(std::string_view queue) {
  const std::size_t size = std::string_view("queue=").size() + EscapePathName(queue).size();
  if (size <= kSegmentBytesMax) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("queue \"{}\": its folder name would be {} bytes, a file store holds {}",
                          queue,
                          size,
                          kSegmentBytesMax));
}

Status CheckLaneNameFits(const Form& form, std::string_view partition) {
  const std::size_t size =
      kLaneSegmentOverhead + EscapePathName(partition).size() + Extension(form).size();
  if (size <= kSegmentBytesMax) return {};
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("partition \"{}\": its objects' names would be {} bytes, a file store holds {}",
                  partition,
                  size,
                  kSegmentBytesMax));
}

}  // namespace tidemark::format
