#include "broker/log_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <optional>
#include <utility>

#include "broker/commit_loop.h"
#include "broker/kv_table.h"
#include "broker/retention.h"
#include "broker/schema.h"
#include "format/kv_documents.h"
#include "io/durable_folders.h"
#include "io/lock_file.h"

namespace tidemark::broker {

namespace {

// Bounds of one housekeeping transaction, so that pushes never wait long behind it.
constexpr std::size_t kSweepSegments = 500;
constexpr std::size_t kPartitionsPerStep = 64;
constexpr std::size_t kPurgeDocuments = 1000;
constexpr std::size_t kPageSize = 1000;
constexpr int kSafeTimeAttempts = 5;

// SQLite alone would let two brokers write in turns, each with its own idea of the next offset.
Result<std::unique_ptr<io::File>> LockFolder(io::FileSystem& files, const std::string& folder) {
  auto lock = io::LockFile(files, folder + "/lock");
  if (!lock && lock.error().code == ErrorCode::kAlreadyExists) {
    return Fail(ErrorCode::kAlreadyExists, fmt::format("{} is in use by another broker", folder));
  }
  return lock;
}

}  // namespace

class LogStore::Impl {
 public:
  Impl(LogStoreOptions options, const io::Clock& clock, io::Random& random)
      : options_(std::move(options)), clock_(clock), random_(random) {}

  Status Open(OnNews on_news) {
    const std::string folder =
        (std::filesystem::absolute(options_.dir) / "").lexically_normal().parent_path();
    io::PosixFileSystem files;
    TIDEMARK_TRY_VOID(io::DurableFolders(files).Ensure(folder));
    TIDEMARK_TRY(lock_, LockFolder(files, folder));
    const std::string path = folder + "/broker.db";
    TIDEMARK_TRY(Database db, Database::OpenForWriting(path));
    const SipKey fresh_key{random_.Next(), random_.Next()};
    TIDEMARK_TRY(const StoreMeta meta, OpenSchema(db, fresh_key));
    TIDEMARK_TRY_VOID(files.SyncFolder(folder));
    TIDEMARK_TRY_VOID(LoadCatalog(db, catalog_));
    stamps_.emplace(clock_, meta.floor, options_.safe_lag_us);
    TIDEMARK_TRY(writer_,
                 LogWriter::Open(
                     std::move(db), meta, catalog_, *stamps_, random_, options_.dedup_records_max));
    kv_.emplace(writer_->db(), random_, meta.kv_version);
    readers_.emplace(path, catalog_);
    loop_.emplace(*writer_, std::move(on_news));
    return {};
  }

  void Push(PushRequest request, Done<Result<std::string>> done) {
    // On the heap, for work and done to share: what work keeps is read by done, when the commit is
    // through.
    struct Call {
      PushRequest request;
      std::vector<PushOutcome> outcomes;
    };

    auto call = std::make_shared<Call>(Call{std::move(request), {}});
    const std::size_t weight = call->request.body_bytes();
    loop_->Submit({.work = [call](LogWriter& writer) -> Status {
                     TIDEMARK_TRY(call->outcomes, writer.Append(call->request));
                     return {};
                   },
                   .done =
                       [call, done = std::move(done)](Status status) mutable {
                         if (!status) return done(std::unexpected(std::move(status.error())));
                         done(RenderPushAnswer(call->request, call->outcomes));
                       },
                   .grouping = CommitLoop::Grouping::kShared,
                   .weight = weight});
  }

  void Kv(std::vector<KvOp> ops, Done<Result<std::string>> done) {
    auto body = std::make_shared<std::string>();
    Submit(
        [this, body, ops = std::move(ops)](LogWriter&) -> Status {
          TIDEMARK_TRY(*body, kv_->Apply(ops, clock_.Now()));
          return {};
        },
        [body, done = std::move(done)](Status status) mutable {
          if (!status) return done(std::unexpected(std::move(status.error())));
          done(std::move(*body));
        });
  }

  void Configure(std::string queue, QueueOptions options, Done<Status> done) {
    Submit([queue = std::move(queue), options = std::move(options)](
               LogWriter& writer) { return writer.Configure(queue, options); },
           std::move(done),
           CommitLoop::Grouping::kAlone);
  }

  void DeleteQueue(std::string queue, Done<Status> done) {
    auto found = std::make_shared<Status>();
    Submit(
        [found, queue = std::move(queue)](LogWriter& writer) -> Status {
          *found = writer.DeleteQueue(queue);
          if (!*found && found->error().code != ErrorCode::kNotFound) return *found;
          return {};
        },
        [found, done = std::move(done)](Status status) mutable {
          done(status ? std::move(*found) : std::move(status));
        },
        CommitLoop::Grouping::kAlone);
  }

  Result<FetchAnswer> Fetch(const FetchRequest& request) { return readers_->Fetch(request); }

  void SafeTime(Done<Result<Micros>> done, int attempts_left = kSafeTimeAttempts) {
    if (const auto safe = stamps_->SafeTime()) return done(*safe);
    if (attempts_left == 0) {
      return done(Fail(ErrorCode::kUnavailable, "the clock runs away from the safe time"));
    }
    Submit(
        [](LogWriter& writer) -> Status {
          writer.ReserveSafeTime();
          return {};
        },
        [this, attempts_left, done = std::move(done)](Status status) mutable {
          if (!status) return done(std::unexpected(std::move(status.error())));
          SafeTime(std::move(done), attempts_left - 1);
        });
  }

  Status Housekeep() {
    const Micros now = clock_.Now();
    for (const auto& queue : catalog_.Queues()) {
      TIDEMARK_TRY(const auto committed, HoldOf(queue, now));
      const Micros cutoff = RetentionCutoff(queue.options, now, committed);
      if (cutoff != kMinusInfinity) TIDEMARK_TRY_VOID(ExpireQueue(queue.name, cutoff));
    }
    TIDEMARK_TRY_VOID(RepeatUntilDone(
        kSweepSegments, [](LogWriter& writer) { return writer.SweepDead(kSweepSegments); }));
    return Wait([this, now](LogWriter&) { return kv_->Purge(now, kPurgeDocuments); });
  }

  Status Close() {
    if (!loop_) return {};
    loop_->Stop();
    if (std::exchange(closed_, true)) return {};
    return writer_->WriteFinalFloor();
  }

  const Catalog& catalog() const { return catalog_; }

 private:
  void Submit(CommitLoop::Work work,
              CommitLoop::Done done,
              CommitLoop::Grouping grouping = CommitLoop::Grouping::kShared) {
    loop_->Submit(
        {.work = std::move(work), .done = std::move(done), .grouping = grouping, .weight = 0});
  }

  // Carries `work` out and waits; not for the writer thread.
  Status Wait(CommitLoop::Work work) {
    std::promise<Status> result;
    auto future = result.get_future();
    Submit(std::move(work), [&result](Status status) { result.set_value(std::move(status)); });
    return future.get();
  }

  // `step` deletes up to `limit` things and says how many; fewer than `limit`: it is through.
  Status RepeatUntilDone(std::size_t limit,
                         const std::function<Result<std::size_t>(LogWriter&)>& step) {
    std::size_t deleted = limit;
    while (deleted >= limit) {
      TIDEMARK_TRY_VOID(Wait([&](LogWriter& writer) -> Status {
        TIDEMARK_TRY(deleted, step(writer));
        return {};
      }));
    }
    return {};
  }

  Result<std::optional<Micros>> HoldOf(const Catalog::QueueSummary& queue, Micros now) {
    std::optional<Micros> committed;
    const std::string& sink = queue.options.retention_sink_hold;
    if (sink.empty()) return committed;
    const std::string key = format::CommittedKey(sink, queue.name);
    TIDEMARK_TRY_VOID(Wait([&](LogWriter&) -> Status {
      TIDEMARK_TRY(const auto entry, kv_->Get(format::kKvNamespace, key, now));
      if (entry) committed = CommittedEnd(entry->value);
      return {};
    }));
    return committed;
  }

  Status ExpireQueue(const std::string& queue, Micros cutoff) {
    std::optional<DiscoveryCursor> after;
    while (true) {
      const auto page = catalog_.PageByName(queue, after, kPageSize);
      if (!page || page->empty()) return {};
      for (std::size_t at = 0; at < page->size(); at += kPartitionsPerStep) {
        TIDEMARK_TRY_VOID(ExpireSome(queue, *page, at, cutoff));
      }
      after = DiscoveryCursor{.last_write_at = kMinusInfinity, .name = page->back().name};
    }
  }

  Status ExpireSome(const std::string& queue,
                    const std::vector<ListedPartition>& page,
                    std::size_t at,
                    Micros cutoff) {
    const std::size_t end = std::min(page.size(), at + kPartitionsPerStep);
    return RepeatUntilDone(kSweepSegments, [&](LogWriter& writer) -> Result<std::size_t> {
      std::size_t left = kSweepSegments;
      for (std::size_t i = at; i < end && left > 0; ++i) {
        if (page[i].state.log_start == page[i].state.next) continue;
        const PartitionRef partition{.queue = queue, .partition = page[i].name};
        TIDEMARK_TRY(const std::size_t deleted, writer.Expire(partition, cutoff, left));
        left -= deleted;
      }
      return kSweepSegments - left;
    });
  }

  const LogStoreOptions options_;
  const io::Clock& clock_;
  io::Random& random_;
  std::unique_ptr<io::File> lock_;
  Catalog catalog_;
  std::optional<StampClock> stamps_;
  std::unique_ptr<LogWriter> writer_;
  std::optional<KvTable> kv_;
  std::optional<ReaderPool> readers_;
  std::optional<CommitLoop> loop_;
  bool closed_ = false;
};

LogStore::LogStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LogStore::~LogStore() {
  IgnoreError(impl_->Close(), "a start after a crash does without the exact floor");
}

Result<std::unique_ptr<LogStore>> LogStore::Open(LogStoreOptions options,
                                                 const io::Clock& clock,
                                                 io::Random& random,
                                                 OnNews on_news) {
  auto impl = std::make_unique<Impl>(std::move(options), clock, random);
  TIDEMARK_TRY_VOID(impl->Open(std::move(on_news)));
  return std::unique_ptr<LogStore>(new LogStore(std::move(impl)));
}

void LogStore::Push(PushRequest request, Done<Result<std::string>> done) {
  impl_->Push(std::move(request), std::move(done));
}

void LogStore::Kv(std::vector<KvOp> ops, Done<Result<std::string>> done) {
  impl_->Kv(std::move(ops), std::move(done));
}

void LogStore::Configure(std::string queue, QueueOptions options, Done<Status> done) {
  impl_->Configure(std::move(queue), std::move(options), std::move(done));
}

void LogStore::DeleteQueue(std::string queue, Done<Status> done) {
  impl_->DeleteQueue(std::move(queue), std::move(done));
}

Result<FetchAnswer> LogStore::Fetch(const FetchRequest& request) { return impl_->Fetch(request); }

void LogStore::SafeTime(Done<Result<Micros>> done) { impl_->SafeTime(std::move(done)); }

const Catalog& LogStore::catalog() const { return impl_->catalog(); }

Status LogStore::Housekeep() { return impl_->Housekeep(); }

Status LogStore::Close() { return impl_->Close(); }

}  // namespace tidemark::broker
