#include "broker/log_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace tidemark::broker {

LogWriter::LogWriter(Database db,
                     const StoreMeta& meta,
                     Catalog& catalog,
                     StampClock& stamps,
                     io::Random& random,
                     std::size_t dedup_capacity)
    : db_(std::move(db)),
      catalog_(catalog),
      stamps_(stamps),
      random_(random),
      dedup_key_(meta.dedup_key),
      dedup_(dedup_capacity),
      insert_queue_(db_.Prepare("INSERT INTO queues(name, options) VALUES(?1, ?2) "
                                "ON CONFLICT(name) DO UPDATE SET options = ?2 RETURNING id")),
      insert_partition_(
          db_.Prepare("INSERT INTO partitions(queue_id, name, log_start, next_offset, "
                      "last_write_at) VALUES(?1, ?2, 0, 0, 0)")),
      update_partition_(db_.Prepare("UPDATE partitions SET log_start = ?2, next_offset = ?3, "
                                    "last_write_at = ?4 WHERE id = ?1")),
      insert_segment_(
          db_.Prepare("INSERT INTO segments(partition_id, base_offset, record_count, ts, "
                      "payload_bytes, marks, data) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")),
      update_floor_(db_.Prepare("UPDATE meta SET value = ?1 WHERE name = 'floor'")),
      select_oldest_(db_.Prepare("SELECT id, base_offset + record_count, ts FROM segments "
                                 "WHERE partition_id = ?1 ORDER BY base_offset LIMIT ?2")),
      delete_segment_(db_.Prepare("DELETE FROM segments WHERE id = ?1")),
      floor_(meta.floor) {}

Result<std::unique_ptr<LogWriter>> LogWriter::Open(Database db,
                                                   const StoreMeta& meta,
                                                   Catalog& catalog,
                                                   StampClock& stamps,
                                                   io::Random& random,
                                                   std::size_t dedup_capacity) {
  std::unique_ptr<LogWriter> writer(
      new LogWriter(std::move(db), meta, catalog, stamps, random, dedup_capacity));
  TIDEMARK_TRY_VOID(writer->FillDedupWindow());
  return writer;
}

// The ids stand in the segments' marks, ahead of the records, so this reads a twentieth of the
// log's tail.
Status LogWriter::FillDedupWindow() {
  Statement newest = db_.Prepare("SELECT id, record_count FROM segments ORDER BY id DESC");
  std::int64_t first = INT64_MAX;
  auto missing = static_cast<std::int64_t>(dedup_.capacity());
  while (missing > 0) {
    TIDEMARK_TRY(const bool row, newest.Step());
    if (!row) break;
    first = newest.Int(0);
    missing -= newest.Int(1);
  }
  Statement marks = db_.Prepare("SELECT ts, marks FROM segments WHERE id >= ?1 ORDER BY id");
  marks.With(first);
  while (true) {
    TIDEMARK_TRY(const bool row, marks.Step());
    if (!row) return {};
    const Micros stamp(marks.Int(0));
    for (const Hash128& id : IdsOf(marks.Blob(1))) dedup_.Add(id, stamp);
  }
}

Status LogWriter::Begin() { return db_.Execute("BEGIN IMMEDIATE"); }

Result<std::vector<PushOutcome>> LogWriter::Append(const PushRequest& request) {
  std::vector<PushOutcome> outcomes(request.items().size());
  const Micros stamp = stamps_.Stamp();
  for (const PushLane& lane : request.lanes()) {
    TIDEMARK_TRY_VOID(AppendLane(request, lane, stamp, outcomes));
  }
  return outcomes;
}

Status LogWriter::AppendLane(const PushRequest& request,
                             const PushLane& lane,
                             Micros stamp,
                             std::vector<PushOutcome>& outcomes) {
  TIDEMARK_TRY(const StagedQueue queue, OpenQueue(lane.queue));
  TIDEMARK_TRY(StagedPartition * staged, OpenPartition(lane.queue, lane.partition));
  const auto partition_id = static_cast<std::uint64_t>(staged->partition.id.value());
  std::optional<SegmentBuilder> segment;
  for (const std::size_t index : lane.items) {
    const PushItem& item = request.items()[index];
    PushOutcome& outcome = outcomes[index];
    std::string minted;
    std::string_view transaction_id = item.transaction_id;
    if (transaction_id.empty()) {
      outcome.message_id = {.low = random_.Next(), .high = random_.Next()};
      minted = MessageIdText(outcome.message_id);
      transaction_id = minted;
    }
    const Hash128 id = SipHash(dedup_key_, partition_id, transaction_id);
    // Derived, so that a duplicate is answered with the id of the message it repeats.
    if (minted.empty()) outcome.message_id = id;
    outcome.duplicate = IsDuplicate(id, stamp, queue.options.dedup_window_seconds);
    if (outcome.duplicate) continue;
    ids_.emplace_back(id, stamp);
    id_set_.insert(id);
    if (!segment) segment.emplace(staged->partition.state.next, stamp);
    segment->Add(transaction_id, item.payload, id);
    if (segment->full()) {
      TIDEMARK_TRY_VOID(InsertSegment(*staged, *segment, stamp));
      segment.reset();
    }
  }
  if (!segment) return {};
  return InsertSegment(*staged, *segment, stamp);
}

bool LogWriter::IsDuplicate(const Hash128& id, Micros stamp, std::int64_t window_seconds) const {
  if (window_seconds == 0) return false;
  return id_set_.contains(id) || dedup_.LastSeen(id) > stamp - window_seconds * kMicrosPerSecond;
}

Status LogWriter::InsertSegment(StagedPartition& staged,
                                const SegmentBuilder& segment,
                                Micros stamp) {
  PartitionState& state = staged.partition.state;
  TIDEMARK_TRY_VOID(insert_segment_
                        .With(staged.partition.id.value(),
                              segment.base().value(),
                              segment.count(),
                              stamp.value(),
                              segment.payload_bytes(),
                              AsBlob{segment.marks()},
                              AsBlob{segment.text()})
                        .Run());
  staged.grew = true;
  state.next = state.next + segment.count();
  state.payload_total += segment.payload_bytes();
  const bool first_write = state.last_write_at == kMinusInfinity;
  state.last_write_at =
      first_write ? stamp : std::max(state.last_write_at, FloorTo(stamp, kMicrosPerSecond));
  return {};
}

Result<LogWriter::StagedQueue> LogWriter::OpenQueue(std::string_view name) {
  if (const auto staged = queues_.find(name); staged != queues_.end()) return staged->second;
  if (const auto* const queue = catalog_.FindQueue(name)) {
    return StagedQueue{queue->id, queue->options};
  }
  TIDEMARK_TRY_VOID(Configure(std::string(name), QueueOptions()));
  return queues_.find(name)->second;
}

Status LogWriter::Configure(const std::string& queue, const QueueOptions& options) {
  const std::string text = RenderQueueOptions(options);
  TIDEMARK_TRY(const bool row,
               insert_queue_.With(std::string_view(queue), std::string_view(text)).Step());
  TIDEMARK_CHECK(row, "no id for queue \"{}\"", queue);
  queues_[queue] = {.id = QueueId(insert_queue_.Int(0)), .options = options};
  insert_queue_.Reset();
  return {};
}

Result<LogWriter::StagedPartition*> LogWriter::OpenPartition(std::string_view queue,
                                                             std::string_view name) {
  std::pair key{std::string(queue), std::string(name)};
  if (const auto staged = partitions_.find(key); staged != partitions_.end()) {
    return &staged->second;
  }
  Partition partition;
  if (const Partition* const known = catalog_.Find(queue, name)) {
    partition = *known;
  } else {
    TIDEMARK_TRY(const StagedQueue owner, OpenQueue(queue));
    TIDEMARK_TRY_VOID(insert_partition_.With(owner.id.value(), name).Run());
    partition = {.id = PartitionId(db_.last_insert_id()),
                 .queue = key.first,
                 .name = key.second,
                 .state = {}};
  }
  return &partitions_.emplace(std::move(key), StagedPartition{std::move(partition)}).first->second;
}

Status LogWriter::DeleteQueue(const std::string& queue) {
  const auto* const known = catalog_.FindQueue(queue);
  if (known == nullptr) {
    return Fail(ErrorCode::kNotFound, fmt::format("no queue \"{}\"", queue));
  }
  const std::int64_t id = known->id.value();
  TIDEMARK_TRY_VOID(db_.Prepare("INSERT INTO dead_partitions(id) SELECT id FROM partitions "
                                "WHERE queue_id = ?1")
                        .With(id)
                        .Run());
  TIDEMARK_TRY_VOID(db_.Prepare("DELETE FROM partitions WHERE queue_id = ?1").With(id).Run());
  TIDEMARK_TRY_VOID(db_.Prepare("DELETE FROM queues WHERE id = ?1").With(id).Run());
  removed_queue_ = queue;
  return {};
}

Result<std::size_t> LogWriter::Expire(const PartitionRef& ref, Micros cutoff, std::size_t limit) {
  const Partition* const known = catalog_.Find(ref.queue, ref.partition);
  if (known == nullptr) return 0;
  std::vector<std::int64_t> expired;
  Offset log_start;
  select_oldest_.With(known->id.value(), static_cast<std::int64_t>(limit));
  while (true) {
    TIDEMARK_TRY(const bool row, select_oldest_.Step());
    if (!row || Micros(select_oldest_.Int(2)) >= cutoff) break;
    expired.push_back(select_oldest_.Int(0));
    log_start = Offset(select_oldest_.Int(1));
  }
  select_oldest_.Reset();
  if (expired.empty()) return 0;
  for (const std::int64_t id : expired) TIDEMARK_TRY_VOID(delete_segment_.With(id).Run());
  TIDEMARK_TRY(StagedPartition * staged, OpenPartition(ref.queue, ref.partition));
  staged->partition.state.log_start = log_start;
  return expired.size();
}

Result<std::size_t> LogWriter::SweepDead(std::size_t limit) {
  Statement sweep = db_.Prepare(
      "DELETE FROM segments WHERE id IN (SELECT s.id FROM dead_partitions d "
      "JOIN segments s ON s.partition_id = d.id LIMIT ?1)");
  TIDEMARK_TRY_VOID(sweep.With(static_cast<std::int64_t>(limit)).Run());
  const auto swept = static_cast<std::size_t>(db_.changes());
  if (swept < limit) TIDEMARK_TRY_VOID(db_.Execute("DELETE FROM dead_partitions"));
  return swept;
}

Status LogWriter::Commit() {
  for (const auto& [key, staged] : partitions_) {
    const PartitionState& state = staged.partition.state;
    TIDEMARK_TRY_VOID(update_partition_
                          .With(staged.partition.id.value(),
                                state.log_start.value(),
                                state.next.value(),
                                state.last_write_at.value())
                          .Run());
  }
  const Micros floor = stamps_.WantedFloor(reserve_);
  if (floor != floor_) TIDEMARK_TRY_VOID(WriteFloor(floor));
  const Status committed = db_.Execute("COMMIT");
  // Of a full disk it is known that nothing was committed. After any other failure the next start
  // may find the transaction in the log, below safe times answered meanwhile: only stopping now
  // keeps them true.
  TIDEMARK_CHECK(committed || committed.error().code == ErrorCode::kExhausted,
                 "{}",
                 committed.error().message);
  if (committed) floor_ = floor;
  return committed;
}

std::vector<LaneNews> LogWriter::Publish() {
  std::vector<LaneNews> news;
  {
    Catalog::Update update(catalog_);
    if (!removed_queue_.empty()) update.RemoveQueue(removed_queue_);
    for (const auto& [name, queue] : queues_) update.PutQueue(name, queue.id, queue.options);
    for (const auto& [key, staged] : partitions_) {
      update.PutPartition(staged.partition);
      if (staged.grew)
        news.push_back({key.first, key.second, staged.partition.state.payload_total});
    }
  }
  for (const auto& [id, stamp] : ids_) dedup_.Add(id, stamp);
  // Only now, with the records visible, may safe times pass their stamps.
  stamps_.Published(floor_);
  Forget();
  return news;
}

void LogWriter::Abandon() {
  if (db_.in_transaction()) IgnoreError(db_.Execute("ROLLBACK"), "the next BEGIN reports it");
  stamps_.Published(std::nullopt);
  Forget();
}

void LogWriter::Forget() {
  queues_.clear();
  partitions_.clear();
  ids_.clear();
  id_set_.clear();
  removed_queue_.clear();
  reserve_ = false;
}

Status LogWriter::WriteFloor(Micros floor) { return update_floor_.With(floor.value()).Run(); }

Status LogWriter::WriteFinalFloor() {
  floor_ = stamps_.Close();
  return WriteFloor(floor_);
}

}  // namespace tidemark::broker
