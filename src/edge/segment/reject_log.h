#pragma once
// Where a sink keeps what its data sets did not take, until quarantine segments are built from it:
// quarantine/rejects.log (docs/formats/rejects.md). Each reject ends in exactly one place, whatever
// crashes: those above the committed coverage of their data set are decided again from the WAL.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/dataset/reject.h"
#include "edge/segment/durable_file.h"
#include "format/reject_record.h"
#include "format/sink_cursor.h"
#include "format/wal_record.h"

namespace tidemark::edge {

// The data set that did not take a record; an empty id: none takes it.
struct RejectedBy {
  std::string_view dataset = "";
  int version = 1;
};

format::RejectRecord RejectOf(const format::WalRecord& record,
                              Epoch epoch,
                              const RejectedBy& by,
                              Reject reject);

// One thread. `sink` outlives it.
class RejectLog {
 public:
  // Whether a reject stands for good.
  using Keeps = std::function<bool(const format::RejectRecord& reject)>;

  // Goes on with the log of the folder, or begins one: cuts what follows the last mark. When there
  // is a reject that `keeps` does not, the log is written anew without those. kCorruption, and
  // nothing is changed: what cannot be read is no torn end, since a mark behind it was durable: one
  // that another follows, or that `cursor`, the stored one, is beyond. Memory: one reject, however
  // long the log is.
  static Result<std::unique_ptr<RejectLog>> Open(SinkFolder& sink,
                                                 const Keeps& keeps,
                                                 const std::optional<format::SinkCursor>& cursor,
                                                 std::vector<std::string>& notes);

  // Reads the log of the folder as Open would, changing nothing. kCorruption: damaged.
  static Status Check(SinkFolder& sink, const std::optional<format::SinkCursor>& cursor);

  // Held in memory, about kPendingBytesMax at most, else written; durable after Commit.
  Status Add(const format::RejectRecord& reject);

  // Everything added is durable when it returns, with a mark that nothing at or below `through` is
  // missing. Writes nothing when nothing was added.
  Status Commit(Epoch epoch, Position through);

  // Begins a new log when somebody moved this one away. Not while something is added that is not
  // committed.
  Status NoticeMoved();

  std::int64_t bytes() const;

 private:
  explicit RejectLog(SinkFolder& sink) : folder_(sink.files, sink.Sub("quarantine")) {}

  // What stands in the log of the folder.
  struct Survey {
    std::int64_t vouched = 0;  // where the batch before the last mark begins
    std::int64_t marked = 0;   // where the last mark ends; all behind it goes
    std::int64_t size = 0;
    std::int64_t dropped = 0;  // rejects before the last mark that do not stand
  };

  Result<std::optional<Survey>> Read(const Keeps& keeps,
                                     const std::optional<format::SinkCursor>& cursor);
  Status Rewrite(const Keeps& keeps, std::int64_t marked);
  Status WritePending();

  SinkFolder folder_;
  std::optional<DurableLog> log_;
  std::string pending_;
  bool dirty_ = false;  // something was added since the last mark
};

}  // namespace tidemark::edge
