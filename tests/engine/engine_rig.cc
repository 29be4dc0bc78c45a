#include "tests/engine/engine_rig.h"

#include <algorithm>

#include "queen/pack_answer.h"

namespace tidemark::testing {

namespace {

constexpr const char* kQueue = "orders";

lake::EngineOptions Options(lake::ClosingRules rules, lake::FetchLimits fetch) {
  return {.queue = kQueue, .rules = rules, .fetch = fetch};
}

}  // namespace

lake::ClosingRules NoGuard() {
  lake::ClosingRules rules;
  rules.guard_us = 0;
  return rules;
}

EngineRig::EngineRig(lake::EngineStart start,
                     lake::ClosingRules rules,
                     lake::FetchLimits fetch,
                     std::int64_t budget_bytes)
    : budget_(budget_bytes),
      engine_(
          std::make_unique<lake::WindowEngine>(Options(rules, fetch), std::move(start), budget_)) {
  log_.CreateQueue(kQueue);
}

void EngineRig::Poll() {
  auto actions = engine_->Poll();
  if (actions.discover) AskForPage(*actions.discover);
  for (const auto& call : actions.fetches) AskFor(call);
  recreated_.insert(recreated_.end(), actions.recreated.begin(), actions.recreated.end());
  if (!actions.audit.empty()) AskForAudit(actions.audit);
  peak_ = std::max(peak_, budget_.used());
  if (actions.plan) Commit(std::move(*actions.plan));
}

void EngineRig::AskForPage(const queen::DiscoveryEntry& entry) {
  const auto ask = [this, entry] { return log_.Discover({entry}, kPlusInfinity); };
  auto early = as_issued_ ? std::optional(ask()) : std::nullopt;
  pending_.emplace_back([this, ask, early] {
    const auto answer = early ? *early : ask();
    engine_->OnDiscovery(answer->entries[0], answer->safe_time);
  });
}

void EngineRig::AskFor(const lake::FetchCall& call) {
  ++fetches_;
  entries_max_ = std::max(entries_max_, call.request.entries.size());
  auto early = as_issued_ ? std::optional(log_.Fetch(call.request)) : std::nullopt;
  pending_.emplace_back([this, call, early] {
    auto answer = early ? *early : log_.Fetch(call.request);
    if (failing_ || !answer) {
      engine_->OnFetchFailed(call.id, !failing_);
    } else {
      AnswerFetch(call, std::move(*answer));
    }
  });
}

void EngineRig::AnswerFetch(const lake::FetchCall& call, queen::FetchAnswer answer) {
  for (std::size_t i = 0; i < answer.entries.size(); ++i) {
    const bool refused = call.request.entries[i].partition == refused_;
    if (refused) answer.entries[i] = {.error = refusal_};
    records_answered_ += answer.entries[i].records.size();
  }
  if (packing_) answer = queen::Packed(std::move(answer));
  engine_->OnFetch(call.id, std::move(answer));
}

void EngineRig::AskForAudit(const std::vector<std::string>& partitions) {
  audited_.insert(audited_.end(), partitions.begin(), partitions.end());
  pending_.emplace_back([this, partitions] {
    std::vector<format::Checkpoint::Position> found;
    for (const auto& entry : shipped_) {
      if (std::ranges::count(partitions, entry.partition) > 0) found.push_back(entry);
    }
    engine_->OnAudited(found);
  });
}

void EngineRig::Answer(std::size_t index) {
  const auto act = std::move(pending_[index]);
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
  act();
}

void EngineRig::Settle(const std::function<std::size_t(std::size_t)>& pick) {
  engine_->OnInterval();
  std::size_t windows = 0;
  do {
    windows = windows_.size();
    Poll();
    while (!pending_.empty() && !engine_->fault()) {
      Answer(pick ? pick(pending_.size()) : 0);
      Poll();
      // With a peer that always fails the calls come again for ever: one round is enough.
      if (failing_ && pending_.size() < 2) return;
    }
  } while (windows != windows_.size());
}

void EngineRig::Commit(lake::Plan plan) {
  RigWindow done{.window = plan.window,
                 .rows = {},
                 .lost = plan.lost,
                 .holes = plan.holes,
                 .from_log = plan.from_log};
  std::vector<format::Checkpoint::Position> positions;
  if (plan.from_log) {
    done.rows = ReadBack(plan, positions);
  } else {
    for (const auto& lane : plan.lanes) {
      for (const auto& run : lane.runs) {
        for (const auto& record : run.view()) {
          done.rows.emplace_back(lane.partition, record.offset.value(), record.ts.value());
        }
      }
    }
  }
  windows_.push_back(std::move(done));
  plan = {};
  engine_->OnCommitted(positions, {});
}

std::vector<Row> EngineRig::ReadBack(const lake::Plan& plan,
                                     std::vector<format::Checkpoint::Position>& positions) {
  std::vector<Row> rows;
  for (const auto& lane : plan.lanes) {
    Offset next = lane.from;
    for (bool more = true; more;) {
      const auto answer =
          log_.Fetch({.queue = kQueue, .entries = {{.partition = lane.partition, .offset = next}}});
      more = !answer->entries[0].records.empty();
      for (const auto& record : answer->entries[0].records) {
        if (record.ts >= plan.window.end) {
          more = false;
          break;
        }
        next = record.offset + 1;
        if (record.ts < plan.window.start) continue;
        rows.emplace_back(lane.partition, record.offset.value(), record.ts.value());
      }
    }
    positions.push_back({.partition = lane.partition, .next = next});
  }
  return rows;
}

std::vector<Row> EngineRig::rows() const {
  std::vector<Row> all;
  for (const auto& window : windows_) all.insert(all.end(), window.rows.begin(), window.rows.end());
  return all;
}

}  // namespace tidemark::testing
