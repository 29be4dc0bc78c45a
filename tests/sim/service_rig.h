#pragma once
// Whole `tidemark lake` processes but for their sockets, in virtual time: any number of instances
// of LakeService over one broker and one bucket, each with its own loop, memory and connections,
// which can be cut, frozen and killed. Every key ever written is watched.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "format/manifest.h"
#include "io/sim_loop.h"
#include "lake/service/lake_service.h"
#include "store/checked_store.h"
#include "store/faulty_store.h"
#include "store/memory_store.h"
#include "tests/sim/freezable_loop.h"
#include "tests/support/memory_broker.h"
#include "tests/support/relays.h"

namespace tidemark::testing {

// The wall clock of virtual time: the broker's clock, which has no reason to differ here.
class BrokerClock final : public io::Clock {
 public:
  explicit BrokerClock(const MemoryBroker& broker) : broker_(broker) {}

  Micros Now() const override { return broker_.Now(); }

 private:
  const MemoryBroker& broker_;
};

// What lies between a process and a peer: it can be down, as for everybody, or dead with its
// process.
struct Connection {
  enum class Outage { kNone, kRefused, kSilent };

  io::Loop& loop;        // of the process: answers come back through it
  const Outage& outage;  // of the peer
  bool dead = false;

  template <typename R>
  io::Task<R> Pass(io::Task<R> call) {
    const io::Yield turn{loop};
    co_await turn;
    if (dead) co_return Fail(ErrorCode::kCancelled, "the process is dead");
    if (outage == Outage::kRefused) co_return Fail(ErrorCode::kUnavailable, "connection refused");
    if (outage == Outage::kSilent) {
      co_await io::Sleep(loop, std::chrono::seconds(30), std::stop_token());
      co_return Fail(ErrorCode::kOutcomeUnknown, "no answer in 30 s");
    }
    R answer = co_await call;
    co_await turn;
    co_return answer;
  }
};

// What all processes share.
struct Surroundings {
  io::Loop& loop;
  queen::Broker& broker;
  const Connection::Outage& broker_outage;
  store::ObjectStore& store;
  const Connection::Outage& store_outage;
  const io::Clock& clock;
};

// One process. Reached through ServiceRig.
struct Instance {
  Instance(const Surroundings& around, std::uint64_t seed, lake::ServiceOptions options);

  lake::ServiceWorld World(const io::Clock& clock);

  FreezableLoop loop;
  std::unique_ptr<io::WorkerPool> pool;
  Connection to_broker;
  Connection to_store;
  RelayedBroker<Connection> broker;
  RelayedStore<Connection> store;
  io::SeededRandom random;
  obs::Metrics metrics;
  obs::Health health;
  std::vector<std::string> lines;  // of its log
  obs::Log log;
  lake::StatusBoard board;
  lake::LakeService service;
  std::stop_source drain;
  std::stop_source stop;
  bool ended = false;
};

// partition, offset
using ServiceRow = std::tuple<std::string, std::int64_t>;

class ServiceRig {
 public:
  // The queues are created; every instance serves them all.
  ServiceRig(std::uint64_t seed, const std::vector<std::string>& queues);

  // Ends what still runs, thawed first: frozen to the end is not what a process may be.
  ~ServiceRig();

  MemoryBroker& broker() { return broker_; }

  store::FaultyStore& store_faults() { return faulty_; }

  lake::ServiceOptions& options() { return options_; }

  const std::vector<std::string>& queues() const { return queues_; }

  void AddQueue(const std::string& queue);

  // For every instance, from now on.
  void SetBrokerOutage(Connection::Outage outage) { broker_outage_ = outage; }

  void SetStoreOutage(Connection::Outage outage) { store_outage_ = outage; }

  Instance& Start(const std::string& name);
  // Drains it, and waits for its end (ten minutes at most).
  void Stop(Instance& instance);
  // As kill -9: nothing of it reaches anybody any more. What is under way at a peer is done there.
  void Kill(Instance& instance);

  void Advance(io::Duration time) { loop_.RunUntil(loop_.Now() + time); }

  // One segment of `records` records in each of `lanes` lanes of each queue, stamped now.
  void Push(int lanes, int records, std::size_t payload_bytes);
  void PushTo(const std::string& queue, int lanes, int records, std::size_t payload_bytes);

  // All rows pushed to a queue, and all read back from its data objects; both sorted.
  std::vector<ServiceRow> Pushed(const std::string& queue) const;
  std::vector<ServiceRow> Rows(const std::string& queue) const;

  // Checked to be numbered from 1 without a gap, and to tile.
  std::vector<format::Manifest> Manifests(const std::string& queue) const;

  // Who holds the lease of a queue; empty: nobody.
  std::string HolderOf(const std::string& queue);
  std::map<std::string, int> QueuesHeld();

  // Every pushed record once in the lake, of all queues.
  void ExpectWhole() const;

 private:
  io::Task<void> Run(Instance& instance);

  io::SimLoop loop_;
  MemoryBroker broker_;
  store::MemoryStore bucket_;
  store::FaultyStore faulty_;
  store::CheckedStore checked_;
  BrokerClock clock_;
  Connection::Outage broker_outage_ = Connection::Outage::kNone;
  Connection::Outage store_outage_ = Connection::Outage::kNone;
  const std::uint64_t seed_;
  std::vector<std::string> queues_;
  lake::ServiceOptions options_;
  std::vector<std::unique_ptr<Instance>> instances_;
  std::map<std::string, std::vector<ServiceRow>> pushed_;
};

}  // namespace tidemark::testing
