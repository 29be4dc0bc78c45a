#pragma once
// Looks at a sink's state as a start would read it, changing nothing; safe beside a running
// process.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/strong_int.h"
#include "edge/segment/sink_options.h"

namespace tidemark::edge {

// Of the options only folders, data sets and form are read.

// The schemas of the data sets against those that were kept. kPreconditionFailed: one may not
// change so; kCorruption: a kept one is damaged.
Status CheckSchemas(io::FileSystem& files, const SinkOptions& options);

// Everything else. `wal` is the epoch of the log that is there; nullopt: none. One sentence about
// what is there. kCorruption: damaged state.
Result<std::string> CheckSink(io::FileSystem& files,
                              const SinkOptions& options,
                              std::optional<Epoch> wal);

}  // namespace tidemark::edge
