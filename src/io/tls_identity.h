#pragma once
// What a server shows of itself under TLS, and proves: a certificate, those that lead from it to an
// authority, and its key.

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/file_system.h"

struct ssl_ctx_st;

namespace tidemark::io {

// Never changes; any thread.
class TlsIdentity {
 public:
  // Blocking: reads both files, PEM; the server's own certificate comes first. kInvalidArgument
  // names the file and what is wrong with it: it cannot be read, holds no certificate or key, the
  // key has a passphrase, or is that of another certificate.
  static Result<std::shared_ptr<const TlsIdentity>> Read(FileSystem& files,
                                                         const std::string& certificate_file,
                                                         const std::string& key_file);

  ~TlsIdentity();

  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;

  // The last moment for which its own certificate was made; clients refuse it from then on.
  Micros valid_until() const { return valid_until_; }

  // OpenSSL's SSL_CTX: TLS 1.2 and 1.3, on the side of a server. Lives as long as this, or as what
  // was made of it.
  ssl_ctx_st* context() const { return context_; }

 private:
  TlsIdentity();

  Status ReadCertificates(FileSystem& files, const std::string& path);
  Status ReadKey(FileSystem& files, const std::string& path, const std::string& certificate_path);

  ssl_ctx_st* context_;
  Micros valid_until_;
};

}  // namespace tidemark::io
