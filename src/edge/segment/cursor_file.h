#pragma once
// A sink's cursor on disk: replaced as a whole, durable when Store returns.

#include <optional>

#include "base/result.h"
#include "edge/segment/durable_file.h"
#include "format/sink_cursor.h"

namespace tidemark::edge {

// nullopt: there is none. kCorruption: it is damaged; a file that is replaced at once cannot be
// torn.
Result<std::optional<format::SinkCursor>> LoadCursor(SinkFolder& folder);

Status StoreCursor(SinkFolder& folder, const format::SinkCursor& cursor);

}  // namespace tidemark::edge
