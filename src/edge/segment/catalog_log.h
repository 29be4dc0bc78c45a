#pragma once
// A sink's catalog on disk: format::CatalogState behind an append-only log (segments contract:
// "Segment catalog"; docs/formats/catalog.md).

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/segment/durable_file.h"
#include "format/catalog_state.h"

namespace tidemark::edge {

// What catalog.log says, up to its last whole frame; changes nothing. What follows gets a sentence
// in `notes`. Empty without a log. kCorruption: a whole frame holds what breaks the catalog's
// rules.
Result<format::CatalogState> ReadCatalog(SinkFolder& folder, std::vector<std::string>& notes);

// One thread. `folder` outlives it.
class CatalogLog {
 public:
  // Replays catalog.log, or begins one; what follows the last whole frame is cut. Notes and errors
  // as ReadCatalog.
  static Result<std::unique_ptr<CatalogLog>> Open(SinkFolder& folder,
                                                  std::vector<std::string>& notes);

  // Applies the record; durable when it returns. The log is written anew when most of it is dead.
  Status Append(const format::CatalogRecord& record);

  const format::CatalogState& state() const { return state_; }

 private:
  explicit CatalogLog(SinkFolder& folder) : folder_(folder) {}

  // Writes the log anew from the state alone.
  Status Rewrite();

  SinkFolder& folder_;
  format::CatalogState state_;
  std::optional<DurableLog> log_;
  std::size_t records_ = 0;  // in the log
};

}  // namespace tidemark::edge
