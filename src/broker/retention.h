#pragma once
// Until when a queue's segments may be deleted (queen-interface 14.3). Pure.

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "broker/queue_options.h"

namespace tidemark::broker {

// Segments stamped below this may go; kMinusInfinity: none. The sink hold keeps the log from 60 s
// before the sink's committed tEnd on, but nothing older than its cap; `committed` absent (no
// pointer, or an unreadable one): the cap alone. The max-wait eviction ignores the hold.
Micros RetentionCutoff(const QueueOptions& options, Micros now, std::optional<Micros> committed);

// `tEnd` of a sink's committed document, if it is an ISO time with Z; queen-s3 1.5.0 writes an
// integer, which does not count (queen-interface 3, "tEnd trap").
std::optional<Micros> CommittedEnd(std::string_view document);

}  // namespace tidemark::broker
