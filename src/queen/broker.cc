#include "queen/broker.h"

#include <utility>

namespace tidemark::queen {

io::Task<Result<KvResult>> Broker::KvPutOne(KvPut put) {
  std::vector<KvPut> puts{std::move(put)};
  auto results = co_await KvPutEach(std::move(puts));
  if (!results) co_return std::unexpected(std::move(results.error()));
  co_return std::move(results->front());
}

}  // namespace tidemark::queen
