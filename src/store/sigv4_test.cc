#include "store/sigv4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"

namespace tidemark::store {
namespace {

using testing::EndsWith;

// The examples of "Signature Calculations for the Authorization Header" in AWS's documentation.
const Credentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
constexpr char kDate[] = "20130524T000000Z";

RequestToSign Example(std::string method,
                      std::string path,
                      std::string query,
                      const std::string& body) {
  RequestToSign request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.query = std::move(query);
  request.payload_sha256 = ToHex(Sha256Of(body));
  request.headers = {{"host", "examplebucket.s3.amazonaws.com"},
                     {"x-amz-content-sha256", request.payload_sha256},
                     {"x-amz-date", kDate}};
  return request;
}

std::string Sign(const RequestToSign& request) {
  return Authorization(request, kExample, "us-east-1", kDate);
}

TEST(Sigv4, SignsTheDocumentedRangeGet) {
  RequestToSign request = Example("GET", "/test.txt", "", "");
  request.headers.emplace_back("range", "bytes=0-9");
  EXPECT_EQ(Sign(request),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(Sigv4, SignsTheDocumentedPut) {
  RequestToSign request = Example("PUT", "/test%24file.text", "", "Welcome to Amazon S3.");
  request.headers.emplace_back("date", "Fri, 24 May 2013 00:00:00 GMT");
  request.headers.emplace_back("x-amz-storage-class", "REDUCED_REDUNDANCY");
  EXPECT_THAT(Sign(request),
              EndsWith("=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(Sigv4, SignsTheDocumentedBareQuery) {
  EXPECT_THAT(Sign(Example("GET", "/", "lifecycle=", "")),
              EndsWith("=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(Sigv4, SignsTheDocumentedListing) {
  EXPECT_THAT(Sign(Example("GET", "/", "max-keys=2&prefix=J", "")),
              EndsWith("=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(AmzDate, IsTheBasicFormWithoutFraction) {
  EXPECT_EQ(AmzDate(*ParseIso("2013-05-24T01:02:03.999999Z")), "20130524T010203Z");
}

}  // namespace
}  // namespace tidemark::store
