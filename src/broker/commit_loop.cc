#include "broker/commit_loop.h"

#include <utility>

namespace tidemark::broker {

namespace {

// Bounds of one transaction: its time is everybody's latency, its pages are in memory until it
// commits.
constexpr std::size_t kGroupPiecesMax = 1024;
constexpr std::size_t kGroupBytesMax = std::size_t{32} << 20;

}  // namespace

CommitLoop::CommitLoop(LogWriter& writer, OnNews on_news)
    : writer_(writer), on_news_(std::move(on_news)), thread_([this] { Run(); }) {}

CommitLoop::~CommitLoop() { Stop(); }

void CommitLoop::Submit(Piece piece) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      waiting_.push_back(std::move(piece));
      wake_.notify_one();
      return;
    }
  }
  piece.done(Fail(ErrorCode::kCancelled, "the broker is stopping"));
}

void CommitLoop::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void CommitLoop::Run() {
  while (true) {
    std::vector<Piece> group = NextGroup();
    if (group.empty()) return;
    CommitGroup(std::move(group));
  }
}

// Empty: stopped, and nothing is waiting.
std::vector<CommitLoop::Piece> CommitLoop::NextGroup() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  std::vector<Piece> group;
  std::size_t bytes = 0;
  while (!waiting_.empty() && group.size() < kGroupPiecesMax && bytes < kGroupBytesMax) {
    const bool alone = waiting_.front().grouping == Grouping::kAlone;
    if (alone && !group.empty()) break;
    bytes += waiting_.front().weight;
    group.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (alone) break;
  }
  return group;
}

void CommitLoop::CommitGroup(std::vector<Piece> group) {
  Status status = writer_.Begin();
  for (Piece& piece : group) {
    if (status) status = piece.work(writer_);
  }
  if (status) status = writer_.Commit();
  if (status) {
    auto news = writer_.Publish();
    if (!news.empty()) on_news_(std::move(news));
  } else {
    writer_.Abandon();
  }
  for (Piece& piece : group) piece.done(status);
}

}  // namespace tidemark::broker
