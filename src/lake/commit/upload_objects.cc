#include "lake/commit/upload_objects.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "format/object_key.h"
#include "io/async.h"
#include "lake/commit/gated_store.h"
#include "lake/commit/put_sidecar.h"
#include "store/upload.h"

namespace tidemark::lake {

namespace {

// Objects of one window stored at a time, and what they may hold together.
constexpr std::size_t kPutsMax = 16;
constexpr std::int64_t kPendingBytesMax = std::int64_t{16} << 20;

// One object to be: its key and what it must hold.
struct Target {
  const format::Form& form;
  std::string key;
  std::int64_t records;
  bool one_partition;
};

Status CheckCount(const Target& target, std::int64_t records) {
  if (records == target.records) return {};
  return Fail(
      ErrorCode::kInternal,
      fmt::format("{}: {} records came, {} were planned", target.key, records, target.records));
}

store::UploadOptions OptionsOf(const CommitContext& context) {
  const io::Failpoint armed = context.options.crash_at;
  return {.multipart_threshold_bytes = context.options.multipart_threshold_bytes,
          .between_parts = [armed] { io::HitFailpoint(armed, io::Failpoint::kMidUpload); }};
}

// An object that is encoded, but not yet visible.
struct OpenUpload {
  OpenUpload(CommitContext& context, const Target& target)
      : gated(context),
        upload(
            gated, target.key, std::string(format::ContentType(target.form)), OptionsOf(context)) {}

  GatedStore gated;
  store::Upload upload;
};

// Encodes from the cursor's next record. `others_bytes`: what other objects of the window hold.
io::Task<Result<EncodedObject>> EncodeObject(CommitContext& context,
                                             const Target& target,
                                             RecordCursor& cursor,
                                             store::Upload& upload,
                                             std::int64_t others_bytes) {
  const auto sink = [&](std::string bytes) { return upload.Append(std::move(bytes)); };
  const auto on_memory = [&](std::size_t encoder_bytes) {
    if (!context.options.on_buffers) return;
    context.options.on_buffers(static_cast<std::int64_t>(encoder_bytes) + upload.buffered_bytes() +
                               others_bytes);
  };
  auto encoded =
      co_await EncodeRecords(context, target.form, cursor, target.one_partition, sink, on_memory);
  Status done;
  if (!encoded.has_value())
    done = std::unexpected(std::move(encoded.error()));
  else
    done = CheckCount(target, encoded->facts.records);
  if (done.has_value()) co_return encoded;
  co_await upload.Abort();
  co_return Annotate(std::move(done.error()), "upload of " + target.key);
}

io::Task<Status> MakeVisible(CommitContext& context, store::Upload& upload) {
  TIDEMARK_CO_TRY_VOID(co_await upload.Finish());
  io::HitFailpoint(context.options.crash_at, io::Failpoint::kMidUpload);
  co_return Status();
}

// One attempt, from the cursor's next record.
io::Task<Result<EncodedObject>> UploadObject(CommitContext& context,
                                             const Target& target,
                                             RecordCursor& cursor) {
  OpenUpload open(context, target);
  TIDEMARK_CO_TRY(auto encoded, co_await EncodeObject(context, target, cursor, open.upload, 0));
  TIDEMARK_CO_TRY_VOID(co_await MakeVisible(context, open.upload));
  co_return encoded;
}

format::ManifestObject Describe(const std::string& key, const datafile::ObjectStats& stats) {
  return {.key = key,
          .bytes = stats.bytes,
          .records = stats.records,
          .sha256 = ToHex(stats.sha256),
          .lane = std::nullopt};
}

io::Task<Result<EncodedObject>> UploadFromStart(CommitContext& context,
                                                const Target& target,
                                                WindowSource& source) {
  TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context));
  RecordCursor cursor(source);
  TIDEMARK_CO_TRY(const bool any, co_await cursor.Fill());
  if (any) co_return co_await UploadObject(context, target, cursor);
  TIDEMARK_CO_TRY_VOID(CheckCount(target, 0));
  co_return EncodedObject{};
}

io::Task<Status> SkipLane(RecordCursor& cursor, const std::string& partition) {
  while (true) {
    TIDEMARK_CO_TRY(const bool more, co_await cursor.Fill());
    if (!more || cursor.next().partition != partition) co_return Status();
    cursor.Take(true);
  }
}

// One attempt at all lanes that are not stored yet: the objects are encoded one after the other,
// and stored side by side, since each is small and a PUT is mostly waiting.
struct LanePass {
  const format::Form& form;
  const format::Window& window;
  const std::vector<LaneExtent>& lanes;
  std::map<std::string, StoredLane>& stored;
  std::int64_t& newline_payloads;
  std::int64_t pending_bytes = 0;  // of objects on their way
  Status status;                   // the first failure
};

io::Task<void> StoreLane(CommitContext& context,
                         LanePass& pass,
                         std::unique_ptr<OpenUpload> open,
                         StoredLane lane,
                         std::int64_t newline_payloads) {
  const std::int64_t bytes = open->upload.buffered_bytes();
  pass.pending_bytes += bytes;
  Status visible = co_await MakeVisible(context, open->upload);
  pass.pending_bytes -= bytes;
  if (visible) {
    pass.newline_payloads += newline_payloads;
    const std::string partition = lane.object.lane->partition;
    pass.stored.emplace(partition, std::move(lane));
  } else if (pass.status) {
    pass.status = Annotate(std::move(visible.error()), "upload of " + lane.object.key);
  }
}

io::Task<Status> BeginLane(CommitContext& context,
                           LanePass& pass,
                           const LaneExtent& lane,
                           RecordCursor& cursor,
                           io::TaskGroup& puts) {
  const Target target{
      .form = pass.form,
      .key = format::LaneObjectKey(
          pass.form, context.options.queue, pass.window, lane.partition, lane.first, lane.last),
      .records = lane.records,
      .one_partition = true};
  TIDEMARK_CO_TRY(const bool more, co_await cursor.Fill());
  if (!more || cursor.next().partition != lane.partition)
    co_return Fail(ErrorCode::kInternal, target.key + ": the source lost a partition");
  auto open = std::make_unique<OpenUpload>(context, target);
  TIDEMARK_CO_TRY(const auto encoded,
                  co_await EncodeObject(context, target, cursor, open->upload, pass.pending_bytes));
  StoredLane done{.object = Describe(target.key, encoded.stats), .facts = encoded.facts};
  done.object.lane = {.partition = lane.partition, .first = lane.first, .last = lane.last};
  puts.Add(
      StoreLane(context, pass, std::move(open), std::move(done), encoded.stats.newline_payloads));
  co_return Status();
}

io::Task<void> UploadMissingLanes(CommitContext& context,
                                  LanePass& pass,
                                  RecordCursor& cursor,
                                  io::TaskGroup& puts) {
  for (const LaneExtent& lane : pass.lanes) {
    co_await puts.WaitBelow(pass.pending_bytes < kPendingBytesMax ? kPutsMax : 1);
    if (!pass.status) co_return;
    Status begun;
    if (pass.stored.contains(lane.partition)) {
      begun = co_await SkipLane(cursor, lane.partition);
    } else {
      begun = co_await BeginLane(context, pass, lane, cursor, puts);
    }
    if (!begun && pass.status) pass.status = std::move(begun);
  }
}

}  // namespace

std::int64_t WindowObjects::bytes() const {
  return std::accumulate(
      objects.begin(), objects.end(), std::int64_t{0}, [](std::int64_t sum, const auto& object) {
        return sum + object.bytes;
      });
}

io::Task<Result<std::vector<LaneExtent>>> ScanLanes(WindowSource& source) {
  std::vector<LaneExtent> lanes;
  RecordCursor cursor(source);
  while (true) {
    TIDEMARK_CO_TRY(const bool more, co_await cursor.Fill());
    if (!more) co_return lanes;
    const auto batch = cursor.Take(true);
    if (lanes.empty() || lanes.back().partition != batch.front().partition)
      lanes.push_back({.partition = std::string(batch.front().partition),
                       .first = batch.front().offset,
                       .last = batch.front().offset});
    lanes.back().last = batch.back().offset;
    lanes.back().records += static_cast<std::int64_t>(batch.size());
  }
}

io::Task<Result<WindowObjects>> UploadMerged(CommitContext& context,
                                             const format::Form& form,
                                             const format::Window& window,
                                             std::int64_t records,
                                             WindowSource& source) {
  const Target target{.form = form,
                      .key = format::MergedObjectKey(form, context.options.queue, window),
                      .records = records,
                      .one_partition = false};
  const auto attempt = [&] { return UploadFromStart(context, target, source); };
  TIDEMARK_CO_TRY(const auto encoded, co_await Persist(context, "put " + target.key, attempt));
  WindowObjects result{
      .objects = {}, .facts = encoded.facts, .newline_payloads = encoded.stats.newline_payloads};
  if (records > 0) result.objects.push_back(Describe(target.key, encoded.stats));
  co_return result;
}

io::Task<Result<WindowObjects>> UploadLanes(CommitContext& context,
                                            const format::Form& form,
                                            const format::Window& window,
                                            std::int64_t records,
                                            WindowSource& source,
                                            std::map<std::string, StoredLane> stored) {
  const auto scan = [&] { return ScanLanes(source); };
  TIDEMARK_CO_TRY(const auto lanes, co_await Persist(context, "scan of lanes", scan));
  const auto sum = [](std::int64_t n, const LaneExtent& lane) { return n + lane.records; };
  const std::int64_t found = std::accumulate(lanes.begin(), lanes.end(), std::int64_t{0}, sum);
  if (found != records)
    co_return Fail(
        ErrorCode::kInternal,
        fmt::format(
            "window {}: {} records came, {} were planned", window.k.value(), found, records));

  std::int64_t newline_payloads = 0;
  const auto attempt = [&]() -> io::Task<Status> {
    TIDEMARK_CO_TRY_VOID(co_await AwaitLease(context));
    LanePass pass{.form = form,
                  .window = window,
                  .lanes = lanes,
                  .stored = stored,
                  .newline_payloads = newline_payloads,
                  .pending_bytes = 0,
                  .status = {}};
    RecordCursor cursor(source);
    io::TaskGroup puts(context.loop);
    co_await UploadMissingLanes(context, pass, cursor, puts);
    co_await puts.Join();
    co_return pass.status;
  };
  TIDEMARK_CO_TRY_VOID(co_await Persist(context, "put of lanes", attempt));
  WindowObjects result{.objects = {}, .facts = {}, .newline_payloads = newline_payloads};
  for (auto& [partition, lane] : stored) {
    result.facts.Add(lane.facts);
    result.objects.push_back(std::move(lane.object));
  }
  co_return result;
}

io::Task<Result<WindowObjects>> UploadObjects(CommitContext& context,
                                              const format::Form& form,
                                              const format::Window& window,
                                              std::int64_t records,
                                              WindowSource& source) {
  if (form.layout == format::Layout::kMerged)
    co_return co_await UploadMerged(context, form, window, records, source);
  std::map<std::string, StoredLane> none;
  co_return co_await UploadLanes(context, form, window, records, source, std::move(none));
}

}  // namespace tidemark::lake
