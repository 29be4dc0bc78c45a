#include "lake/commit/stranded_uploads.h"

#include <fmt/format.h>

#include <utility>

#include "format/object_key.h"

namespace tidemark::lake {

namespace {

void Warn(const CommitContext& context, const Error& error) {
  context.Warn("unfinished uploads of a former process may be left: " + error.message);
}

}  // namespace

io::Task<void> AbortStrandedUploads(CommitContext& context, std::string prefix) {
  const std::string folder = format::QueueFolder(prefix, context.options.queue);
  const auto uploads = co_await context.store.ListUploads(folder);
  if (!uploads.has_value()) {
    Warn(context, uploads.error());
    co_return;
  }
  for (const store::UploadId& upload : *uploads) {
    if (!format::ParseDataKey(prefix, upload.key).has_value()) continue;
    if (!context.lease.StillOurs()) co_return;  // what was listed may be its new owner's
    const Status aborted = co_await context.store.AbortUpload(upload);
    if (!aborted) Warn(context, aborted.error());
  }
}

}  // namespace tidemark::lake
