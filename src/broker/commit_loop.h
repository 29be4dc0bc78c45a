#pragma once
// Group commit: one thread carries out what is submitted, as many pieces in one transaction as are
// waiting, so that one sync to disk serves them all. A piece is answered (`done`) only when its
// transaction is on disk and visible, or with the error that kept it from that.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "broker/log_writer.h"

namespace tidemark::broker {

class CommitLoop {
 public:
  // Runs inside the transaction. An error abandons the whole transaction, with all its pieces: a
  // refusal that leaves nothing behind is not an error, but a value that `work` keeps for its
  // `done`.
  using Work = std::move_only_function<Status(LogWriter& writer)>;
  using Done = std::move_only_function<void(Status status)>;
  // Told, before the pieces' `done`, which lanes grew.
  using OnNews = std::function<void(std::vector<LaneNews> news)>;

  enum class Grouping {
    kShared,
    kAlone,  // a transaction of its own: for what changes queues, which the others take as given
  };

  // `weight`: about how many bytes the piece writes.
  struct Piece {
    Work work;
    Done done;
    Grouping grouping = Grouping::kShared;
    std::size_t weight = 0;
  };

  // `writer` must outlive this.
  CommitLoop(LogWriter& writer, OnNews on_news);
  // Finishes what was submitted.
  ~CommitLoop();

  // Any thread. After Stop the piece is done with kCancelled.
  void Submit(Piece piece);

  // Finishes what was submitted and ends the thread.
  void Stop();

 private:
  void Run();
  std::vector<Piece> NextGroup();
  void CommitGroup(std::vector<Piece> group);

  LogWriter& writer_;
  OnNews on_news_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Piece> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tidemark::broker
