#pragma once
// A pipeline's state as metrics (obs/metrics.h, the edge wing; docs/operations.md).

#include "edge/pipeline_status.h"
#include "obs/metrics.h"

namespace tidemark::edge {

// Sets every family but the histogram, which grows as groups are written.
void ReportStatus(const PipelineStatus& status, bool healthy, obs::Metrics& metrics);

}  // namespace tidemark::edge
