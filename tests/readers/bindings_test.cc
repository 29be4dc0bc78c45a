// libparquet exports copies of OpenSSL's and simdjson's symbols: our calls must bind to the
// system's (cmake/Arrow.cmake).

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <simdjson.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

namespace tidemark {
namespace {

std::string LibraryOf(const void* symbol) {
  Dl_info info;
  return dladdr(symbol, &info) != 0 ? info.dli_fname : "nowhere";
}

TEST(Bindings, DigestsComeFromTheSystemsOpenSsl) {
  EXPECT_THAT(LibraryOf(reinterpret_cast<const void*>(&EVP_DigestUpdate)),
              testing::HasSubstr("libcrypto.so"));
}

TEST(Bindings, ObjectsAreCompressedByTheSystemsLibraries) {
  EXPECT_THAT(LibraryOf(reinterpret_cast<const void*>(&ZSTD_compressStream2)),
              testing::HasSubstr("libzstd.so"));
  EXPECT_THAT(LibraryOf(reinterpret_cast<const void*>(&deflate)), testing::HasSubstr("libz.so"));
}

TEST(Bindings, JsonIsScannedByTheSystemsSimdjson) {
  EXPECT_THAT(LibraryOf(reinterpret_cast<const void*>(&simdjson::get_active_implementation)),
              testing::HasSubstr("libsimdjson.so"));
}

}  // namespace
}  // namespace tidemark
