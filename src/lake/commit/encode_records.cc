#include "lake/commit/encode_records.h"

#include <algorithm>
#include <utility>

namespace tidemark::lake {

namespace {

// One trip to the pool costs some 20 us; a loop turn waits for none of them.
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kRecordOverheadBytes = 64;

Status AppendAll(std::span<const format::RecordView> batch,
                 datafile::ObjectWriter& writer,
                 FactCounter& counter) {
  for (const format::RecordView& record : batch) {
    TIDEMARK_TRY_VOID(writer.Append(record));
    counter.Count(record);
  }
  return {};
}

// Works on what was appended until a chunk is ready or nothing is left to do; true when there is.
Result<bool> WorkForAChunk(datafile::ObjectWriter& writer) {
  while (writer.pending_bytes() < kChunkBytes) {
    TIDEMARK_TRY(const bool more, writer.Advance());
    if (!more) return false;
  }
  return true;
}

struct Encoder {
  CommitContext& context;
  datafile::ObjectWriter& writer;
  const ByteSink& sink;
  const std::function<void(std::size_t)>& on_memory;

  // Runs `append` on the pool, then hands on all chunks that it makes.
  template <typename Append>
  io::Task<Status> Run(Append append) const {
    bool more = true;
    for (bool first = true; more; first = false) {
      const auto work = [&]() -> Result<bool> {
        if (first) TIDEMARK_TRY_VOID(append());
        return WorkForAChunk(writer);
      };
      TIDEMARK_CO_TRY(more, co_await io::RunOn(context.loop, context.pool, work));
      if (on_memory) on_memory(writer.memory_bytes());
      if (writer.pending_bytes() >= kChunkBytes) {
        TIDEMARK_CO_TRY_VOID(co_await sink(writer.TakeBytes()));
      }
    }
    co_return Status();
  }
};

}  // namespace

void RecordFacts::Add(const RecordFacts& other) {
  records += other.records;
  partitions += other.partitions;
  if (other.min_ts) min_ts = min_ts ? std::min(*min_ts, *other.min_ts) : other.min_ts;
  if (other.max_ts) max_ts = max_ts ? std::max(*max_ts, *other.max_ts) : other.max_ts;
}

void FactCounter::Count(const format::RecordView& record) {
  if (facts_.records == 0 || record.partition != partition_) {
    partition_ = record.partition;
    ++facts_.partitions;
  }
  ++facts_.records;
  facts_.min_ts = std::min(facts_.min_ts.value_or(record.ts), record.ts);
  facts_.max_ts = std::max(facts_.max_ts.value_or(record.ts), record.ts);
}

io::Task<Result<bool>> RecordCursor::Fill() {
  if (!rest_.empty()) co_return true;
  auto next = co_await source_.Next();
  if (!next.has_value()) {
    // Damage that a store cures at the next try stays what it is in a source: do not ask again.
    if (!IsRetriable(next.error()) && WorthRepeating(next.error()))
      next.error().code = ErrorCode::kInternal;
    co_return Annotate(std::move(next.error()), "records of the window");
  }
  rest_ = *next;
  co_return !rest_.empty();
}

std::span<const format::RecordView> RecordCursor::Take(bool one_partition) {
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < rest_.size() && bytes < kBatchBytes; ++count) {
    const format::RecordView& record = rest_[count];
    if (one_partition && record.partition != rest_.front().partition) break;
    bytes += kRecordOverheadBytes + record.payload.size();
  }
  const auto batch = rest_.first(count);
  rest_ = rest_.subspan(count);
  return batch;
}

io::Task<Result<EncodedObject>> EncodeRecords(CommitContext& context,
                                              const format::Form& form,
                                              RecordCursor& cursor,
                                              bool one_partition,
                                              ByteSink sink,
                                              std::function<void(std::size_t)> on_memory) {
  TIDEMARK_CO_TRY(const auto writer,
                  datafile::NewObjectWriter(form, context.options.queue, cursor.lifetime()));
  FactCounter counter;
  const Encoder encoder{context, *writer, sink, on_memory};
  const std::string partition(cursor.next().partition);
  while (true) {
    TIDEMARK_CO_TRY(const bool more, co_await cursor.Fill());
    if (!more || (one_partition && cursor.next().partition != partition)) break;
    const auto batch = cursor.Take(one_partition);
    const auto append = [&] { return AppendAll(batch, *writer, counter); };
    TIDEMARK_CO_TRY_VOID(co_await encoder.Run(append));
  }
  const auto end = [&] { return writer->EndRecords(); };
  TIDEMARK_CO_TRY_VOID(co_await encoder.Run(end));
  const auto finish = [&] { return writer->Finish(); };
  TIDEMARK_CO_TRY(const auto stats, co_await io::RunOn(context.loop, context.pool, finish));
  TIDEMARK_CO_TRY_VOID(co_await sink(writer->TakeBytes()));
  co_return EncodedObject{.stats = stats, .facts = counter.facts()};
}

}  // namespace tidemark::lake
