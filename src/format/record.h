#pragma once
// The record envelope: the five fields of a lake row, the same in every format (contract: "The
// record envelope").

#include <cstdint>
#include <string_view>

#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::format {

// One record, borrowed: the views live as long as the buffer they were cut from.
struct RecordView {
  std::string_view partition;
  Offset offset;
  std::string_view transaction_id;  // UTF-8, unescaped
  Micros ts;                        // the segment's commit stamp
  // The payload's JSON text, first to last byte, never parsed. Empty means NULL (JSON text is never
  // empty).
  std::string_view payload;

  bool has_payload() const { return !payload.empty(); }
};

}  // namespace tidemark::format
