#include "tests/sim/service_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "datafile/reader.h"
#include "format/kv_documents.h"
#include "format/object_key.h"
#include "tests/support/noise.h"

namespace tidemark::testing {

namespace {

constexpr std::int64_t kMaxWindowMs = 60'000;

}  // namespace

Instance::Instance(const Surroundings& around, std::uint64_t seed, lake::ServiceOptions options)
    : loop(around.loop),
      pool(io::NewInlinePool(loop)),
      to_broker{.loop = loop, .outage = around.broker_outage},
      to_store{.loop = loop, .outage = around.store_outage},
      broker(around.broker, to_broker),
      store(around.store, to_store),
      random(seed),
      health(around.clock, kMaxWindowMs),
      log(around.clock, {}, [this](std::string_view line) { lines.emplace_back(line); }),
      board(around.clock, health, {}),
      service(World(around.clock), std::move(options)) {}

lake::ServiceWorld Instance::World(const io::Clock& clock) {
  const lake::LakeWorld world{.loop = loop,
                              .pool = *pool,
                              .broker = broker,
                              .store = store,
                              .clock = clock,
                              .random = random};
  return {world, metrics, health, log, board};
}

ServiceRig::ServiceRig(std::uint64_t seed, const std::vector<std::string>& queues)
    : broker_(loop_),
      bucket_(loop_),
      faulty_(loop_, bucket_),
      checked_(faulty_),
      clock_(broker_),
      seed_(seed) {
  for (const auto& queue : queues) AddQueue(queue);
  options_.queues = queues_;
  options_.memory_bytes = std::int64_t{128} << 20;
  lake::SinkOptions& sink = options_.sink;
  sink.engine.rules = {.target_bytes = std::int64_t{4} << 20,
                       .window_us_max = kMaxWindowMs * kMicrosPerMilli,
                       .guard_us = 0,
                       .align = format::Align::kHour};
  sink.commit.sink = "default";
  sink.commit.version = "test";
  sink.lease.sink = "default";
  sink.start.kind = lake::Start::Kind::kEarliest;
  sink.checkpoint_every = 5;
}

ServiceRig::~ServiceRig() {
  for (const auto& instance : instances_) {
    instance->drain.request_stop();
    instance->stop.request_stop();
    instance->loop.Thaw();
  }
  Advance(std::chrono::minutes(30));
  for (const auto& instance : instances_) EXPECT_TRUE(instance->ended);
}

Instance& ServiceRig::Start(const std::string& name) {
  lake::ServiceOptions options = options_;
  options.sink.lease.instance = name;
  lake::FitToBudget(options.memory_bytes, options.sink);
  const Surroundings around{.loop = loop_,
                            .broker = broker_,
                            .broker_outage = broker_outage_,
                            .store = checked_,
                            .store_outage = store_outage_,
                            .clock = clock_};
  instances_.push_back(
      std::make_unique<Instance>(around, seed_ + instances_.size(), std::move(options)));
  Instance& instance = *instances_.back();
  io::Spawn(instance.loop, Run(instance));
  return instance;
}

io::Task<void> ServiceRig::Run(Instance& instance) {
  const std::stop_token drain = instance.drain.get_token();
  const std::stop_token stop = instance.stop.get_token();
  co_await instance.service.Run(drain, stop);
  instance.ended = true;
}

void ServiceRig::Stop(Instance& instance) {
  instance.drain.request_stop();
  for (int minute = 0; minute < 10 && !instance.ended; ++minute) Advance(std::chrono::minutes(1));
  EXPECT_TRUE(instance.ended);
}

void ServiceRig::Kill(Instance& instance) {
  instance.loop.Freeze();
  instance.to_broker.dead = true;
  instance.to_store.dead = true;
}

void ServiceRig::AddQueue(const std::string& queue) {
  broker_.log().CreateQueue(queue);
  queues_.push_back(queue);
}

void ServiceRig::Push(int lanes, int records, std::size_t payload_bytes) {
  for (const auto& queue : queues_) PushTo(queue, lanes, records, payload_bytes);
}

void ServiceRig::PushTo(const std::string& queue,
                        int lanes,
                        int records,
                        std::size_t payload_bytes) {
  std::mt19937_64 random(payload_bytes);
  std::vector<std::string> payloads(static_cast<std::size_t>(records));
  for (auto& payload : payloads) payload = NoisyPayload(payload_bytes, random);
  for (int n = 0; n < lanes; ++n) {
    const std::string lane = fmt::format("lane-{}", n);
    const Offset first = broker_.log().Append(queue, lane, broker_.Now(), payloads);
    for (int i = 0; i < records; ++i) pushed_[queue].emplace_back(lane, first.value() + i);
  }
}

std::vector<ServiceRow> ServiceRig::Pushed(const std::string& queue) const {
  const auto found = pushed_.find(queue);
  auto rows = found == pushed_.end() ? std::vector<ServiceRow>() : found->second;
  std::ranges::sort(rows);
  return rows;
}

std::vector<ServiceRow> ServiceRig::Rows(const std::string& queue) const {
  std::vector<ServiceRow> rows;
  for (const auto& [key, object] : bucket_.objects()) {
    const auto parts = format::ParseDataKey("queen", key);
    if (!parts || parts->queue != queue) continue;
    const auto read =
        datafile::ReadObject(parts->extension, *object.bytes, [&](const format::RecordView& r) {
          rows.emplace_back(std::string(r.partition), r.offset.value());
          return true;
        });
    EXPECT_TRUE(read.has_value()) << key;
  }
  std::ranges::sort(rows);
  return rows;
}

std::vector<format::Manifest> ServiceRig::Manifests(const std::string& queue) const {
  std::vector<format::Manifest> manifests;
  for (const auto& [key, object] : bucket_.objects()) {
    if (!format::ParseManifestKey("queen", queue, key)) continue;
    manifests.push_back(*format::DecodeManifest(*object.bytes));
    const auto& window = manifests.back().window;
    EXPECT_EQ(window.k.value(), static_cast<std::int64_t>(manifests.size())) << queue;
    if (manifests.size() > 1) {
      EXPECT_GE(window.start, manifests.end()[-2].window.end) << key;
    }
  }
  return manifests;
}

std::string ServiceRig::HolderOf(const std::string& queue) {
  const auto rows = broker_.kv().GetMany({format::LeaseKey("default", queue)}, loop_.Now());
  if (rows->empty()) return "";
  return format::DecodeLease(rows->front().value)->instance;
}

std::map<std::string, int> ServiceRig::QueuesHeld() {
  std::map<std::string, int> held;
  for (const auto& queue : queues_) ++held[HolderOf(queue)];
  return held;
}

void ServiceRig::ExpectWhole() const {
  for (const auto& queue : queues_) {
    const auto rows = Rows(queue);
    EXPECT_EQ(rows.size(), Pushed(queue).size()) << queue;
    EXPECT_TRUE(rows == Pushed(queue)) << queue << ": rows are missing, doubled or others";
    for (const auto& manifest : Manifests(queue)) EXPECT_TRUE(manifest.lost.empty()) << queue;
  }
}

}  // namespace tidemark::testing
