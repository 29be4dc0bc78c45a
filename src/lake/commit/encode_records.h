#pragma once
// Records out of a WindowSource into one data object's bytes: encoded, compressed and hashed on the
// pool in one pass, handed on in chunks.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datafile/writer.h"
#include "lake/commit/commit_context.h"
#include "lake/commit/window_source.h"

namespace tidemark::lake {

// What a manifest tells about a set of records.
struct RecordFacts {
  std::int64_t records = 0;
  std::int64_t partitions = 0;
  std::optional<Micros> min_ts;
  std::optional<Micros> max_ts;

  // Adds the facts of records of other partitions.
  void Add(const RecordFacts& other);
};

// Counts records as they pass, in (partition, offset) order.
class FactCounter {
 public:
  void Count(const format::RecordView& record);

  const RecordFacts& facts() const { return facts_; }

 private:
  RecordFacts facts_;
  std::string partition_;
};

// A source read piece by piece: the records that come next and were not taken. Its source outlives
// it.
class RecordCursor {
 public:
  explicit RecordCursor(WindowSource& source) : source_(source) { source_.Rewind(); }

  // False at the end of the source. Afterwards next() has a record.
  io::Task<Result<bool>> Fill();

  const format::RecordView& next() const { return rest_.front(); }

  // How long the records' views live.
  datafile::ViewLifetime lifetime() const {
    return source_.stable() ? datafile::ViewLifetime::kObject : datafile::ViewLifetime::kCall;
  }

  // Takes the records at hand that are worth one trip to the pool; of next()'s partition only when
  // `one_partition`. At least one; valid until Fill.
  std::span<const format::RecordView> Take(bool one_partition);

 private:
  WindowSource& source_;
  std::span<const format::RecordView> rest_;
};

struct EncodedObject {
  datafile::ObjectStats stats;
  RecordFacts facts;
};

using ByteSink = std::function<io::Task<Status>(std::string bytes)>;

// Encodes from the cursor's next record, which exists, to the end of the source, or of the record's
// partition when `one_partition`. The first error of source, encoder or sink ends it. `on_memory`
// is told what the encoder holds, batch by batch; may be empty.
io::Task<Result<EncodedObject>> EncodeRecords(CommitContext& context,
                                              const format::Form& form,
                                              RecordCursor& cursor,
                                              bool one_partition,
                                              ByteSink sink,
                                              std::function<void(std::size_t)> on_memory);

}  // namespace tidemark::lake
