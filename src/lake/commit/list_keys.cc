#include "lake/commit/list_keys.h"

#include <iterator>
#include <utility>

namespace tidemark::lake {

namespace {

constexpr int kPageKeys = 1000;
constexpr int kPagesMax = 1000;

}  // namespace

io::Task<Result<std::vector<store::ObjectInfo>>> ListKeys(CommitContext& context,
                                                          std::string prefix,
                                                          std::string start_after) {
  std::vector<store::ObjectInfo> found;
  for (int pages = 0; pages < kPagesMax; ++pages) {
    const auto attempt = [&] { return context.store.List(prefix, start_after, kPageKeys); };
    TIDEMARK_CO_TRY(auto page, co_await Persist(context, "list " + prefix, attempt));
    if (!page.objects.empty()) start_after = page.objects.back().key;
    const bool last = !page.truncated || page.objects.empty();
    std::ranges::move(page.objects, std::back_inserter(found));
    if (last) co_return found;
  }
  co_return Fail(ErrorCode::kInvalidArgument, "list " + prefix + ": more than a million keys");
}

}  // namespace tidemark::lake
