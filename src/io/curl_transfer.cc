#include "io/curl_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/check.h"

namespace tidemark::io {

namespace {

constexpr std::size_t kMaxHeaderBytes = 256 << 10;
constexpr long kUploadBufferBytes = 512 << 10;
constexpr long kReceiveBufferBytes = 256 << 10;

bool SameName(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a,
      b,
      {},
      [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

long Millis(Duration duration) {
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<long>(std::max<std::int64_t>(millis, 1));  // 0 would mean "for ever"
}

template <typename T>
void Set(CURL* handle, CURLoption option, T value) {
  const CURLcode code = curl_easy_setopt(handle, option, value);
  TIDEMARK_CHECK(
      code == CURLE_OK, "curl option {}: {}", static_cast<int>(option), static_cast<int>(code));
}

}  // namespace

CurlTransfer::CurlTransfer(HttpRequest request, Done done)
    : request_(std::move(request)), done_(std::move(done)), handle_(curl_easy_init()) {
  TIDEMARK_CHECK(handle_ != nullptr, "curl_easy_init: out of memory");
  CURL* const handle = handle_.get();
  Set(handle, CURLOPT_PRIVATE, this);
  Set(handle, CURLOPT_ERRORBUFFER, reason_.data());
  Set(handle, CURLOPT_URL, request_.url.c_str());
  Set(handle, CURLOPT_PATH_AS_IS, 1L);
  Set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  Set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  Set(handle, CURLOPT_PROXY, "");
  Set(handle, CURLOPT_NOSIGNAL, 1L);
  Set(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  Set(handle, CURLOPT_CONNECTTIMEOUT_MS, Millis(request_.connect_timeout));
  Set(handle, CURLOPT_TIMEOUT_MS, Millis(request_.timeout));
  Set(handle, CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  Set(handle, CURLOPT_HEADERFUNCTION, &CurlTransfer::OnHeader);
  Set(handle, CURLOPT_HEADERDATA, static_cast<void*>(this));
  Set(handle, CURLOPT_WRITEFUNCTION, &CurlTransfer::OnBody);
  Set(handle, CURLOPT_WRITEDATA, static_cast<void*>(this));
  if (!request_.ca_file.empty()) Set(handle, CURLOPT_CAINFO, request_.ca_file.c_str());
  SetMethodAndBody();
  SetHeaders();
}

void CurlTransfer::SetMethodAndBody() {
  CURL* const handle = handle_.get();
  if (request_.method == "HEAD") {
    Set(handle, CURLOPT_NOBODY, 1L);
    return;
  }
  const bool wants_body = request_.method == "POST" || request_.method == "PUT";
  if (request_.body || wants_body) {
    // Not copied by curl: request_ keeps the body alive.
    Set(handle, CURLOPT_POSTFIELDS, request_.body ? request_.body->data() : "");
    Set(handle,
        CURLOPT_POSTFIELDSIZE_LARGE,
        static_cast<curl_off_t>(request_.body ? request_.body->size() : 0));
    Set(handle, CURLOPT_UPLOAD_BUFFERSIZE, kUploadBufferBytes);
  }
  Set(handle, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

void CurlTransfer::SetHeaders() {
  for (const auto& [name, value] : request_.headers) {
    AddHeader(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  }
  // A name without value takes away the one curl would add by itself.
  for (const std::string name : {"Accept", "Content-Type", "Expect"}) {
    const bool ours = std::ranges::any_of(
        request_.headers, [&](const auto& header) { return SameName(header.first, name); });
    if (!ours) AddHeader(name + ":");
  }
  Set(handle_.get(), CURLOPT_HTTPHEADER, headers_.get());
}

void CurlTransfer::AddHeader(const std::string& line) {
  curl_slist* const extended = curl_slist_append(headers_.get(), line.c_str());
  TIDEMARK_CHECK(extended != nullptr, "curl_slist_append: out of memory");
  if (headers_ == nullptr) headers_.reset(extended);  // later appends keep the head
}

std::size_t CurlTransfer::OnHeader(char* data, std::size_t, std::size_t size, void* self) {
  return static_cast<CurlTransfer*>(self)->TakeHeader({data, size}) ? size : 0;
}

std::size_t CurlTransfer::OnBody(char* data, std::size_t, std::size_t size, void* self) {
  return static_cast<CurlTransfer*>(self)->TakeBody({data, size}) ? size : 0;
}

bool CurlTransfer::TakeHeader(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes) {
    too_large_ = true;
    return false;
  }
  if (line.starts_with("HTTP/")) {  // also after a 1xx: only the last answer's headers count
    response_.headers.clear();
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  std::string name(Trim(line.substr(0, colon)));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  response_.headers.emplace_back(std::move(name), Trim(line.substr(colon + 1)));
  return true;
}

bool CurlTransfer::TakeBody(std::string_view bytes) {
  std::string& body = response_.body;
  if (body.empty()) {
    curl_off_t length = -1;
    curl_easy_getinfo(handle_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    const auto announced = static_cast<std::uint64_t>(std::max<curl_off_t>(length, 0));
    if (announced > request_.max_response_bytes) {
      too_large_ = true;
      return false;
    }
    body.reserve(announced + request_.response_padding);
  }
  if (body.size() + bytes.size() > request_.max_response_bytes) {
    too_large_ = true;
    return false;
  }
  body.append(bytes);
  return true;
}

void CurlTransfer::Finish(CURLcode code) {
  if (code != CURLE_OK) {
    done_(std::unexpected(ErrorOf(code)));
    return;
  }
  long status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  response_.status = static_cast<int>(status);
  response_.body.reserve(response_.body.size() + request_.response_padding);
  done_(std::move(response_));
}

void CurlTransfer::Cancel() {
  done_(
      Fail(ErrorCode::kCancelled,
           fmt::format("{} {}: the HTTP client is shutting down", request_.method, request_.url)));
}

Error CurlTransfer::ErrorOf(CURLcode code) const {
  // Counts the bytes of every try, the silent repeat on a fresh connection included: zero proves
  // that no server has seen any of this request.
  long sent = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_REQUEST_SIZE, &sent);
  Error error;
  error.code = sent == 0 ? ErrorCode::kUnavailable : ErrorCode::kOutcomeUnknown;
  std::string reason = reason_[0] != '\0' ? reason_.data() : curl_easy_strerror(code);
  if (too_large_) {
    error.code = ErrorCode::kExhausted;
    reason = fmt::format("the answer is above {} bytes", request_.max_response_bytes);
  } else if (sent == 0 && (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)) {
    error.code = ErrorCode::kInvalidArgument;
  }
  error.message = fmt::format("{} {}: {}", request_.method, request_.url, reason);
  return error;
}

}  // namespace tidemark::io
