#pragma once
// The three documents a sink keeps per queue in the broker's KV store (queen-interface 3), and
// their keys. Pure; docs/formats/kv-documents.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/form.h"
#include "format/window.h"

namespace tidemark::format {

inline constexpr std::string_view kKvNamespace = "queen-s3";
// The broker's ceiling for the JSON text of one value.
inline constexpr std::size_t kKvValueBytesMax = 65'536;

// `s3:<sink>:<escaped queue>:intent` and so on.
std::string IntentKey(std::string_view sink, std::string_view queue);
std::string CommittedKey(std::string_view sink, std::string_view queue);
std::string LeaseKey(std::string_view sink, std::string_view queue);

// What window k will be, decided before anything of it is uploaded.
struct Intent {
  Window window;
  Form form;
  std::string writer;
  // Absent in intents of queen-s3 1.5.0.
  std::optional<std::int64_t> records;
  // Ranges this window's manifest will carry; or, when they do not fit, the key of the sidecar that
  // holds them.
  std::vector<LostRange> lost;
  std::string lost_sidecar;
  // The offsets of its records; empty where they do not fit, and in intents of others. By them a
  // redo names what is gone, even of a partition that was deleted since.
  std::vector<LostRange> rows = {};

  bool operator==(const Intent&) const = default;
};

// The last window that is finished for good.
struct Committed {
  WindowNumber k;
  Micros t_end;
  std::string manifest;  // its key; empty for k = 0 (start=latest, nothing written yet)
  std::int64_t records = 0;
  std::int64_t bytes = 0;
  std::int64_t committed_at_ms = 0;

  bool operator==(const Committed&) const = default;
};

struct Lease {
  std::string instance;
  std::string incarnation;  // 16 lower-case hex digits, new in every process life
  std::int64_t since_ms = 0;

  bool operator==(const Lease&) const = default;
};

// tStart and tEnd are written as ISO-8601 with Z (decision 1). Fields that 1.5.0 does not know
// follow its own.
std::string EncodeIntent(const Intent& intent);
std::string EncodeCommitted(const Committed& committed);
std::string EncodeLease(const Lease& lease);

// For `--prepare-rollback`: the pointers as queen-s3 1.5.0 writes them, times as integers, its
// fields only.
std::string EncodeIntentFor15(const Intent& intent);
std::string EncodeCommittedFor15(const Committed& committed);

// Times are read in both forms; fields that 1.5.0 does not write take the values of `defaults`.
// kCorruption otherwise.
Result<Intent> DecodeIntent(std::string_view json, const Form& defaults);
Result<Committed> DecodeCommitted(std::string_view json);
Result<Lease> DecodeLease(std::string_view json);

// The body of a lost sidecar: a compact JSON array of {partition, from, to}, in the order given.
std::string EncodeLostRanges(const std::vector<LostRange>& lost);
Result<std::vector<LostRange>> DecodeLostRanges(std::string_view json);

}  // namespace tidemark::format
