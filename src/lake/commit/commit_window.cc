#include "lake/commit/commit_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/digest.h"
#include "format/object_key.h"
#include "lake/commit/adopt_objects.h"
#include "lake/commit/put_sidecar.h"

// Commits one window. Every step is durable before the next begins; a crash between any two is
// found by Restart from the broker's documents alone, and RedoWindow goes on where it stopped.
//
//   1. intent     {k, tStart, tEnd, form, records, lost} under the lease fence. From here on the
//                 window is decided: whoever builds it, whenever, writes the same keys with the
//                 same bytes. Losses that do not fit a KV value go into a sidecar named by their
//                 digest, stored before the intent that names it.
//   2. objects    PUT each. Not before 1: an object whose window could still change would be a
//                 stray.
//   3. manifest   PUT; the only place with a wall-clock value. Not before 2: it tells sizes and
//                 digests of what is there.
//   4. committed  {k, tEnd} under the lease fence. Not before 3: from here on the window is never
//                 built again.
//
// The checkpoint comes after 4 and belongs to the caller (checkpoints.h): written earlier it could
// name positions past the commit truth. A lost answer at 1 or 4 is read back before it is judged
// (Lease::PutFenced). Step 2 and 3 start only while the lease is ours (GatedStore).

namespace tidemark::lake {

namespace {

using format::Intent;
using format::Manifest;

// A KV value may be 65,536 bytes; a broker that keeps JSON as PostgreSQL does counts blanks of its
// own as well.
constexpr std::size_t kIntentBytesMax = format::kKvValueBytesMax / 4 * 3;
// Encoder buffers and the chunk on its way, beside the upload's own buffer.
constexpr std::int64_t kEncoderBytes = std::int64_t{8} << 20;

void CheckFollows(const Documents& documents, const format::Window& window) {
  TIDEMARK_CHECK(window.k == documents.committed_k() + 1,
                 "window {} after {}",
                 window.k.value(),
                 documents.committed_k().value());
  TIDEMARK_CHECK(window.start < window.end, "window {} is empty", window.k.value());
  TIDEMARK_CHECK(!documents.committed || documents.committed->t_end <= window.start,
                 "window {} overlaps the one before",
                 window.k.value());
}

// `intent` with its losses: inside it, or in a sidecar that is durable when this returns.
io::Task<Result<Intent>> WithLosses(CommitContext& context, Intent intent, const LostRanges& lost) {
  intent.lost = lost;
  if (format::EncodeIntent(intent).size() <= kIntentBytesMax) co_return intent;
  const std::string body = format::EncodeLostRanges(lost);
  intent.lost.clear();
  intent.lost_sidecar = format::LostSidecarKey(
      intent.form.prefix, context.options.queue, intent.window.k, ToHex(Sha256Of(body)));
  TIDEMARK_CO_TRY_VOID(co_await PutSidecar(context, intent.lost_sidecar, "application/json", body));
  co_return intent;
}

Manifest Describe(const CommitContext& context,
                  const Intent& intent,
                  WindowObjects objects,
                  LostRanges lost) {
  const std::int64_t now_ms = context.clock.Now().value() / kMicrosPerMilli;
  const std::int64_t bytes = objects.bytes();
  return {.sink = context.options.sink,
          .queue = context.options.queue,
          .window = intent.window,
          .format = std::string(format::ToString(intent.form.data_format)),
          .compression = std::string(format::ToString(intent.form.codec)),
          .layout = std::string(format::ToString(intent.form.layout)),
          .objects = std::move(objects.objects),
          .records = objects.facts.records,
          .bytes = bytes,
          .partitions = objects.facts.partitions,
          .min_ts = objects.facts.min_ts,
          .max_ts = objects.facts.max_ts,
          .lost = std::move(lost),
          .writer = intent.writer,
          .committed_at = Micros(now_ms * kMicrosPerMilli)};
}

// Steps 3 and 4.
io::Task<Result<CommittedWindow>> Seal(CommitContext& context,
                                       Documents& documents,
                                       Manifest manifest,
                                       std::string prefix) {
  const io::Failpoint armed = context.options.crash_at;
  const std::string key = format::ManifestKey(prefix, context.options.queue, manifest.window.k);
  TIDEMARK_CO_TRY_VOID(
      co_await PutSidecar(context, key, "application/json", format::EncodeManifest(manifest)));
  io::HitFailpoint(armed, io::Failpoint::kAfterUpload);

  const format::Committed committed{
      .k = manifest.window.k,
      .t_end = manifest.window.end,
      .manifest = key,
      .records = manifest.records,
      .bytes = manifest.bytes,
      .committed_at_ms = manifest.committed_at.value() / kMicrosPerMilli};
  io::HitFailpoint(armed, io::Failpoint::kBeforeCommit);
  TIDEMARK_CO_TRY_VOID(co_await WriteCommitted(context, documents, committed));
  io::HitFailpoint(armed, io::Failpoint::kAfterCommit);
  co_return CommittedWindow{.committed = committed,
                            .manifest = std::move(manifest),
                            .lost_unreported = {},
                            .newline_payloads = 0};
}

// A PUT of the owner before us may be on its way, and may hold more than the log still gives. A
// drain does not wait: nothing was done yet, and the next start waits anew.
io::Task<Status> AwaitStrayPuts(CommitContext& context, format::WindowNumber k) {
  const Lease& lease = context.lease;
  const io::Duration alive = lease.taken_over() ? lease.ttl() : io::Duration(0);
  const io::Duration until = lease.claimed_at() + alive + context.options.put_timeout;
  const io::Duration wait = until - context.loop.Now();
  if (wait <= io::Duration(0)) co_return Status();
  context.Warn(fmt::format(
      "redo of window {}: the log has lost records of it; for {} s a PUT of its owner before may "
      "still bring them",
      k.value(),
      std::chrono::ceil<std::chrono::seconds>(wait).count()));
  const bool waited = co_await io::Sleep(context.loop, wait, context.drain);
  if (waited && !context.stop.stop_requested()) co_return Status();
  co_return Fail(ErrorCode::kCancelled, "wait for stray PUTs: told to stop");
}

struct Losses {
  LostRanges reported;
  LostRanges unreported;
};

// As long as the window is whole, its manifest carries what the intent says and nothing else,
// whoever builds it; what the log lost meanwhile belongs to a later window then.
Losses SplitLosses(const Intent& intent, const LostRanges& planned, const RedoneObjects& redone) {
  const LostRanges missing = Without(Without(planned, redone.adopted), intent.lost);
  const bool whole = intent.records && redone.window.facts.records >= *intent.records;
  if (whole) return {.reported = intent.lost, .unreported = missing};
  return {.reported = Union(intent.lost, missing), .unreported = {}};
}

// What neither the log nor the bucket holds any more and no loss names went with a deleted
// partition.
void WarnOfUnnamed(const CommitContext& context,
                   const Intent& intent,
                   std::int64_t records,
                   const Losses& losses) {
  if (!intent.records) return;
  const std::int64_t named = OffsetsIn(Without(losses.reported, intent.lost));
  const std::int64_t unnamed = *intent.records - records - named;
  if (unnamed <= 0) return;
  context.Warn(
      fmt::format("redo of window {}: {} of the {} records of its intent are gone with a partition "
                  "that was deleted; which ones cannot be told",
                  intent.window.k.value(),
                  unnamed,
                  *intent.records));
}

Status CheckCounts(const Intent& intent, std::int64_t records) {
  if (!intent.records || records <= *intent.records) return {};
  return Fail(ErrorCode::kCorruption,
              fmt::format("redo of window {}: {} records, the intent counts {}",
                          intent.window.k.value(),
                          records,
                          *intent.records));
}

}  // namespace

io::Task<Result<CommittedWindow>> CommitWindow(CommitContext& context,
                                               Documents& documents,
                                               WindowPlan plan,
                                               WindowSource& source) {
  CheckFollows(documents, plan.window);
  TIDEMARK_CHECK(plan.records > 0, "window {} has no records", plan.window.k.value());
  const format::Form form = context.options.form;
  const LostRanges lost = Normalized(std::move(plan.lost));

  Intent bare{.window = plan.window,
              .form = form,
              .writer = format::WriterName(form, context.options.version),
              .records = plan.records,
              .lost = {},
              .lost_sidecar = {}};
  TIDEMARK_CO_TRY(const Intent intent, co_await WithLosses(context, std::move(bare), lost));
  TIDEMARK_CO_TRY_VOID(co_await WriteIntent(context, documents, intent));
  io::HitFailpoint(context.options.crash_at, io::Failpoint::kAfterIntent);

  TIDEMARK_CO_TRY(auto objects,
                  co_await UploadObjects(context, form, plan.window, plan.records, source));
  const std::int64_t newline_payloads = objects.newline_payloads;
  Manifest manifest = Describe(context, intent, std::move(objects), lost);
  TIDEMARK_CO_TRY(auto done, co_await Seal(context, documents, std::move(manifest), form.prefix));
  done.newline_payloads = newline_payloads;
  co_return done;
}

io::Task<Result<CommittedWindow>> RedoWindow(CommitContext& context,
                                             Documents& documents,
                                             WindowPlan plan,
                                             WindowSource& source) {
  TIDEMARK_CHECK(documents.redo_pending() && documents.intent->window == plan.window,
                 "redo of window {} was not promised",
                 plan.window.k.value());
  const Intent intent = *documents.intent;
  TIDEMARK_CO_TRY_VOID(CheckCounts(intent, plan.records));
  if (intent.records && plan.records < *intent.records)
    TIDEMARK_CO_TRY_VOID(co_await AwaitStrayPuts(context, plan.window.k));

  TIDEMARK_CO_TRY(auto redone, co_await AdoptOrUpload(context, intent, plan.records, source));
  TIDEMARK_CO_TRY_VOID(CheckCounts(intent, redone.window.facts.records));
  Losses losses = SplitLosses(intent, plan.lost, redone);
  WarnOfUnnamed(context, intent, redone.window.facts.records, losses);
  const std::int64_t newline_payloads = redone.window.newline_payloads;
  Manifest manifest =
      Describe(context, intent, std::move(redone.window), std::move(losses.reported));
  TIDEMARK_CO_TRY(auto done,
                  co_await Seal(context, documents, std::move(manifest), intent.form.prefix));
  done.lost_unreported = std::move(losses.unreported);
  done.newline_payloads = newline_payloads;
  co_return done;
}

std::int64_t CommitBytes(std::int64_t multipart_threshold_bytes) {
  return std::max(multipart_threshold_bytes, store::kPartBytes) + store::kPartBytes + kEncoderBytes;
}

}  // namespace tidemark::lake
