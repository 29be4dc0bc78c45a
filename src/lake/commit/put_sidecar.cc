#include "lake/commit/put_sidecar.h"

#include <memory>
#include <utility>

#include "lake/commit/gated_store.h"

namespace tidemark::lake {

io::Task<Status> AwaitLease(CommitContext& context) {
  const auto attempt = [&] { return context.lease.EnsureOurs(); };
  co_return co_await Persist(context, "lease of " + context.options.queue, attempt);
}

io::Task<Status> PutSidecar(CommitContext& context,
                            std::string key,
                            std::string content_type,
                            std::string body) {
  GatedStore gated(context);
  const auto bytes = std::make_shared<const std::string>(std::move(body));
  const auto attempt = [&] { return gated.Put(key, content_type, bytes); };
  co_return co_await Persist(context, "put " + key, attempt);
}

}  // namespace tidemark::lake
