#pragma once
// A report for programs. Pure.

#include <string>

#include "verify/report.h"

namespace tidemark::verify {

// One JSON object, indented, with a final line break:
//   {"verdict": "complete" | "holes" | "damaged",
//    "queues": [{"queue", "windows", "firstWindow", "lastWindow", "tStart", "tEnd", "align",
//                "objects", "records", "bytes", "partitions", "partitionsRecreated", "checkpoints",
//                "minTs", "maxTs", "lostOffsets", "lost": [{"k", "partition", "from", "to"}],
//                "pending": {"k", "tStart", "tEnd", "objects", "bytes"}, "committedMeanwhile"}],
//    "findings": [{"kind", "queue", "k", "key", "message"}], "findingsTotal": n}
// Times are microseconds, as in manifests. Members that are not known are left out.
std::string RenderJson(const Report& report);

}  // namespace tidemark::verify
