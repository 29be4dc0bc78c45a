#include "tests/commit/commit_rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::test {

namespace {

const std::string kSink = "default";
const std::string kQueue = "orders";

lake::CommitOptions OptionsOf(format::Form form, std::vector<std::string>& warnings) {
  lake::CommitOptions options{
      .sink = kSink, .queue = kQueue, .version = "0.1.0", .form = std::move(form)};
  options.on_warning = [&warnings](std::string_view message) { warnings.emplace_back(message); };
  return options;
}

lake::LeaseOptions LeaseOf(const std::string& instance) {
  return {.sink = kSink, .queue = kQueue, .instance = instance};
}

lake::WindowPlan PlanOf(const LogWindow& window, std::vector<format::LostRange> lost) {
  return {.window = window.window,
          .records = static_cast<std::int64_t>(window.records.size()),
          .lost = std::move(lost)};
}

}  // namespace

void ListSource::Rewind() { next_ = 0; }

io::Task<Result<std::span<const format::RecordView>>> ListSource::Next() {
  if (failures_ > 0) {
    --failures_;
    co_return std::unexpected(error_);
  }
  views_.clear();
  for (; next_ < records_.size() && views_.size() < at_a_time_; ++next_) {
    const Record& record = records_[next_];
    views_.push_back({.partition = record.partition,
                      .offset = record.offset,
                      .transaction_id = "t",
                      .ts = record.ts,
                      .payload = record.payload});
  }
  co_return std::span<const format::RecordView>(views_);
}

LogWindow WindowOfLog(std::int64_t k, int per_lane, Offset a_from) {
  const Micros start = kTen + (k - 1) * 5 * kMinute;
  LogWindow result{
      .window = {.k = format::WindowNumber(k), .start = start, .end = start + 5 * kMinute},
      .records = {}};
  for (const std::string partition : {"a", "b", "c/d"}) {
    for (int i = 0; i < per_lane; ++i) {
      const Offset offset((k - 1) * per_lane + i);
      if (partition == "a" && offset < a_from) continue;
      const std::string payload = fmt::format(R"({{"k":{},"i":{}}})", k, i);
      result.records.push_back({.partition = partition,
                                .offset = offset,
                                .ts = start + i * kMicrosPerSecond,
                                .payload = i == 2 ? "" : payload});
    }
  }
  return result;
}

std::optional<queen::KvRow> World::Row(const std::string& key) {
  auto rows = broker.kv().GetMany({key}, loop.Now());
  if (rows->empty()) return std::nullopt;
  return rows->front();
}

format::Committed World::Committed() {
  const auto row = Row(format::CommittedKey(kSink, kQueue));
  return row ? *format::DecodeCommitted(row->value) : format::Committed{};
}

std::map<std::string, std::string> World::Lake() const {
  std::map<std::string, std::string> lake;
  for (const auto& [key, object] : bucket.objects()) {
    if (key.find("/checkpoint/") == std::string::npos) lake[key] = *object.bytes;
  }
  return lake;
}

Life::Life(World& in, const std::string& instance, format::Form form, PowerCut when)
    : world(in),
      cut(when),
      lease(world.loop, broker, world.clock, world.random, LeaseOf(instance)),
      context{lake::LakeWorld{.loop = world.loop,
                              .pool = *world.pool,
                              .broker = broker,
                              .store = store,
                              .clock = world.clock,
                              .random = world.random},
              lease,
              OptionsOf(std::move(form), warnings)} {
  IgnoreError(Await(world.loop, lease.Claim({})), "a life that is cut at once claims nothing");
}

Life::~Life() { Await(world.loop, lease.Release()); }

Result<lake::CommittedWindow> Life::Commit(lake::Documents& documents,
                                           const LogWindow& window,
                                           std::vector<format::LostRange> lost) {
  ListSource source(window.records);
  return Await(world.loop,
               lake::CommitWindow(context, documents, PlanOf(window, std::move(lost)), source));
}

Result<lake::CommittedWindow> Life::Redo(lake::Documents& documents,
                                         const LogWindow& window,
                                         std::vector<format::LostRange> lost) {
  ListSource source(window.records);
  return Await(world.loop,
               lake::RedoWindow(context, documents, PlanOf(window, std::move(lost)), source));
}

Status Life::CommitUpTo(std::int64_t k) {
  TIDEMARK_TRY(auto point, Restart());
  lake::Documents& documents = point.documents;
  if (point.redo)
    TIDEMARK_TRY_VOID(Redo(documents, WindowOfLog(documents.intent->window.k.value())));
  while (documents.committed_k().value() < k) {
    TIDEMARK_TRY_VOID(Commit(documents, WindowOfLog(documents.committed_k().value() + 1)));
    const format::Checkpoint checkpoint{
        .k = documents.committed_k(), .t_end = documents.committed->t_end, .positions = {}};
    IgnoreError(Await(world.loop, lake::WriteCheckpoint(context, documents, checkpoint, 3)),
                "it is a cache");
  }
  return {};
}

}  // namespace tidemark::test
