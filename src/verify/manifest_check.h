#pragma once
// A manifest judged without its objects: against the key it was found at, its own sums, the keys
// the contract makes of its window, and the window before it. Pure.

#include <optional>
#include <string_view>

#include "format/manifest.h"
#include "format/object_key.h"
#include "verify/report.h"

namespace tidemark::verify {

// Where a manifest was found.
struct ManifestPlace {
  std::string_view prefix;
  std::string_view queue;
  format::WindowNumber k;
  std::string_view key;
};

// `previous` is the window k - 1, when it is known. False when objects can not be read from this
// manifest: its window or queue is not that of its key.
bool CheckManifest(const ManifestPlace& place,
                   const format::Manifest& manifest,
                   const std::optional<format::Window>& previous,
                   Findings& findings);

// As the key of an object shows it: kNone when the window crosses an hour although the key names
// one; a window of hours inside one hour reads as kHour.
format::Align AlignOf(const format::DataKeyParts& parts);

}  // namespace tidemark::verify
