#pragma once
// What a reading of a lake found out, as values. Rendered by report_text.h and report_json.h.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/window.h"

namespace tidemark::verify {

// One kind of damage each; the contract's sentence that is broken.
enum class FindingKind {
  kMissingWindow,  // a window number without a manifest
  kBadManifest,    // a manifest that does not read, or contradicts its own place or sums
  kOverlap,        // a window begins before the one before it ends
  kGap,            // a window begins later than the one before it ends, off an alignment boundary
  kBadKey,         // an object key that is not what the contract makes of the window
  kMissingObject,  // named by a manifest, not in the store
  kWrongBytes,     // size or SHA-256 differ from the manifest
  kUnreadableObject,  // bytes as promised, but no data file
  kWrongCount,        // records or partitions differ from the manifest
  kWrongOrder,        // rows not ascending by (partition bytes, offset)
  kDuplicate,         // a row that is in the lake already
  kWrongTime,         // ts outside the window, minTs or maxTs off, ts falling while offsets rise
  kWrongLane,         // an object per partition that holds another partition or range
  kWrongFooter,       // Parquet footer constants
  kStray,             // an object nothing accounts for
  kBadSidecar,        // a checkpoint, lost sidecar or complete.json that does not read or fit
  kHole,              // offsets in no window and in no `lost` range
  kFalseLoss,         // offsets listed as lost that are in the lake
};

// "missing-window", "bad-manifest", ...
std::string_view ToString(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string queue;                      // empty: none could be told
  std::optional<format::WindowNumber> k;  // where it belongs to a window
  std::string key;                        // empty: not about one object
  std::string message;                    // one sentence, without a final full stop

  bool operator==(const Finding&) const = default;
};

// The first kKept findings, and the count of all: a lake that is damaged everywhere must not fill
// the memory.
class Findings {
 public:
  static constexpr std::size_t kKept = 1000;

  void Add(Finding finding);

  const std::vector<Finding>& kept() const { return kept_; }

  std::int64_t total() const { return total_; }

 private:
  std::vector<Finding> kept_;
  std::int64_t total_ = 0;
};

struct LostInWindow {
  format::WindowNumber k;
  format::LostRange range;

  bool operator==(const LostInWindow&) const = default;
};

// Uploaded ahead of its manifest: a window in flight, or one that a stopped sink finishes at its
// next start.
struct Pending {
  format::Window window;
  std::int64_t objects = 0;
  std::int64_t bytes = 0;
};

struct QueueReport {
  std::string queue;
  format::WindowNumber first;  // of the manifests that are there
  format::WindowNumber last;
  std::int64_t windows = 0;
  Micros start;       // of the first window that could be read
  Micros end;         // of the last one
  std::string align;  // "hour", "day", "none" as the windows show it; "none" as soon as one window
                      // crosses an hour
  std::int64_t objects = 0;
  std::int64_t records = 0;  // as read
  std::int64_t bytes = 0;
  std::int64_t partitions = 0;            // distinct, over all windows
  std::int64_t partitions_recreated = 0;  // offsets began anew with a later ts
  std::optional<Micros> min_ts;
  std::optional<Micros> max_ts;
  std::vector<LostInWindow> lost;
  std::int64_t lost_offsets = 0;  // in `lost`; INT64_MAX: that many or more
  std::int64_t checkpoints = 0;
  std::optional<Pending> pending;
  // Windows committed while this reading ran; not judged.
  std::int64_t committed_meanwhile = 0;
};

struct Report {
  std::vector<QueueReport> queues;  // ascending by name bytes
  Findings findings;

  bool damaged() const { return findings.total() > 0; }

  // A manifest lists a lost range. The verdict rests on this, not on a sum.
  bool has_losses() const;

  std::int64_t lost_offsets() const;  // INT64_MAX: that many or more
};

}  // namespace tidemark::verify
