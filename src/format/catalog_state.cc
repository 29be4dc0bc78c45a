#include "format/catalog_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace tidemark::format {

namespace {

std::unexpected<Error> Refuse(std::string why) {
  return Fail(ErrorCode::kPreconditionFailed, std::move(why));
}

std::string Words(const PositionRange& range) {
  return fmt::format("{}-{}", range.first.value(), range.last.value());
}

void Append(std::vector<CoverageTile>& tiles, CoverageTile tile) {
  const bool merges = !tiles.empty() && tile.path.empty() && tiles.back().path.empty() &&
                      tiles.back().reason == tile.reason;
  if (merges) {
    tiles.back().range.last = tile.range.last;
  } else {
    tiles.push_back(std::move(tile));
  }
}

}  // namespace

class CatalogState::Check {
 public:
  explicit Check(const CatalogState& state) : state_(state) {}

  Status operator()(const FinalizedRecord& r) const {
    if (r.path.empty()) return Refuse("a file without a path is finalized");
    if (state_.files_.contains(r.path)) return Refuse(fmt::format("{} is finalized twice", r.path));
    if (r.rows < 1) return Refuse(fmt::format("{} has {} rows", r.path, r.rows));
    return Follows(r.dataset, r.epoch, r.range);
  }

  Status operator()(const CoverageRecord& r) const { return Follows(r.dataset, r.epoch, r.range); }

  Status operator()(const RewoundRecord& r) const {
    const TileList* tiles = state_.Find(r.dataset, r.epoch);
    if (tiles == nullptr || r.to >= tiles->back().range.last) {
      return Refuse(fmt::format(
          "data set {} is rewound to {}, and is not beyond it", r.dataset, r.to.value()));
    }
    for (const CoverageTile& tile : *tiles) {
      const bool cut = tile.range.first <= r.to && tile.range.last > r.to;
      if (cut && !tile.path.empty()) {
        return Refuse(fmt::format("data set {} is rewound to {}, in the middle of {}",
                                  r.dataset,
                                  r.to.value(),
                                  tile.path));
      }
    }
    return {};
  }

  Status operator()(const EligibleRecord& r) const {
    const CatalogFile* file = FileOf(r.path);
    if (file == nullptr) return Refuse(fmt::format("{} is eligible, and not finalized", r.path));
    if (file->eligible) return Refuse(fmt::format("{} is eligible twice", r.path));
    return {};
  }

  Status operator()(const UploadedRecord& r) const {
    const CatalogFile* file = FileOf(r.path);
    if (file == nullptr || !file->eligible) {
      return Refuse(fmt::format("{} is uploaded, and not eligible", r.path));
    }
    const bool twice = std::ranges::any_of(
        file->uploads, [&](const UploadedRecord& other) { return other.sink == r.sink; });
    if (twice) return Refuse(fmt::format("{} is uploaded by {} twice", r.path, r.sink));
    return {};
  }

  Status operator()(const DeletedRecord& r) const {
    const CatalogFile* file = FileOf(r.path);
    if (file == nullptr || !file->eligible) {
      return Refuse(fmt::format("{} is deleted, and not eligible", r.path));
    }
    return {};
  }

 private:
  const CatalogFile* FileOf(const std::string& path) const {
    const auto found = state_.files_.find(path);
    return found == state_.files_.end() ? nullptr : &found->second;
  }

  Status Follows(const std::string& dataset, Epoch epoch, const PositionRange& range) const {
    // Behind the last position there is one more.
    const bool ends = range.last < Position(INT64_MAX);
    if (range.first < Position(1) || range.last < range.first || !ends) {
      return Refuse(fmt::format("data set {}: {} is no range", dataset, Words(range)));
    }
    const auto current = state_.EpochOf(dataset);
    if (current && epoch < *current) {
      return Refuse(fmt::format("data set {}: epoch {:016x} after epoch {:016x}",
                                dataset,
                                epoch.value(),
                                current->value()));
    }
    const TileList* tiles = state_.Find(dataset, epoch);
    if (tiles != nullptr && range.first != tiles->back().range.last + 1) {
      return Refuse(fmt::format("data set {}: {} does not follow {}",
                                dataset,
                                Words(range),
                                tiles->back().range.last.value()));
    }
    return {};
  }

  const CatalogState& state_;
};

class CatalogState::Change {
 public:
  explicit Change(CatalogState& state) : state_(state) {}

  void operator()(const FinalizedRecord& r) const {
    state_.files_.emplace(r.path, CatalogFile{.finalized = r, .eligible = false, .uploads = {}});
    Append(state_.lanes_[r.dataset][r.epoch],
           {.range = r.range, .path = r.path, .reason = CoverageReason::kEmpty});
  }

  void operator()(const CoverageRecord& r) const {
    Append(state_.lanes_[r.dataset][r.epoch], {.range = r.range, .path = {}, .reason = r.reason});
  }

  void operator()(const RewoundRecord& r) const {
    Epochs& epochs = state_.lanes_[r.dataset];
    TileList& tiles = epochs[r.epoch];
    while (!tiles.empty() && tiles.back().range.first > r.to) {
      state_.files_.erase(tiles.back().path);
      tiles.pop_back();
    }
    if (!tiles.empty()) tiles.back().range.last = r.to;
    if (tiles.empty()) epochs.erase(r.epoch);
    if (epochs.empty()) state_.lanes_.erase(r.dataset);
  }

  void operator()(const EligibleRecord& r) const { state_.files_.at(r.path).eligible = true; }

  void operator()(const UploadedRecord& r) const { state_.files_.at(r.path).uploads.push_back(r); }

  void operator()(const DeletedRecord& r) const {
    const FinalizedRecord gone = state_.files_.at(r.path).finalized;
    state_.files_.erase(r.path);
    TileList& tiles = state_.lanes_.at(gone.dataset).at(gone.epoch);
    TileList merged;
    for (CoverageTile& tile : tiles) {
      if (tile.path == r.path) {
        tile.path.clear();
        tile.reason = CoverageReason::kDeleted;
      }
      Append(merged, std::move(tile));
    }
    tiles = std::move(merged);
  }

 private:
  CatalogState& state_;
};

Status CatalogState::CanApply(const CatalogRecord& record) const {
  return std::visit(Check(*this), record);
}

Status CatalogState::Apply(const CatalogRecord& record) {
  TIDEMARK_TRY_VOID(CanApply(record));
  std::visit(Change(*this), record);
  return {};
}

const CatalogState::TileList* CatalogState::Find(std::string_view dataset, Epoch epoch) const {
  const auto lane = lanes_.find(dataset);
  if (lane == lanes_.end()) return nullptr;
  const auto tiles = lane->second.find(epoch);
  return tiles == lane->second.end() ? nullptr : &tiles->second;
}

const std::vector<CoverageTile>& CatalogState::Tiles(std::string_view dataset, Epoch epoch) const {
  static const TileList kNone;
  const TileList* tiles = Find(dataset, epoch);
  return tiles == nullptr ? kNone : *tiles;
}

std::optional<Epoch> CatalogState::EpochOf(std::string_view dataset) const {
  const auto lane = lanes_.find(dataset);
  if (lane == lanes_.end()) return std::nullopt;
  return lane->second.rbegin()->first;
}

Position CatalogState::CoveredTo(std::string_view dataset, Epoch epoch) const {
  const TileList* tiles = Find(dataset, epoch);
  return tiles == nullptr ? Position(0) : tiles->back().range.last;
}

Epoch CatalogState::HighestEpoch() const {
  Epoch highest;
  for (const auto& [dataset, epochs] : lanes_) {
    highest = std::max(highest, epochs.rbegin()->first);
  }
  return highest;
}

std::vector<CatalogRecord> CatalogState::Snapshot() const {
  std::vector<CatalogRecord> records;
  for (const auto& [dataset, epochs] : lanes_) {
    for (const auto& [epoch, tiles] : epochs) {
      const bool past = epoch != epochs.rbegin()->first;
      const bool has_file =
          std::ranges::any_of(tiles, [](const auto& t) { return !t.path.empty(); });
      if (past && !has_file) continue;
      for (const CoverageTile& tile : tiles) {
        if (tile.path.empty()) {
          records.emplace_back(CoverageRecord{
              .epoch = epoch, .dataset = dataset, .range = tile.range, .reason = tile.reason});
          continue;
        }
        const CatalogFile& file = files_.at(tile.path);
        records.emplace_back(file.finalized);
        if (file.eligible) records.emplace_back(EligibleRecord{.path = tile.path});
        records.insert(records.end(), file.uploads.begin(), file.uploads.end());
      }
    }
  }
  return records;
}

std::size_t CatalogState::LiveRecords() const {
  std::size_t live = 0;
  for (const auto& [dataset, epochs] : lanes_) {
    for (const auto& [epoch, tiles] : epochs) live += tiles.size();
  }
  for (const auto& [path, file] : files_) live += (file.eligible ? 1 : 0) + file.uploads.size();
  return live;
}

}  // namespace tidemark::format
