#include "tests/edge_pipeline/posting_source.h"

#include <fmt/format.h>

namespace tidemark::test {

namespace {

io::HttpServerRequest RequestOf(const Post& post) {
  io::HttpServerRequest request;
  request.method = "POST";
  request.path = "/v1/events/" + post.events.front().topic;
  request.headers.emplace_back("content-type", "application/x-ndjson");
  if (!post.key.empty()) request.headers.emplace_back("idempotency-key", post.key);
  for (const Event& event : post.events) request.body += event.payload + "\n";
  return request;
}

}  // namespace

void Clients::Plan(int posts, std::int64_t& next_number) {
  for (; posts > 0; --posts) {
    Post post;
    post.events.push_back(NewPosted(next_number++, random_));
    for (auto more = random_.Next() % 4; more > 0; --more) {
      Event event = NewPosted(next_number, random_);
      if (event.topic != post.events.front().topic) continue;
      ++next_number;
      post.events.push_back(std::move(event));
    }
    if (random_.Next() % 3 == 0) post.key = fmt::format("post {}", next_number);
    posts_.push_back(std::move(post));
    planned_.push_back(&posts_.back());
  }
}

io::Task<void> Clients::SendAll(edge::HttpSource& source, io::Loop& loop, std::stop_token stop) {
  while (!planned_.empty() && !stop.stop_requested()) {
    Post& post = *planned_.front();
    planned_.pop_front();
    auto request = RequestOf(post);
    const auto answer = co_await source.Answer(request);
    if (answer.status == 202) {
      post.acknowledged = true;
      if (answer.body.find("repeated") != std::string::npos) ++repeated_;
    }
    const bool again = answer.status != 202 || random_.Next() % 8 == 0;
    if (!post.key.empty() && again) planned_.push_back(&post);
    const auto pause = std::chrono::milliseconds(random_.Next() % 1500);
    co_await io::Sleep(loop, pause, stop);
  }
}

}  // namespace tidemark::test
