#include "verify/verify_lake.h"

#include <map>
#include <utility>

#include "format/object_key.h"
#include "verify/lake_index.h"
#include "verify/queue_check.h"
#include "verify/stray_check.h"

namespace tidemark::verify {

io::Task<Result<Report>> VerifyLake(store::ObjectStore& store, VerifyOptions options) {
  Report report;
  LakeIndex index;
  Progress progress;
  const std::string root = format::SidecarRoot(options.prefix);
  const ObjectVisitor enter = [&](const store::ObjectInfo& object) {
    IndexSidecar(options.prefix, object.key, index, report.findings);
  };
  TIDEMARK_CO_TRY_VOID(co_await ListAll(store, root, enter));
  for (const auto& [queue, sidecars] : index) {
    progress.windows_total += static_cast<std::int64_t>(sidecars.manifests.size());
  }

  std::map<std::string, KnownWindows> windows;
  for (const auto& [queue, sidecars] : index) {
    progress.queue = queue;
    const std::function<void(std::int64_t)> on_window = [&](std::int64_t bytes) {
      ++progress.windows_read;
      progress.bytes_read += bytes;
      if (options.on_progress) options.on_progress(progress);
    };
    QueueCheck check(store, options.prefix, queue, sidecars, report.findings);
    TIDEMARK_CO_TRY_VOID(co_await check.Run(on_window));
    report.queues.push_back(check.TakeReport());
    windows.emplace(queue, check.TakeWindows());
  }

  StrayCheck strays(store, options.prefix, windows, report);
  TIDEMARK_CO_TRY_VOID(co_await strays.Run());
  co_return std::move(report);
}

}  // namespace tidemark::verify
