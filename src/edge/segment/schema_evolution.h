#pragma once
// How a data set's schema may change from one run to the next: as Iceberg lets tables change, so
// that old and new files read as one table (docs/pipeline.md, "Evolution"). CheckEvolution is pure.

#include <string>

#include "base/result.h"
#include "edge/segment/durable_file.h"
#include "format/segment_schema.h"

namespace tidemark::edge {

// kPreconditionFailed names each change that is not allowed by its reason, shows both declarations
// and the way out, a new version of the data set.
Status CheckEvolution(const format::SegmentSchema& last, const format::SegmentSchema& declared);

// Checks the schema against the one kept in `<folder>/<name>.json`, if there is one; changes
// nothing. kCorruption: the kept one is damaged.
Status CheckKeptSchema(SinkFolder& folder,
                       const std::string& name,
                       const format::SegmentSchema& declared);

// Checks the schema against the one kept in `<folder>/<name>.json`, if there is one, and keeps it
// from then on. kCorruption: the kept one is damaged.
Status KeepSchema(SinkFolder& folder,
                  const std::string& name,
                  const format::SegmentSchema& declared);

// Puts the schema beside the segments of the data set with that folder, for whoever reads them:
// ready/_tidemark/<folder>/schema-<fingerprint>.json.
Status PublishSchema(SinkFolder& sink,
                     const std::string& folder,
                     const format::SegmentSchema& schema);

}  // namespace tidemark::edge
