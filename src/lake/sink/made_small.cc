#include "lake/sink/made_small.h"

#include <utility>

#include "io/worker_pool.h"
#include "queen/pack_answer.h"

namespace tidemark::lake {

io::Task<queen::FetchAnswer> MadeSmall(LakeWorld world, bool crowded, queen::FetchAnswer answer) {
  if (!crowded) co_return answer;
  const auto pack = [&] { return queen::Packed(std::move(answer)); };
  co_return co_await io::RunOn(world.loop, world.pool, pack);
}

}  // namespace tidemark::lake
