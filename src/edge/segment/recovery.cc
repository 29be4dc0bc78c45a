#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "edge/segment/ready_files.h"
#include "edge/segment/sink_books.h"
#include "format/segment_name.h"

// Sets a sink's books right after a stop or a crash anywhere:
//
//   1. staging/ goes: what was open comes again from the log.
//   2. The catalog is replayed.
//   3. For each data set and epoch, the committed coverage is the larger of the cursor's and the
//      last position of any file the catalog calls eligible, and never below what the log still
//      holds.
//   4. What the catalog or the disk has beyond it: a file of which the log does not hold every
//      position is adopted, with all before it, and coverage moves. The rest is rewound first and
//      then removed, so that its rows come again.
//   5. Files at or below coverage that the catalog lost are read and appended back; a gap becomes a
//      marker. A file that overlaps what the catalog has is set aside, never deleted.
//   6. Missing Eligible records are appended.
//   7. The cursor is committed, and rejects above the coverage of their data set are dropped.
//
// Each step may be cut short and done again.

namespace tidemark::edge {

namespace {

using format::CatalogRecord;
using format::CoverageReason;
using format::CoverageRecord;
using format::CoverageTile;

class Recovery {
 public:
  Recovery(SinkBooks& books, const WalExtent& wal, const SinkWorld& world)
      : books_(books), wal_(wal), world_(world) {}

  Status Run(const std::vector<std::string>& datasets, bool keeps_unmatched);

 private:
  // One data set in one epoch.
  struct Lane {
    std::string dataset;
    Epoch epoch;
    Position committed;
    std::vector<ReadyFile> files;  // on disk, in order
  };

  Status LoadBooks();
  Status RemoveStaging();
  Result<std::vector<Lane>> FindLanes();
  Position CommittedOf(const std::string& dataset, Epoch epoch) const;
  Status Settle(Lane& lane);
  void Adopt(Lane& lane) const;
  Status Rewind(const Lane& lane);
  Status TakeBack(Lane& lane, const ReadyFile& file);
  Status CoverTo(const Lane& lane, Position to, CoverageReason reason);
  Status MakeEligible(const Lane& lane);
  Status Commit(const std::vector<std::string>& datasets, bool keeps_unmatched);
  Status Join(const std::string& dataset, Position watermark);
  void TellRetired() const;
  void TellLostLog() const;

  Status Append(const CatalogRecord& record) { return books_.catalog->Append(record); }

  bool CanReadAgain(const Lane& lane, const format::PositionRange& range) const {
    return lane.epoch == wal_.epoch && wal_.Holds(range);
  }

  void Note(const std::string& sentence) const { world_.note(sentence); }

  SinkBooks& books_;
  const WalExtent& wal_;
  const SinkWorld& world_;
  std::optional<format::SinkCursor> stored_;
  std::map<std::string, Position, std::less<>> committed_;  // of the log's epoch
};

Status RemoveTree(io::FileSystem& files, const std::string& path) {
  std::vector<std::string> names;
  std::vector<std::string> folders;
  TIDEMARK_TRY_VOID(files.VisitFolder(path, [&](std::string_view name, bool is_folder) {
    (is_folder ? folders : names).push_back(path + "/" + std::string(name));
  }));
  for (const std::string& name : names) TIDEMARK_TRY_VOID(files.Remove(name));
  for (const std::string& folder : folders) TIDEMARK_TRY_VOID(RemoveTree(files, folder));
  return {};
}

Status Recovery::LoadBooks() {
  std::vector<std::string> notes;
  TIDEMARK_TRY(books_.catalog, CatalogLog::Open(books_.folder, notes));
  TIDEMARK_TRY(stored_, LoadCursor(books_.folder));
  for (const std::string& note : notes) Note(note);
  TellLostLog();
  return CheckEpoch(books_.folder, stored_, books_.catalog->state(), wal_.epoch);
}

// Once: the cursor is of the new epoch from the first start on.
void Recovery::TellLostLog() const {
  if (!stored_ || stored_->epoch >= wal_.epoch || stored_->Watermark() == Position()) return;
  Note(fmt::format(
      "{} is committed up to position {} of epoch {:016x}, and the write-ahead log is a "
      "new one of epoch {:016x}: the old one is gone, and what it took in behind that "
      "position is lost, if there was any",
      books_.folder.path,
      stored_->Watermark().value(),
      stored_->epoch.value(),
      wal_.epoch.value()));
}

Position Recovery::CommittedOf(const std::string& dataset, Epoch epoch) const {
  Position committed;
  if (stored_ && stored_->epoch == epoch) {
    const auto found = stored_->coverage.find(dataset);
    if (found != stored_->coverage.end()) committed = found->second;
  }
  for (const auto& [path, file] : books_.catalog->state().files()) {
    const auto& record = file.finalized;
    if (file.eligible && record.dataset == dataset && record.epoch == epoch) {
      committed = std::max(committed, record.range.last);
    }
  }
  if (epoch == wal_.epoch) committed = std::max(committed, wal_.first - 1);
  return committed;
}

Result<std::vector<Recovery::Lane>> Recovery::FindLanes() {
  std::map<std::pair<std::string, Epoch>, std::vector<ReadyFile>> found;
  std::vector<std::string> notes;
  TIDEMARK_TRY(auto files, ListReady(books_.folder, notes));
  for (const std::string& note : notes) Note(note);
  for (ReadyFile& file : files) {
    found[{file.dataset, file.name.epoch}].push_back(std::move(file));
  }
  for (const auto& record : books_.catalog->state().Snapshot()) {
    if (const auto* r = std::get_if<format::FinalizedRecord>(&record)) {
      found.try_emplace({r->dataset, r->epoch});
    } else if (const auto* c = std::get_if<CoverageRecord>(&record)) {
      found.try_emplace({c->dataset, c->epoch});
    }
  }
  std::vector<Lane> lanes;
  lanes.reserve(found.size());
  for (auto& [key, ready] : found) {
    lanes.push_back({.dataset = key.first,
                     .epoch = key.second,
                     .committed = CommittedOf(key.first, key.second),
                     .files = std::move(ready)});
  }
  return lanes;
}

// A file beyond coverage that cannot be read again holds for good, and all before it with it.
void Recovery::Adopt(Lane& lane) const {
  const auto& catalog = books_.catalog->state();
  Position to = lane.committed;
  for (const CoverageTile& tile : catalog.Tiles(lane.dataset, lane.epoch)) {
    if (tile.path.empty() || tile.range.last <= lane.committed) continue;
    const bool cut = tile.range.first <= lane.committed;
    if (cut || !CanReadAgain(lane, tile.range)) to = tile.range.last;
  }
  const Position covered = catalog.CoveredTo(lane.dataset, lane.epoch);
  for (const ReadyFile& file : lane.files) {
    const format::PositionRange& range = file.name.range;
    const bool follows = range.first > covered && range.last > lane.committed;
    if (follows && !CanReadAgain(lane, range)) to = std::max(to, range.last);
  }
  if (to == lane.committed) return;
  Note(fmt::format("data set {}: coverage moves from {} to {}, the write-ahead log has it not",
                   lane.dataset,
                   lane.committed.value(),
                   to.value()));
  lane.committed = to;
}

Status Recovery::Rewind(const Lane& lane) {
  if (books_.catalog->state().CoveredTo(lane.dataset, lane.epoch) <= lane.committed) return {};
  return Append(
      format::RewoundRecord{.epoch = lane.epoch, .dataset = lane.dataset, .to = lane.committed});
}

Status Recovery::CoverTo(const Lane& lane, Position to, CoverageReason reason) {
  const Position covered = books_.catalog->state().CoveredTo(lane.dataset, lane.epoch);
  if (covered >= to) return {};
  return Append(CoverageRecord{
      .epoch = lane.epoch, .dataset = lane.dataset, .range = {covered + 1, to}, .reason = reason});
}

Status Recovery::TakeBack(Lane& lane, const ReadyFile& file) {
  const format::PositionRange& range = file.name.range;
  const auto newest = books_.catalog->state().EpochOf(lane.dataset);
  const bool overlaps = range.first <= books_.catalog->state().CoveredTo(lane.dataset, lane.epoch);
  const bool past = newest && *newest > lane.epoch;
  if (overlaps || past) {
    Note(fmt::format("{} contradicts the catalog; set aside in strays/", file.path));
    return SetAside(books_.folder, file.path);
  }
  if (range.last > lane.committed && CanReadAgain(lane, range)) {
    Note(fmt::format("{} was never committed; removed, its rows come again", file.path));
    return RemoveReady(books_.folder, file.path);
  }
  auto record = DescribeReady(books_.folder, file);
  if (!record) {
    Note(fmt::format("{}; set aside in strays/", record.error().message));
    return SetAside(books_.folder, file.path);
  }
  // Its name may be in no folder yet that survives; the record must not promise more.
  const std::string folder = io::FolderOf(books_.folder.Sub("ready/" + file.path));
  TIDEMARK_TRY_VOID(books_.folder.folders.Ensure(folder));
  TIDEMARK_TRY_VOID(books_.folder.files.SyncFolder(folder));
  TIDEMARK_TRY_VOID(CoverTo(lane, range.first - 1, CoverageReason::kRecovered));
  Note(fmt::format("{} was lost to the catalog; appended back", file.path));
  lane.committed = std::max(lane.committed, range.last);
  return Append(*record);
}

Status Recovery::MakeEligible(const Lane& lane) {
  std::vector<std::string> paths;
  for (const auto& [path, file] : books_.catalog->state().files()) {
    const auto& record = file.finalized;
    const bool ours = record.dataset == lane.dataset && record.epoch == lane.epoch;
    if (ours && !file.eligible && record.range.last <= lane.committed) paths.push_back(path);
  }
  for (const std::string& path : paths) {
    TIDEMARK_TRY_VOID(Append(format::EligibleRecord{.path = path}));
  }
  return {};
}

Status Recovery::Settle(Lane& lane) {
  Adopt(lane);
  TIDEMARK_TRY_VOID(Rewind(lane));
  for (const ReadyFile& file : lane.files) {
    if (books_.catalog->state().files().contains(file.path)) continue;
    TIDEMARK_TRY_VOID(TakeBack(lane, file));
  }
  TIDEMARK_TRY_VOID(CoverTo(lane, lane.committed, CoverageReason::kRecovered));
  if (lane.epoch == wal_.epoch) committed_[lane.dataset] = lane.committed;
  return MakeEligible(lane);
}

// A data set that the cursor does not know starts at the watermark.
Status Recovery::Join(const std::string& dataset, Position watermark) {
  const bool known = stored_ && stored_->epoch == wal_.epoch && stored_->coverage.contains(dataset);
  const auto settled = committed_.find(dataset);
  Position covered = settled == committed_.end() ? wal_.first - 1 : settled->second;
  if (known) covered = std::max(covered, stored_->coverage.find(dataset)->second);
  if (!known && watermark > covered) {
    const Lane lane{.dataset = dataset, .epoch = wal_.epoch, .committed = watermark, .files = {}};
    TIDEMARK_TRY_VOID(CoverTo(lane, watermark, CoverageReason::kJoined));
    covered = watermark;
  }
  books_.cursor.coverage[dataset] = covered;
  return {};
}

// Of the lanes that the cursor knew and the sink has no more: what the log still holds is for
// nobody.
void Recovery::TellRetired() const {
  for (const auto& [dataset, stored] : stored_->coverage) {
    if (books_.cursor.coverage.contains(dataset)) continue;
    const auto settled = committed_.find(dataset);
    const Position covered =
        settled == committed_.end() ? stored : std::max(stored, settled->second);
    if (covered >= wal_.last) continue;
    Note(
        fmt::format("{}: {} is kept here no more: {} positions of the write-ahead log, {} to {}, "
                    "are not taken for it",
                    books_.folder.path,
                    dataset.empty() ? "what no data set takes" : "data set " + dataset,
                    wal_.last - covered,
                    covered.value() + 1,
                    wal_.last.value()));
  }
}

Status Recovery::Commit(const std::vector<std::string>& datasets, bool keeps_unmatched) {
  books_.cursor.epoch = wal_.epoch;
  const bool same_epoch = stored_ && stored_->epoch == wal_.epoch;
  const Position watermark = same_epoch ? stored_->Watermark() : Position();
  for (const std::string& dataset : datasets) TIDEMARK_TRY_VOID(Join(dataset, watermark));
  if (keeps_unmatched) {
    Position covered = wal_.first - 1;
    if (same_epoch) {
      const auto found = stored_->coverage.find(kUnmatchedLane);
      covered = std::max(covered, found == stored_->coverage.end() ? watermark : found->second);
    }
    books_.cursor.coverage[kUnmatchedLane] = covered;
  }
  if (same_epoch) TellRetired();
  std::vector<std::string> notes;
  const auto keeps = [this](const format::RejectRecord& reject) {
    const std::string folder = format::DatasetFolder(reject.dataset, reject.version);
    const auto covered = books_.cursor.coverage.find(folder);
    return reject.epoch != wal_.epoch || covered == books_.cursor.coverage.end() ||
           reject.position <= covered->second;
  };
  TIDEMARK_TRY(books_.rejects, RejectLog::Open(books_.folder, keeps, stored_, notes));
  for (const std::string& note : notes) Note(note);
  return StoreCursor(books_.folder, books_.cursor);
}

Status Recovery::Run(const std::vector<std::string>& datasets, bool keeps_unmatched) {
  TIDEMARK_TRY_VOID(RemoveTree(books_.folder.files, books_.folder.Sub("staging")));
  TIDEMARK_TRY_VOID(LoadBooks());
  TIDEMARK_TRY(auto lanes, FindLanes());
  for (Lane& lane : lanes) TIDEMARK_TRY_VOID(Settle(lane));
  TIDEMARK_TRY_VOID(DropMissing(books_, world_));
  return Commit(datasets, keeps_unmatched);
}

}  // namespace

Status CheckEpoch(const SinkFolder& folder,
                  const std::optional<format::SinkCursor>& cursor,
                  const format::CatalogState& catalog,
                  Epoch wal) {
  const Epoch known = std::max(cursor ? cursor->epoch : Epoch(), catalog.HighestEpoch());
  if (known <= wal) return {};
  return Fail(ErrorCode::kCorruption,
              fmt::format("{} knows epoch {:016x}, and the write-ahead log is of the earlier epoch "
                          "{:016x}: it does not belong to this sink",
                          folder.path,
                          known.value(),
                          wal.value()));
}

std::int64_t SinkBooks::ready_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [path, file] : catalog->state().files()) bytes += file.finalized.bytes;
  return bytes;
}

Status DropMissing(SinkBooks& books, const SinkWorld& world) {
  std::vector<std::string> gone;
  for (const auto& [path, file] : books.catalog->state().files()) {
    TIDEMARK_TRY(const auto size, books.folder.files.SizeOf(books.folder.Sub("ready/" + path)));
    if (!size) gone.push_back(path);
  }
  for (const std::string& path : gone) {
    world.note(fmt::format("{} is in the catalog and not on disk: somebody removed it", path));
    TIDEMARK_TRY_VOID(books.catalog->Append(format::DeletedRecord{.path = path}));
  }
  return {};
}

Status SinkBooks::CommitCursor(const std::string& dataset, Position through) {
  Position& covered = cursor.coverage[dataset];
  const Position before = covered;
  covered = std::max(covered, through);
  Status stored = StoreCursor(folder, cursor);
  if (!stored) covered = before;
  return stored;
}

Result<std::unique_ptr<SinkBooks>> RecoverSink(const std::string& path,
                                               const std::vector<std::string>& datasets,
                                               bool keeps_unmatched,
                                               const WalExtent& wal,
                                               const SinkWorld& world) {
  auto books = std::make_unique<SinkBooks>(world.files, path);
  TIDEMARK_TRY_VOID(books->folder.folders.Ensure(path));
  TIDEMARK_TRY_VOID(Recovery(*books, wal, world).Run(datasets, keeps_unmatched));
  return books;
}

}  // namespace tidemark::edge
