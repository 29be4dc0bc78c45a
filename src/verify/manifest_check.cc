#include "verify/manifest_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "verify/lost_count.h"

namespace tidemark::verify {

namespace {

using format::Align;
using format::DataKeyParts;
using format::Manifest;
using format::ManifestObject;

class ManifestJudge {
 public:
  ManifestJudge(const ManifestPlace& place, const Manifest& manifest, Findings& findings)
      : place_(place), manifest_(manifest), findings_(findings) {}

  bool IsOfItsPlace() {
    const bool fits = manifest_.queue == place_.queue && manifest_.window.k == place_.k;
    if (!fits) {
      AddFinding(
          FindingKind::kBadManifest,
          fmt::format(
              "it is of window {} of queue \"{}\"", manifest_.window.k.value(), manifest_.queue));
    }
    if (manifest_.window.start >= manifest_.window.end) {
      AddFinding(FindingKind::kBadManifest,
                 fmt::format("its tStart {} is not below its tEnd {}",
                             FormatIso(manifest_.window.start),
                             FormatIso(manifest_.window.end)));
    }
    return fits;
  }

  void Sums() {
    std::int64_t records = 0;
    std::int64_t bytes = 0;
    for (const auto& object : manifest_.objects) {
      records = SaturatingAdd(records, object.records);
      bytes = SaturatingAdd(bytes, object.bytes);
    }
    Equal("records", manifest_.records, records);
    Equal("bytes", manifest_.bytes, bytes);
    const bool is_merged = manifest_.layout == "merged";
    if (is_merged && manifest_.objects.size() > 1) {
      AddFinding(
          FindingKind::kBadManifest,
          fmt::format("its layout is merged, but it names {} objects", manifest_.objects.size()));
    }
    if (!is_merged) Equal("partitions", manifest_.partitions, LanesNamed());
    if (manifest_.records == 0 && manifest_.lost.empty()) {
      AddFinding(FindingKind::kBadManifest,
                 "it has no record and nothing lost; only a redo after its partitions were deleted "
                 "leaves such a window, and then its records are gone, and nothing names them");
    }
  }

  void Keys() {
    for (const auto& object : manifest_.objects) {
      const auto parts = format::ParseDataKey(place_.prefix, object.key);
      const auto why = parts ? Mismatch(object, *parts) : parts.error().message;
      if (!why.empty()) AddFinding(FindingKind::kBadKey, why, object.key);
      if (parts) align_ = AlignOf(*parts);
    }
  }

  void Tiling(const format::Window& previous) {
    const Micros start = manifest_.window.start;
    if (start < previous.end) {
      AddFinding(FindingKind::kOverlap,
                 fmt::format("it begins at {}, before window {} ends at {}",
                             FormatIso(start),
                             previous.k.value(),
                             FormatIso(previous.end)));
      return;
    }
    if (start == previous.end) return;
    const auto unit = format::AlignUnit(align_);
    if (unit != 0 && FloorTo(start, unit) == start) return;
    AddFinding(
        FindingKind::kGap,
        fmt::format("nothing covers {} to {} after window {}, and the gap does not end on {}",
                    FormatIso(previous.end),
                    FormatIso(start),
                    previous.k.value(),
                    align_ == Align::kDay ? "a day" : "an hour"));
  }

 private:
  void AddFinding(FindingKind kind, std::string message, std::string key = "") {
    findings_.Add({.kind = kind,
                   .queue = std::string(place_.queue),
                   .k = place_.k,
                   .key = key.empty() ? std::string(place_.key) : std::move(key),
                   .message = std::move(message)});
  }

  void Equal(std::string_view what, std::int64_t stated, std::int64_t found) {
    if (stated == found) return;
    AddFinding(FindingKind::kBadManifest,
               fmt::format("it says {} {}, its objects add up to {}", stated, what, found));
  }

  std::int64_t LanesNamed() const {
    return std::ranges::count_if(manifest_.objects, [](const auto& o) { return o.records > 0; });
  }

  // Why the key is not this object's; empty when it is.
  std::string Mismatch(const ManifestObject& object, const DataKeyParts& parts) const {
    if (parts.queue != manifest_.queue) return fmt::format("it is of queue \"{}\"", parts.queue);
    if (parts.window != manifest_.window) {
      return fmt::format("it is of window {} [{}, {})",
                         parts.window.k.value(),
                         parts.window.start.value(),
                         parts.window.end.value());
    }
    if (!parts.has_hour && parts.window.end > NextMultiple(parts.window.start, kMicrosPerDay)) {
      return "it names a day, and its window goes beyond it";
    }
    if (parts.extension != ExpectedExtension()) {
      return fmt::format("{} with compression {} ends in .{}",
                         manifest_.format,
                         manifest_.compression,
                         ExpectedExtension());
    }
    if (parts.lane.has_value() != (manifest_.layout == "per-partition") ||
        parts.lane.has_value() != object.lane.has_value()) {
      return fmt::format("it is not a key of layout {}", manifest_.layout);
    }
    if (parts.lane &&
        (parts.lane->partition != object.lane->partition ||
         parts.lane->first != object.lane->first || parts.lane->last != object.lane->last)) {
      return fmt::format("its manifest says partition \"{}\", offsets {} to {}",
                         object.lane->partition,
                         object.lane->first.value(),
                         object.lane->last.value());
    }
    return "";
  }

  std::string_view ExpectedExtension() const {
    if (manifest_.format == "parquet") return "parquet";
    if (manifest_.compression == "zstd") return "jsonl.zst";
    return manifest_.compression == "gzip" ? "jsonl.gz" : "jsonl";
  }

  const ManifestPlace& place_;
  const Manifest& manifest_;
  Findings& findings_;
  Align align_ = Align::kHour;
};

}  // namespace

bool CheckManifest(const ManifestPlace& place,
                   const Manifest& manifest,
                   const std::optional<format::Window>& previous,
                   Findings& findings) {
  ManifestJudge judge(place, manifest, findings);
  if (!judge.IsOfItsPlace()) return false;
  judge.Sums();
  judge.Keys();
  if (previous) judge.Tiling(*previous);
  return true;
}

Align AlignOf(const DataKeyParts& parts) {
  if (!parts.has_hour) return Align::kDay;
  const bool crosses = parts.window.end > NextMultiple(parts.window.start, kMicrosPerHour);
  return crosses ? Align::kNone : Align::kHour;
}

}  // namespace tidemark::verify
