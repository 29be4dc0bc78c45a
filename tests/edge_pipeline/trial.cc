#include "tests/edge_pipeline/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tidemark::test {

namespace {

constexpr int kLives = 5;

// What recovery tells when something is gone that was durable once.
constexpr const char* kForbidden[] = {"was lost to the catalog",
                                      "contradicts the catalog",
                                      "set aside in strays",
                                      "somebody removed it",
                                      "the write-ahead log has it not",
                                      "what lay between is lost",
                                      "truncated or rewritten"};

std::int64_t BytesBelow(io::FileSystem& disk, const std::string& folder) {
  std::int64_t bytes = 0;
  const auto visit = [&](std::string_view name, bool is_folder) {
    const std::string path = folder + "/" + std::string(name);
    bytes += is_folder ? BytesBelow(disk, path) : disk.SizeOf(path)->value_or(0);
  };
  IgnoreError(disk.VisitFolder(folder, visit), "a disk in memory lists");
  return bytes;
}

void Must(const Status& status) {
  TIDEMARK_CHECK(status.has_value(), "{}", status.error().message);
}

}  // namespace

LifeOptions PowerTrial::NewOptions() {
  LifeOptions options;
  options.rows_max = 1 + Up(8);
  options.age_max_s = 1 + Up(20);
  options.open_files_max = 1 + Up(3);
  options.wal_segment_bytes = 300 + Up(3000);
  // Half of them have the log run full, so that what keeps it is finalized.
  if (Chance(2)) options.wal_bytes_max = 2 * options.wal_segment_bytes + 1500 + Up(6000);
  options.clock_synced = !Chance(4);
  options.follow = !Chance(3);
  options.finalize_on_shutdown = !Chance(3);
  options.start = now_ + Up(5) * kMicrosPerSecond - (Chance(6) ? 2 * kMicrosPerSecond : 0);
  return options;
}

// The producer of the lines syncs what it writes: the source must not lose what it has.
void PowerTrial::NewInputFile() {
  const std::string path = fmt::format("{}/lines-{}.jsonl", kInputFolder, ++input_files_);
  auto created = disk_.CreateLocked(path);
  TIDEMARK_CHECK(created.has_value(), "{}", path);
  input_ = *std::move(created);
  input_bytes_ = 0;
  Must(disk_.SyncFolder(kInputFolder));
}

void PowerTrial::WriteLines(int lines) {
  if (input_ == nullptr || Chance(5)) NewInputFile();
  disk_.FailNextSync(false);  // it is the pipeline's that fail
  std::string text;
  for (; lines > 0; --lines) {
    lines_.push_back(NewLine(next_number_++, random_));
    text += lines_.back().payload + "\n";
  }
  Must(input_->WriteAt(input_bytes_, text));
  Must(input_->Sync());
  input_bytes_ += static_cast<std::int64_t>(text.size());
}

PowerTrial::Fault PowerTrial::Run() {
  Must(disk_.MakeFolder(kInputFolder));
  Must(disk_.MakeFolder(io::FolderOf(kDataFolder)));
  Must(disk_.SyncFolder("/"));
  Fault fault;
  for (int life = 0; life < kLives && !fault; ++life) fault = Live();
  if (!fault) fault = LastLife();
  return fault;
}

PowerTrial::Fault PowerTrial::Live() {
  ++counts_.lives;
  Fault fault;
  {
    PipelineLife life(synced_, clients_, NewOptions());
    WriteLines(Up(12));
    clients_.Plan(Up(8), next_number_);
    // In the middle of recovery, or later.
    if (!Chance(4)) life.disk().CutAfter(Chance(2) ? Up(120) : Up(800), Chance(2));
    const Status opened = life.Open();
    if (opened) {
      fault = JudgeOpening(life);
      if (!fault) fault = LiveThrough(life);
    } else if (life.disk().dead()) {
      ++counts_.dead_at_opening;
    } else {
      fault = "does not open: " + opened.error().message;
    }
    now_ = life.now();
  }
  SetFull(false);
  disk_.FailNextSync(false);
  if (!Chance(3)) {
    ++counts_.power_losses;
    input_.reset();
    disk_.LosePower(random_);
  }
  return fault;
}

void PowerTrial::SetFull(bool full) {
  full_ = full;
  disk_.SetCapacity(full ? BytesBelow(disk_, "") + Up(8000) : INT64_MAX);
}

void PowerTrial::Disturb() {
  if (!full_ && Chance(4)) WriteLines(Up(6));
  if (Chance(60)) disk_.FailNextSync();
  if (Chance(60)) SetFull(true);
  if (Chance(6)) SetFull(false);
}

PowerTrial::Fault PowerTrial::LiveThrough(PipelineLife& life) {
  life.Start();
  for (int step = 5 + Up(20); step > 0 && !life.end(); --step) {
    Disturb();
    life.Wait(std::chrono::milliseconds(Up(1500)));
    if (Fault fault = JudgeRise(life)) return fault;
  }
  if (Chance(2)) SetFull(false);
  if (Chance(3)) life.disk().CutAfter(0, false);
  if (!life.Drain()) return "the pipeline does not end";
  if (life.disk().dead()) {
    ++counts_.dead_running;
  } else if (*life.end()) {
    ++counts_.ended;
  } else {
    ++counts_.failed;
  }
  Fault fault = JudgeNotes(life);
  return fault ? fault : JudgeRise(life);
}

PowerTrial::Fault PowerTrial::LastLife() {
  LifeOptions options = NewOptions();
  options.follow = false;
  PipelineLife life(synced_, clients_, options);
  if (const Status opened = life.Open(); !opened) {
    return "does not open: " + opened.error().message;
  }
  if (Fault fault = JudgeOpening(life)) return fault;
  life.Start();
  for (int i = 0; i < 2000 && !life.end(); ++i) life.Wait(std::chrono::seconds(1));
  if (!life.end()) return "the pipeline does not end with its input";
  if (!*life.end()) return "the pipeline fails: " + life.end()->error().message;
  if (Fault fault = JudgeNotes(life)) return fault;
  return JudgeEnd();
}

PowerTrial::Fault PowerTrial::JudgeNotes(const PipelineLife& life) const {
  for (const std::string& note : life.notes()) {
    for (const char* const words : kForbidden) {
      if (note.find(words) != std::string::npos) return "recovery says: " + note;
    }
  }
  return std::nullopt;
}

// What was promised stays promised.
PowerTrial::Fault PowerTrial::JudgeRise(const PipelineLife& life) {
  const auto rises = [this](const std::string& what, Position to) -> Fault {
    const Position before = std::exchange(highest_[what], std::max(highest_[what], to));
    if (to >= before) return std::nullopt;
    return fmt::format("{} fell from {} to {}", what, before.value(), to.value());
  };
  const auto status = life.status();
  if (Fault fault = rises("the log's end", status.wal.synced_through)) return fault;
  for (const auto& sink : status.sinks) {
    if (Fault fault = rises("watermark of " + sink.id, sink.status.watermark)) return fault;
  }
  return std::nullopt;
}

// Recovery is done: what stands in ready/ now stands for good.
PowerTrial::Fault PowerTrial::JudgeOpening(const PipelineLife& life) {
  if (Fault fault = JudgeNotes(life)) return fault;
  if (Fault fault = JudgeRise(life)) return fault;
  Standing now = reader_.Read(disk_);
  if (!now.unreadable.empty()) return now.unreadable + " is no segment";
  if (Fault fault = Twice(now.outcome)) return fault;
  if (Fault fault = Missing(standing_, now)) return fault;
  standing_ = std::move(now);
  return std::nullopt;
}

PowerTrial::Fault PowerTrial::JudgeEnd() {
  const Standing last = reader_.Read(disk_);
  if (Fault fault = Missing(standing_, last)) return fault;
  if (!clients_.done()) return "posts are left";
  Outcome must;
  const auto add = [&must](const Event& event) {
    for (const auto& [place, row] : event.ends) ++must[place][row];
  };
  for (const Event& line : lines_) add(line);
  for (const Post& post : clients_.posts()) {
    // Without an answer it is there as a whole or not at all.
    const bool kept = std::ranges::any_of(post.events, [&last](const Event& event) {
      return std::ranges::any_of(event.ends, [&last](const auto& end) {
        const auto place = last.outcome.find(end.first);
        return place != last.outcome.end() && place->second.contains(end.second);
      });
    });
    if (post.acknowledged) ++counts_.acknowledged;
    if (!post.acknowledged && kept) ++counts_.unacknowledged_kept;
    if (!post.acknowledged && !kept) continue;
    for (const Event& event : post.events) add(event);
  }
  counts_.segments += last.segments.size();
  counts_.repeated += clients_.repeated();
  for (const auto& [place, rows] : last.outcome) {
    if (place.find("rejects") != std::string::npos) counts_.rejects += rows.size();
  }
  return Difference(must, last.outcome);
}

}  // namespace tidemark::test
