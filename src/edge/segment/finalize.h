#pragma once
// Finalizes one segment: finalize.cc is the numbered protocol.

#include <string>

#include "base/result.h"
#include "edge/segment/open_segment.h"
#include "edge/segment/sink_books.h"
#include "format/segment_footer.h"
#include "format/segment_name.h"
#include "io/failpoints.h"

namespace tidemark::edge {

struct FinalizePlan {
  std::string dataset;       // the data set's folder
  format::SegmentName name;  // node, epoch, and the positions that the file covers
  format::SegmentFooter footer;
  Position read_through;  // the last position of which every reject is known
  bool keeps_unmatched = false;
  io::Failpoint crash_at = io::Failpoint::kNever;
};

// Makes the segment a file in ready/ that is committed and may be shipped; the data set is covered
// up to the plan's last position. On an error the sink must not go on: a restart recovers.
Result<format::FinalizedRecord> FinalizeSegment(OpenSegment& segment,
                                                const FinalizePlan& plan,
                                                SinkBooks& books);

// The same for positions that gave no row: a marker in the place of a file.
Status CoverWithoutRows(const std::string& dataset,
                        const format::PositionRange& range,
                        Position read_through,
                        bool keeps_unmatched,
                        SinkBooks& books);

}  // namespace tidemark::edge
