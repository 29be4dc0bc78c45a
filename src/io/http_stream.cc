#include "io/http_stream.h"

#include <openssl/ssl.h>

namespace tidemark::io {

HttpStream::HttpStream(boost::asio::ip::tcp::socket socket, const TlsIdentity* tls)
    : layers_(std::in_place_type<Tcp>, std::move(socket)) {
  if (tls == nullptr) return;
  Tcp plain = std::move(std::get<Tcp>(layers_));
  SSL_CTX_up_ref(tls->context());
  boost::asio::ssl::context context(tls->context());  // gives up its reference at the end
  layers_.emplace<Tls>(std::move(plain), context);
}

HttpStream::Tcp& HttpStream::tcp() {
  return is_tls() ? tls().next_layer() : std::get<Tcp>(layers_);
}

void HttpStream::DropTls() {
  Tcp plain = std::move(tls().next_layer());
  layers_.emplace<Tcp>(std::move(plain));
}

}  // namespace tidemark::io
