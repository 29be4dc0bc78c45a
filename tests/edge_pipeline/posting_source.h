#pragma once
// Clients of an http source, and the source itself; only the sockets between them are left out.

#include <deque>
#include <memory>

#include "edge/source/http_source.h"
#include "tests/edge_pipeline/events.h"

namespace tidemark::test {

// The clients: what they have to send, and what they were told.
class Clients {
 public:
  explicit Clients(io::Random& random) : random_(random) {}

  // So many new posts, sent one after the other.
  void Plan(int posts, std::int64_t& next_number);

  // A post with a key is sent until it is acknowledged, in later lives too, and now and then once
  // more.
  io::Task<void> SendAll(edge::HttpSource& source, io::Loop& loop, std::stop_token stop);

  // Nothing is left to be sent; posts without a key are sent once.
  bool done() const { return planned_.empty(); }

  const std::deque<Post>& posts() const { return posts_; }

  std::size_t repeated() const { return repeated_; }

 private:
  io::Random& random_;
  std::deque<Post> posts_;     // all there ever were
  std::deque<Post*> planned_;  // in posts_
  std::size_t repeated_ = 0;
};

// Ends when the clients have nothing left to send. `clients` outlives it.
class PostingSource final : public edge::Source {
 public:
  PostingSource(std::unique_ptr<edge::HttpSource> http, Clients& clients, io::Loop& loop)
      : http_(std::move(http)), clients_(clients), loop_(loop) {}

  io::Task<Status> Run(std::stop_token stop) override {
    co_await clients_.SendAll(*http_, loop_, std::move(stop));
    co_return Status();
  }

  edge::SourceCounters counters() const override { return http_->counters(); }

 private:
  std::unique_ptr<edge::HttpSource> http_;
  Clients& clients_;
  io::Loop& loop_;
};

}  // namespace tidemark::test
