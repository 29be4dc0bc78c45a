#include "lake/sink/complete_file.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "format/object_key.h"
#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

namespace {

bool SaysTheSame(const format::Complete& a, const format::Complete& b) {
  return a.k == b.k && a.complete_through == b.complete_through && a.lost == b.lost;
}

}  // namespace

void CompleteFile::OnCommitted(const format::Manifest& manifest) {
  k_ = manifest.window.k;
  if (!first_own_) first_own_ = k_;
  lost_ += OffsetsIn(manifest.lost);
}

void CompleteFile::Offer(Micros complete_through) {
  complete_through_ = std::max(complete_through_, complete_through);
  const bool due = attempted_k_ != k_ || context_.loop.Now() - attempted_at_ >= idle_interval_;
  if (writing_ || !due || complete_through_ == kMinusInfinity) return;
  if (!context_.lease.StillOurs()) return;
  writing_ = true;
  attempted_k_ = k_;
  attempted_at_ = context_.loop.Now();
  tasks_.Add(Write());
}

io::Task<void> CompleteFile::Write() {
  const Status written = co_await WriteOnce();
  if (!written) context_.Warn("complete.json is late: " + written.error().message);
  writing_ = false;
}

io::Task<Status> CompleteFile::WriteOnce() {
  if (!before_) {
    TIDEMARK_CO_TRY(before_, co_await ReadBefore());
    written_ = before_->file;
    // What an earlier life found complete stays so: nothing below it can become visible any more.
    const bool holds = written_ && written_->k <= k_;
    if (holds) complete_through_ = std::max(complete_through_, written_->complete_through);
  }
  if (!context_.lease.StillOurs()) co_return Status();
  const std::string& queue = context_.options.queue;
  format::Complete now{.queue = queue,
                       .k = k_,
                       .complete_through = complete_through_,
                       .lost = before_->lost + lost_,
                       .updated_at = context_.clock.Now()};
  if (written_ && SaysTheSame(*written_, now)) co_return Status();
  const auto body = std::make_shared<const std::string>(format::EncodeComplete(now));
  const std::string key = format::CompleteKey(context_.options.form.prefix, queue);
  TIDEMARK_CO_TRY_VOID(co_await context_.store.Put(key, "application/json", body));
  written_ = std::move(now);
  co_return Status();
}

// The windows between the file's and our first are those whose commit it missed.
io::Task<Result<CompleteFile::Before>> CompleteFile::ReadBefore() {
  const format::WindowNumber last = first_own_ ? *first_own_ - 1 : k_;
  const std::string key = format::CompleteKey(context_.options.form.prefix, context_.options.queue);
  TIDEMARK_CO_TRY(const auto text, co_await context_.store.Get(key));
  Before before;
  if (!text) co_return before;
  auto file = format::DecodeComplete(*text);
  if (!file) co_return before;
  before.lost = file->lost;
  for (format::WindowNumber k = file->k + 1; k <= last; k = k + 1) {
    TIDEMARK_CO_TRY(const std::int64_t lost, co_await LostIn(k));
    before.lost += lost;
  }
  before.file = std::move(*file);
  co_return before;
}

io::Task<Result<std::int64_t>> CompleteFile::LostIn(format::WindowNumber k) {
  if (context_.drain.stop_requested()) co_return Fail(ErrorCode::kCancelled, "told to stop");
  const std::string key =
      format::ManifestKey(context_.options.form.prefix, context_.options.queue, k);
  TIDEMARK_CO_TRY(const auto text, co_await context_.store.Get(key));
  const auto manifest = format::DecodeManifest(text.value_or(""));
  co_return manifest ? OffsetsIn(manifest->lost) : 0;
}

}  // namespace tidemark::lake
