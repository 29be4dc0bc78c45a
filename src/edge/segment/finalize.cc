#include "edge/segment/finalize.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

// Finalizes one segment (segments contract: "Commit-then-ship"). Every step is durable before the
// next begins; after a crash between any two, RecoverSink finds where it stopped.
//
//   1. close      the footer is written, the SHA-256 known.
//   2. sync       the file's bytes. Not after 3: a name in ready/ must never show a torn file.
//   3. rename     from staging/ to ready/; the folders it needs are made durable before.
//   4. folders    fsync of the folder it came to, and of the one it left: from here on the file
//                 survives, and not before, so that no record can promise what is not there.
//   5. finalized  the catalog knows the file. A crash here: it is beyond coverage, and is removed.
//   6. rejects    what its positions rejected is in the reject log. Not after 7: covered positions
//                 are never read again.
//   7. cursor     the data set is covered up to the file's last position: its rows never come
//                 again.
//   8. eligible   it may be shipped. Not before 7: a file whose rows may come again must not leave.

namespace tidemark::edge {

namespace {

class Crash {
 public:
  explicit Crash(io::Failpoint armed) : armed_(armed) {}

  void At(io::Failpoint here) const { io::HitFailpoint(armed_, here); }

 private:
  io::Failpoint armed_;
};

Status CommitRejects(SinkBooks& books, Position read_through) {
  return books.rejects->Commit(books.cursor.epoch, read_through);
}

Status CommitCoverage(const std::string& dataset,
                      Position last,
                      Position read_through,
                      bool keeps_unmatched,
                      SinkBooks& books) {
  if (keeps_unmatched) {
    Position& unmatched = books.cursor.coverage[kUnmatchedLane];
    unmatched = std::max(unmatched, read_through);
  }
  return books.CommitCursor(dataset, last);
}

}  // namespace

Result<format::FinalizedRecord> FinalizeSegment(OpenSegment& segment,
                                                const FinalizePlan& plan,
                                                SinkBooks& books) {
  using enum io::Failpoint;
  const Crash crash(plan.crash_at);
  SinkFolder& folder = books.folder;

  crash.At(kBeforeSegmentClose);
  TIDEMARK_TRY(const auto stats, segment.Close(format::EncodeFooter(plan.footer)));
  crash.At(kAfterSegmentClose);

  crash.At(kBeforeSegmentSync);
  TIDEMARK_TRY_VOID(segment.Sync());
  crash.At(kAfterSegmentSync);

  const std::string below =
      format::SegmentFolder(plan.dataset, segment.first_ingest_time(), segment.clock_synced());
  const std::string path = below + "/" + format::SegmentFileName(plan.name);
  const std::string target = folder.Sub("ready/" + path);
  crash.At(kBeforeSegmentRename);
  TIDEMARK_TRY(const auto there, folder.files.SizeOf(target));
  TIDEMARK_CHECK(!there, "{} is there already", target);
  TIDEMARK_TRY_VOID(folder.folders.Move(segment.path(), target));
  crash.At(kAfterSegmentRename);

  crash.At(kBeforeSegmentFolders);
  TIDEMARK_TRY_VOID(folder.files.SyncFolder(io::FolderOf(target)));
  TIDEMARK_TRY_VOID(folder.files.SyncFolder(io::FolderOf(segment.path())));
  crash.At(kAfterSegmentFolders);

  format::FinalizedRecord record{.epoch = plan.name.epoch,
                                 .dataset = plan.dataset,
                                 .path = path,
                                 .range = plan.name.range,
                                 .rows = stats.rows,
                                 .bytes = stats.bytes,
                                 .sha256 = stats.sha256,
                                 .schema_fp = plan.footer.schema_fp,
                                 .ingest_time_min = segment.ingest_time_min(),
                                 .ingest_time_max = segment.ingest_time_max(),
                                 .event_time_min = plan.footer.event_time_min,
                                 .event_time_max = plan.footer.event_time_max};
  crash.At(kBeforeSegmentFinalized);
  TIDEMARK_TRY_VOID(books.catalog->Append(record));
  crash.At(kAfterSegmentFinalized);

  crash.At(kBeforeSegmentRejects);
  TIDEMARK_TRY_VOID(CommitRejects(books, plan.read_through));
  crash.At(kAfterSegmentRejects);

  crash.At(kBeforeSegmentCursor);
  TIDEMARK_TRY_VOID(CommitCoverage(
      plan.dataset, plan.name.range.last, plan.read_through, plan.keeps_unmatched, books));
  crash.At(kAfterSegmentCursor);

  crash.At(kBeforeSegmentEligible);
  TIDEMARK_TRY_VOID(books.catalog->Append(format::EligibleRecord{.path = path}));
  crash.At(kAfterSegmentEligible);
  return record;
}

Status CoverWithoutRows(const std::string& dataset,
                        const format::PositionRange& range,
                        Position read_through,
                        bool keeps_unmatched,
                        SinkBooks& books) {
  TIDEMARK_TRY_VOID(
      books.catalog->Append(format::CoverageRecord{.epoch = books.cursor.epoch,
                                                   .dataset = dataset,
                                                   .range = range,
                                                   .reason = format::CoverageReason::kEmpty}));
  TIDEMARK_TRY_VOID(CommitRejects(books, read_through));
  return CommitCoverage(dataset, range.last, read_through, keeps_unmatched, books);
}

}  // namespace tidemark::edge
