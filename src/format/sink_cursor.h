#pragma once
// A sink's cursor: how far each of its data sets is committed in the write-ahead log of one epoch
// (docs/formats/catalog.md). One line of JSON behind its checksum. Pure.

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strong_int.h"

namespace tidemark::format {

struct SinkCursor {
  Epoch epoch;
  // By the data set's folder; the records that no data set takes count as one called "".
  std::map<std::string, Position, std::less<>> coverage;

  // The lowest coverage; 0 without any.
  Position Watermark() const;

  bool operator==(const SinkCursor&) const = default;
};

// `<CRC-32C of the JSON, 8 hex digits> <JSON>\n`.
std::string EncodeCursor(const SinkCursor& cursor);

// The inverse; kCorruption for any other text.
Result<SinkCursor> DecodeCursor(std::string_view text);

}  // namespace tidemark::format
