#include "edge/wal/wal.h"

#include <fmt/format.h>

#include "edge/wal/wal_writer.h"
#include "io/durable_folders.h"

namespace tidemark::edge {

Result<std::unique_ptr<Wal>> Wal::Open(WalOptions options, WalWorld world) {
  // The segment being written cannot be removed: with less room the log could withhold for ever.
  if (options.max_bytes < 2 * options.segment_bytes) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("wal.max_bytes is {}, at least twice wal.segment_bytes ({}) is needed",
                            options.max_bytes,
                            options.segment_bytes));
  }
  io::DurableFolders folders(world.files);
  TIDEMARK_TRY_VOID(folders.Ensure(options.folder));
  TIDEMARK_TRY(auto lock, LockLog(world.files, options.folder));
  TIDEMARK_TRY(auto log, OpenLog(world.files, options, world.clock.Now()));
  auto writer = std::make_unique<Writer>(
      std::move(options), std::move(world), std::move(log), std::move(lock));
  writer->Start();
  return std::unique_ptr<Wal>(new Wal(std::move(writer)));
}

Wal::Wal(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

Wal::~Wal() = default;

io::Task<Result<format::PositionRange>> Wal::Append(std::span<const WalInput> records) {
  return writer_->Append(records);
}

io::Task<Status> Wal::Close() { return writer_->Close(); }

io::Task<Status> Wal::RemoveThrough(Position position) { return writer_->RemoveThrough(position); }

Epoch Wal::epoch() const { return writer_->epoch(); }

Position Wal::synced_through() const { return writer_->synced_through(); }

const std::optional<Error>& Wal::failure() const { return writer_->failure(); }

void Wal::OnFailure(std::move_only_function<void(const Error& error)> callback) {
  writer_->OnFailure(std::move(callback));
}

std::optional<std::string_view> Wal::LatestPlace(std::string_view source,
                                                 std::string_view stream) const {
  const auto& tokens = writer_->tokens();
  const auto found = tokens.find({std::string(source), std::string(stream)});
  if (found == tokens.end()) return std::nullopt;
  return found->second;
}

void Wal::Forget(std::string_view source, std::string_view stream) {
  writer_->Forget({std::string(source), std::string(stream)});
}

std::vector<format::SourceToken> Wal::Streams(std::string_view source) const {
  std::vector<format::SourceToken> streams;
  const auto& tokens = writer_->tokens();
  for (auto at = tokens.lower_bound({std::string(source), ""});
       at != tokens.end() && at->first.first == source;
       ++at) {
    streams.push_back({.stream = at->first.second, .place = at->second});
  }
  return streams;
}

io::Duration Wal::writing_for() const { return writer_->writing_for(); }

const std::string& Wal::withheld() const { return writer_->withheld(); }

std::int64_t Wal::bytes() const { return writer_->bytes(); }

const std::vector<WalSegment>& Wal::segments() const { return writer_->segments(); }

const WalOpening& Wal::opening() const { return writer_->opening(); }

const WalCounters& Wal::counters() const { return writer_->counters(); }

}  // namespace tidemark::edge
