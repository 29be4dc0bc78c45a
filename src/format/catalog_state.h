#pragma once
// What a sink's catalog knows, as a value that changes by records only. The rule it keeps: files
// and coverage markers of a data set tile the positions of an epoch, without gap or overlap. Pure;
// the durable log around it is edge/segment/catalog_log.h.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/catalog_record.h"

namespace tidemark::format {

struct CatalogFile {
  FinalizedRecord finalized;
  bool eligible = false;
  std::vector<UploadedRecord> uploads;  // at most one a sink

  bool operator==(const CatalogFile&) const = default;
};

// A stretch of positions of one data set: a file's, when `path` names one, else without a file.
struct CoverageTile {
  PositionRange range;
  std::string path;
  CoverageReason reason = CoverageReason::kEmpty;  // without a file only

  bool operator==(const CoverageTile&) const = default;
};

class CatalogState {
 public:
  // kPreconditionFailed says which rule the record breaks. An applicable record always applies.
  Status CanApply(const CatalogRecord& record) const;

  // Checks and changes; on an error nothing changed.
  Status Apply(const CatalogRecord& record);

  // By path.
  const std::map<std::string, CatalogFile>& files() const { return files_; }

  // In ascending order, without gaps; empty for a data set or an epoch that is not known.
  const std::vector<CoverageTile>& Tiles(std::string_view dataset, Epoch epoch) const;

  // The highest epoch in which the data set has a tile; nullopt: none.
  std::optional<Epoch> EpochOf(std::string_view dataset) const;

  // The last covered position; 0 when there is none.
  Position CoveredTo(std::string_view dataset, Epoch epoch) const;

  // The highest epoch of any record; 0: none.
  Epoch HighestEpoch() const;

  // Records that make this state out of an empty one, in an order that applies. Tiles of past
  // epochs without files are left out.
  std::vector<CatalogRecord> Snapshot() const;

  // Records a log needed for this state: how much of a longer log is dead.
  std::size_t LiveRecords() const;

  bool operator==(const CatalogState&) const = default;

 private:
  class Check;
  class Change;
  using TileList = std::vector<CoverageTile>;
  using Epochs = std::map<Epoch, TileList>;

  const TileList* Find(std::string_view dataset, Epoch epoch) const;

  std::map<std::string, CatalogFile> files_;
  std::map<std::string, Epochs, std::less<>> lanes_;
};

}  // namespace tidemark::format
