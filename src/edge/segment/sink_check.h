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

// Of the options only folders, data sets and form are read. `wal` is the epoch of the log that is
// there; nullopt: none. One sentence about what is there. kCorruption: damaged state;
// kPreconditionFailed: a schema may not change so.
Result<std::string> CheckSink(io::FileSystem& files,
                              const SinkOptions& options,
                              std::optional<Epoch> wal);

}  // namespace tidemark::edge
