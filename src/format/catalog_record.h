#pragma once
// What a sink's catalog.log says, record by record (segments contract: "Segment catalog";
// docs/formats/catalog.md). A record is a change of CatalogState (format/catalog_state.h). Pure.

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/digest.h"
#include "base/result.h"
#include "base/time.h"
#include "format/wal_record.h"

namespace tidemark::format {

// The first bytes of the log; frames (format/log_frame.h) follow.
inline constexpr std::string_view kCatalogMagic = "TDMKCAT1";

// A file is in ready/. `dataset` is the folder of its data set, `path` is below ready/.
struct FinalizedRecord {
  Epoch epoch;
  std::string dataset;
  std::string path;
  PositionRange range;
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  Sha256Digest sha256{};
  std::string schema_fp;
  Micros ingest_time_min;
  Micros ingest_time_max;
  std::optional<Micros> event_time_min;  // both or neither
  std::optional<Micros> event_time_max;

  bool operator==(const FinalizedRecord&) const = default;
};

// Why positions of a data set have no file.
enum class CoverageReason : std::uint8_t {
  kEmpty = 0,      // read, and they gave no row
  kRecovered = 1,  // a cursor said they are done, and nothing else remembers them
  kJoined = 2,     // the data set was not declared, or was declared later
  kDeleted = 3,    // they had a file
};

struct CoverageRecord {
  Epoch epoch;
  std::string dataset;
  PositionRange range;
  CoverageReason reason = CoverageReason::kEmpty;

  bool operator==(const CoverageRecord&) const = default;
};

// Nothing beyond `to` holds for the data set any more; its files beyond go after this record.
struct RewoundRecord {
  Epoch epoch;
  std::string dataset;
  Position to;

  bool operator==(const RewoundRecord&) const = default;
};

// The committed cursor covers the file: it may be shipped.
struct EligibleRecord {
  std::string path;

  bool operator==(const EligibleRecord&) const = default;
};

struct UploadedRecord {
  std::string path;
  std::string sink;
  std::string key;
  std::string etag;

  bool operator==(const UploadedRecord&) const = default;
};

// The file is gone; written after it is.
struct DeletedRecord {
  std::string path;

  bool operator==(const DeletedRecord&) const = default;
};

using CatalogRecord = std::variant<FinalizedRecord,
                                   CoverageRecord,
                                   RewoundRecord,
                                   EligibleRecord,
                                   UploadedRecord,
                                   DeletedRecord>;

// The body of the record's frame.
std::string EncodeCatalogRecord(const CatalogRecord& record);

// The inverse; kCorruption for any other bytes.
Result<CatalogRecord> DecodeCatalogRecord(std::string_view body);

}  // namespace tidemark::format
