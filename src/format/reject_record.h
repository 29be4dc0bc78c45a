#pragma once
// The frames of a sink's log of rejects (docs/formats/rejects.md): records that a data set did not
// take, and marks that say up to where every reject stands before them. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::format {

// The first bytes of the log; frames (format/log_frame.h) follow.
inline constexpr std::string_view kRejectMagic = "TDMKREJ1";

struct RejectRecord {
  Epoch epoch;
  Position position;
  Micros ingest_time;
  bool clock_synced = false;
  std::string dataset;  // its id; empty: no data set takes the record
  int version = 1;      // of the data set's schema
  std::string source;
  std::string topic;
  std::string reason;
  std::string detail;
  std::string payload;

  bool operator==(const RejectRecord&) const = default;
};

// Every reject at or below the position stands before the mark.
struct RejectMark {
  Epoch epoch;
  Position through;

  bool operator==(const RejectMark&) const = default;
};

using RejectEntry = std::variant<RejectRecord, RejectMark>;

// The body of the entry's frame.
std::string EncodeRejectEntry(const RejectEntry& entry);

// The inverse; kCorruption for any other bytes.
Result<RejectEntry> DecodeRejectEntry(std::string_view body);

// The longest frame of a mark.
inline constexpr std::size_t kRejectMarkFrameBytesMax = 27;

// The marks whose frames stand whole anywhere in `bytes`, in order: behind damage nobody knows
// where the next frame begins.
std::vector<RejectMark> RejectMarksIn(std::string_view bytes);

}  // namespace tidemark::format
