#pragma once
// Names of everything a lake holds. A key is a function of the window and nothing else, so a
// retried upload overwrites itself (contract: "The bucket layout"; queen-interface 7). Pure;
// docs/formats/object-keys.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/form.h"
#include "format/window.h"

namespace tidemark::format {

using ObjectKey = std::string;

// `name` with every byte outside [A-Za-z0-9._-] as %XX, upper-case hex: the form of KV keys, and of
// object keys but for the next function. Never fails; the empty name stays empty.
std::string EscapeName(std::string_view name);

// As EscapeName, but the names `.` and `..` are escaped whole (`%2E`, `%2E%2E`): no key holds a dot
// segment.
std::string EscapePathName(std::string_view name);

// The inverse of both. kInvalidArgument when a '%' is not followed by two upper-case hex digits, or
// an escape was not needed: two spellings of one name must not both be accepted.
Result<std::string> UnescapeName(std::string_view escaped);

// `<prefix>/queue=<queue>/dt=<date>[/hour=<hour>]/w-<k>-<tStart>-<tEnd>.<ext>`.
ObjectKey MergedObjectKey(const Form& form, std::string_view queue, const Window& window);

// The same stem + `-p-<partition>-<first>-<last>.<ext>`.
ObjectKey LaneObjectKey(const Form& form,
                        std::string_view queue,
                        const Window& window,
                        std::string_view partition,
                        Offset first,
                        Offset last);

// `<prefix>/queue=<queue>/`: below it lie the data objects of the queue.
ObjectKey QueueFolder(std::string_view prefix, std::string_view queue);

// `<prefix>/queue=<queue>/dt=<date>[/hour=<hour>]/`: the folder of a window that starts at `start`.
ObjectKey WindowFolder(const Form& form, std::string_view queue, Micros start);

// The folder + `w-<k>-<tStart>-<tEnd>`: every data object of the window begins with it, and no
// other window's does when followed by `.` or `-p-`.
ObjectKey WindowStem(const Form& form, std::string_view queue, const Window& window);

// `<prefix>/_queen/`: below it lie the sidecars of all queues.
ObjectKey SidecarRoot(std::string_view prefix);
ObjectKey ManifestKey(std::string_view prefix, std::string_view queue, WindowNumber k);
ObjectKey ManifestPrefix(std::string_view prefix, std::string_view queue);
ObjectKey CheckpointKey(std::string_view prefix, std::string_view queue, WindowNumber k);
ObjectKey CheckpointPrefix(std::string_view prefix, std::string_view queue);
// `<prefix>/_queen/<queue>/complete.json`.
ObjectKey CompleteKey(std::string_view prefix, std::string_view queue);
// `<prefix>/_queen/<queue>/lost/<k>-<sha256>.json` (decision 4).
ObjectKey LostSidecarKey(std::string_view prefix,
                         std::string_view queue,
                         WindowNumber k,
                         std::string_view sha256_hex);

// `<prefix>/_queen/.check/checkpoint/<16 hex>.txt`: what `tidemark lake --check` writes and
// deletes, where a policy lets checkpoints be deleted. No key of a queue, whatever its name.
ObjectKey TrialKey(std::string_view prefix, std::uint64_t id);
bool IsTrialKey(std::string_view prefix, std::string_view key);

// The k of an exact manifest (checkpoint) key of that queue; nullopt for any other key.
std::optional<WindowNumber> ParseManifestKey(std::string_view prefix,
                                             std::string_view queue,
                                             std::string_view key);
std::optional<WindowNumber> ParseCheckpointKey(std::string_view prefix,
                                               std::string_view queue,
                                               std::string_view key);

// A data key taken apart.
struct DataKeyParts {
  std::string queue;
  Window window;
  std::string extension;
  bool has_hour = false;  // false: align is day

  struct Lane {
    std::string partition;
    Offset first;
    Offset last;
  };

  std::optional<Lane> lane;  // per-partition layout only
};

// kInvalidArgument, with the part that is wrong, for anything that is not a data key below
// `prefix`; also when dt= and hour= are not those of tStart.
Result<DataKeyParts> ParseDataKey(std::string_view prefix, std::string_view key);

// kInvalidArgument when a path segment made from the name would be over 255 bytes: a file store
// cannot hold it. The first judges a queue, in every layout; the second a partition, whose name is
// in keys of the per-partition layout only, with the extension of `form`.
Status CheckNameFits(std::string_view queue);
Status CheckLaneNameFits(const Form& form, std::string_view partition);

}  // namespace tidemark::format
