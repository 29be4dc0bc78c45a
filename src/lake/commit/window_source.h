#pragma once
// The records of one window, in the order of its objects: from the engine's buffer, or from the log
// lane by lane when they do not fit in memory. The commit does not know which.

#include <span>

#include "base/result.h"
#include "format/record.h"
#include "io/task.h"

namespace tidemark::lake {

class WindowSource {
 public:
  virtual ~WindowSource() = default;

  // Back to the first record: an upload that failed is built anew.
  virtual void Rewind() = 0;

  // The next records, ascending by (partition bytes, offset); empty at the end. The span lives
  // until the next call, and the records' views do too, unless the source is stable().
  virtual io::Task<Result<std::span<const format::RecordView>>> Next() = 0;

  // Views of its records live as long as the source.
  virtual bool stable() const { return false; }
};

}  // namespace tidemark::lake
