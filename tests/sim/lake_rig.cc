#include "tests/sim/lake_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "datafile/reader.h"
#include "format/object_key.h"

namespace tidemark::testing {

namespace {

constexpr const char* kQueue = "orders";

}  // namespace

std::uint64_t SeedCount(std::uint64_t usual) {
  const char* const wanted = std::getenv("TIDEMARK_SEEDS");
  return wanted == nullptr ? usual : std::stoull(wanted);
}

std::string HeavyPayload() { return fmt::format("\"{}\"", std::string(30'000, 'x')); }

LakeRig::LakeRig(std::uint64_t seed, std::int64_t budget_bytes)
    : pool_(io::NewInlinePool(loop_)),
      broker_(loop_),
      bucket_(loop_),
      faulty_(loop_, bucket_),
      checked_(faulty_),
      clock_(*ParseIso("2026-09-04T10:00:00Z")),
      random_(seed),
      budget_(budget_bytes) {
  options_.engine.queue = kQueue;
  options_.engine.rules.guard_us = 0;
  options_.commit.sink = "default";
  options_.commit.queue = kQueue;
  options_.commit.version = "test";
  options_.lease.sink = "default";
  options_.lease.queue = kQueue;
  options_.start.kind = lake::Start::Kind::kEarliest;
  options_.checkpoint_every = 2;
  broker_.log().CreateQueue(kQueue);
}

void LakeRig::TightenMemory() {
  options_.engine.rules.window_us_max = kMicrosPerHour;
  options_.engine.fetch.concurrency = 2;
  options_.engine.fetch.call_bytes = 64 << 10;
}

void LakeRig::Start(const std::string& instance) {
  if (drain_.stop_requested()) drain_ = std::stop_source();
  if (stop_.stop_requested()) stop_ = std::stop_source();
  auto options = options_;
  options.lease.instance = instance;
  const lake::LakeWorld world{.loop = loop_,
                              .pool = *pool_,
                              .broker = broker_,
                              .store = checked_,
                              .clock = clock_,
                              .random = random_};
  auto sink = std::make_unique<lake::QueueSink>(
      lake::SinkWorld{world, budget_}, std::move(options), counts_);
  io::Spawn(loop_, RunOne(std::move(sink), drain_.get_token(), stop_.get_token()));
}

io::Task<void> LakeRig::RunOne(std::unique_ptr<lake::QueueSink> sink,
                               std::stop_token drain,
                               std::stop_token stop) {
  ends_.push_back(co_await sink->Run(drain, stop));
}

void LakeRig::Stop() {
  drain_.request_stop();
  Advance(std::chrono::minutes(10));
}

void LakeRig::Kill() {
  drain_.request_stop();
  stop_.request_stop();
  Advance(std::chrono::minutes(10));
}

Status LakeRig::RunFor(io::Duration time, const std::string& instance) {
  Start(instance);
  Advance(time);
  Stop();
  return ends_.back();
}

void LakeRig::PlanDeath(std::mt19937_64& random) {
  const Error refused{.code = ErrorCode::kInvalidArgument, .message = "dead"};
  const int nth = 1 + static_cast<int>(random() % 8);
  switch (random() % 4) {
    case 0:
      broker_.Add({.call = Call::kKvPutAll, .nth = nth, .fail_before = refused});
      return;
    case 1:
      broker_.Add({.call = Call::kKvPutAll, .nth = nth, .fail_after = refused});
      return;
    case 2:
      faulty_.Plant(
          {.operation = store::Operation::kPut,
           .key_part = random() % 2 == 0 ? "/w-" : "/windows/",
           .kind = random() % 2 == 0 ? store::Fault::Kind::kFail : store::Fault::Kind::kLoseReply,
           .error = refused});
      return;
    default:
      return;
  }
}

Status LakeRig::LiveOut() {
  Status ended;
  for (int life = 0; life < 100; ++life) {
    ended = RunFor(std::chrono::hours(1));
    if (ended.error().code == ErrorCode::kCancelled) break;
  }
  return ended;
}

std::vector<format::Manifest> LakeRig::Manifests() const {
  std::vector<format::Manifest> manifests;
  for (const auto& [key, object] : bucket_.objects()) {
    if (!format::ParseManifestKey("queen", kQueue, key)) continue;
    manifests.push_back(*format::DecodeManifest(*object.bytes));
    EXPECT_EQ(manifests.back().window.k.value(), static_cast<std::int64_t>(manifests.size()));
  }
  return manifests;
}

std::vector<LakeRow> LakeRig::Rows() const {
  std::vector<LakeRow> rows;
  for (const auto& object : Objects()) {
    for (const auto& [partition, offset, ts] : object) rows.emplace_back(partition, offset);
  }
  return rows;
}

std::vector<std::vector<LakeRecord>> LakeRig::Objects() const {
  std::vector<std::vector<LakeRecord>> all;
  for (const auto& [key, object] : bucket_.objects()) {
    const auto parts = format::ParseDataKey("queen", key);
    if (!parts) continue;
    auto& rows = all.emplace_back();
    const auto read =
        datafile::ReadObject(parts->extension, *object.bytes, [&](const format::RecordView& r) {
          rows.emplace_back(std::string(r.partition), r.offset.value(), r.ts.value());
          return true;
        });
    EXPECT_TRUE(read.has_value()) << key;
  }
  return all;
}

}  // namespace tidemark::testing
