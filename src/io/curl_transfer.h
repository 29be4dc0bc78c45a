#pragma once
// One HTTP exchange as libcurl sees it; a part of curl_http_client.cc.

#include <curl/curl.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/http.h"

namespace tidemark::io {

// Made on any thread, then used by the client's thread alone.
class CurlTransfer {
 public:
  using Done = std::move_only_function<void(Result<HttpResponse>)>;

  CurlTransfer(HttpRequest request, Done done);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* handle() const { return handle_.get(); }

  // The exchange ended with `code`: reports its result. Once.
  void Finish(CURLcode code);
  void Cancel();

 private:
  struct FreeHandle {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };

  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  static std::size_t OnHeader(char* data, std::size_t one, std::size_t size, void* self);
  static std::size_t OnBody(char* data, std::size_t one, std::size_t size, void* self);

  void SetMethodAndBody();
  void SetHeaders();
  void AddHeader(const std::string& line);
  bool TakeHeader(std::string_view line);
  bool TakeBody(std::string_view bytes);
  Error ErrorOf(CURLcode code) const;

  HttpRequest request_;
  Done done_;
  HttpResponse response_;
  std::size_t header_bytes_ = 0;
  bool too_large_ = false;
  std::array<char, CURL_ERROR_SIZE> reason_{};
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::unique_ptr<CURL, FreeHandle> handle_;  // last: it points to the members above
};

}  // namespace tidemark::io
