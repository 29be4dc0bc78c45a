#pragma once
// How many queues this instance should hold, of those it serves together with others: the live
// instances of a sink tell each other by rows that expire (queen-interface 18), and who holds too
// many gives some back. It decides a spread and nothing else: who may write is the lease's
// business.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/loop.h"
#include "queen/broker.h"

namespace tidemark::lake {

struct FairShareOptions {
  std::string sink;
  std::string instance;
  std::string queue_set;                        // format::Presence
  io::Duration ttl = std::chrono::seconds(30);  // of the row, in whole seconds
};

// Loop thread; loop and broker outlive it.
class FairShare {
 public:
  FairShare(io::Loop& loop, queen::Broker& broker, FairShareOptions options);

  // Tells how many we hold and hears what the others do. A call that fails leaves what was known.
  io::Task<void> Exchange(std::int64_t held);
  // Tells that we are gone, so that nobody waits for the row to expire.
  io::Task<void> Leave();

  // What Exchange heard; for tests too.
  void OnPeers(std::vector<std::int64_t> held_by_others) { others_ = std::move(held_by_others); }

  // How eager an instance that holds `held` of `queues` should be for one more.
  enum class Appetite {
    kHungry,   // below what even division gives everybody: at once
    kContent,  // one more would be fair, if nobody else wants it
    kFull,     // only what nobody takes for long
  };
  Appetite AppetiteFor(std::int64_t held, std::int64_t queues) const;

  // How many of `held` to give back now: a quarter of what somebody else lacks, one at least.
  // Counts as given. What nobody took (an instance may live and still not serve) is offered again
  // ever more seldom.
  std::int64_t TakeSurplus(std::int64_t held, std::int64_t queues);

 private:
  std::int64_t HeldByOthers() const;

  io::Loop& loop_;
  queen::Broker& broker_;
  const FairShareOptions options_;
  const std::string key_;
  std::int64_t version_ = 0;
  std::vector<std::int64_t> others_;

  // The last offer, until it is seen to have been taken.
  struct Offer {
    std::int64_t held_by_others;
    io::Duration again_at;
  };

  std::optional<Offer> offer_;
  io::Duration pause_;
};

// The name of a queue set: `*` for every queue there is (`queues` empty), else a digest of the
// names.
std::string QueueSetName(std::vector<std::string> queues);

}  // namespace tidemark::lake
