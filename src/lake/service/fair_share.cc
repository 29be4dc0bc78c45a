#include "lake/service/fair_share.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/digest.h"
#include "format/presence.h"

namespace tidemark::lake {

namespace {

// An offer that was not taken is repeated after four times to live, then eight, and so on.
constexpr int kFirstPauseTtls = 4;
constexpr io::Duration kPauseMost = std::chrono::hours(1);

}  // namespace

FairShare::FairShare(io::Loop& loop, queen::Broker& broker, FairShareOptions options)
    : loop_(loop),
      broker_(broker),
      options_(std::move(options)),
      key_(format::PresenceKey(options_.sink, options_.instance)),
      pause_(kFirstPauseTtls * options_.ttl) {}

io::Task<void> FairShare::Exchange(std::int64_t held) {
  const format::Presence ours{
      .instance = options_.instance, .queue_set = options_.queue_set, .held = held};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.ttl).count();
  queen::KvPut row{.key = key_,
                   .value = format::EncodePresence(ours),
                   .ttl_seconds = std::max<std::int64_t>(seconds, 1),
                   .expect = std::nullopt};
  const auto told = co_await broker_.KvPutOne(std::move(row));
  if (told) version_ = told->version;
  std::string prefix = format::PresencePrefix(options_.sink);
  const auto rows = co_await broker_.KvGetPrefix(std::move(prefix));
  if (!rows) co_return;
  std::vector<std::int64_t> others;
  for (const auto& row_of : *rows) {
    const auto peer = format::DecodePresence(row_of.value);
    if (!peer || peer->instance == options_.instance) continue;
    if (peer->queue_set == options_.queue_set) others.push_back(peer->held);
  }
  OnPeers(std::move(others));
}

io::Task<void> FairShare::Leave() {
  if (version_ == 0) co_return;
  IgnoreError(co_await broker_.KvDelete(key_, version_), "it expires");
}

FairShare::Appetite FairShare::AppetiteFor(std::int64_t held, std::int64_t queues) const {
  const std::int64_t instances = std::ssize(others_) + 1;
  if (held < queues / instances) return Appetite::kHungry;
  return held * instances < queues ? Appetite::kContent : Appetite::kFull;
}

std::int64_t FairShare::HeldByOthers() const {
  return std::accumulate(others_.begin(), others_.end(), std::int64_t{0});
}

std::int64_t FairShare::TakeSurplus(std::int64_t held, std::int64_t queues) {
  if (others_.empty() || *std::ranges::min_element(others_) + 2 > held) return 0;
  if (offer_ && HeldByOthers() > offer_->held_by_others) {
    offer_.reset();
    pause_ = kFirstPauseTtls * options_.ttl;
  }
  if (offer_ && loop_.Now() < offer_->again_at) return 0;
  if (offer_) pause_ = std::min(2 * pause_, kPauseMost);
  offer_ = Offer{.held_by_others = HeldByOthers(), .again_at = loop_.Now() + pause_};
  const std::int64_t surplus = held - queues / (std::ssize(others_) + 1);
  return std::max<std::int64_t>(surplus / 4, 1);
}

std::string QueueSetName(std::vector<std::string> queues) {
  if (queues.empty()) return "*";
  std::ranges::sort(queues);
  std::string names;
  for (const auto& queue : queues) names += queue + '\n';
  return ToHex(Sha256Of(names)).substr(0, 16);
}

}  // namespace tidemark::lake
