#pragma once
// The broker's HTTP interface (queen-interface 1): reads a request, has the store carry it out,
// renders the answer. Errors are `{"error":…}` with the status codes of that page.

#include <atomic>
#include <string>

#include "broker/log_store.h"
#include "broker/long_polls.h"
#include "io/http_server.h"
#include "io/worker_pool.h"

namespace tidemark::broker {

class Api {
 public:
  // All borrowed, and outlive the last answer. `token` empty: everybody may call.
  Api(LogStore& store, LongPolls& polls, io::WorkerPool& workers, std::string token)
      : store_(store), polls_(polls), workers_(workers), token_(std::move(token)) {}

  // For the HTTP server, on its thread: returns at once; parsing and reading happen on the workers.
  void Handle(io::HttpServerRequest request, io::HttpResponder responder);

 private:
  bool MayCall(const io::HttpServerRequest& request) const;
  void Route(io::HttpServerRequest request, io::HttpResponder responder);
  void Push(std::string body, io::HttpResponder responder);
  void Fetch(const std::string& body, io::HttpResponder responder);
  void Changed(const std::string& body, io::HttpResponder responder);
  void Kv(const std::string& body, io::HttpResponder responder);
  void Configure(const std::string& body, io::HttpResponder responder);
  void ListQueues(io::HttpResponder responder);
  void DeleteQueue(std::string_view escaped_name, io::HttpResponder responder);

  LogStore& store_;
  LongPolls& polls_;
  io::WorkerPool& workers_;
  const std::string token_;
};

}  // namespace tidemark::broker
