#include "store/s3_xml.h"

#include <gtest/gtest.h>

namespace tidemark::store {
namespace {

TEST(ParseListing, DecodesEntitiesInKeys) {
  const auto page = ParseListing(
      R"(<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">)"
      R"(<IsTruncated>true</IsTruncated><Contents><Key>a&amp;b&#x2F;&lt;c&gt; </Key><Size>7</Size>)"
      R"(</Contents></ListBucketResult>)");
  ASSERT_TRUE(page.has_value());
  EXPECT_TRUE(page->truncated);
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].key, "a&b/<c> ");
  EXPECT_EQ(page->objects[0].bytes, 7);
}

TEST(ParseListing, AnEmptyBucketIsAnEmptyPage) {
  const auto page =
      ParseListing("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
  ASSERT_TRUE(page.has_value());
  EXPECT_TRUE(page->objects.empty());
  EXPECT_FALSE(page->truncated);
}

TEST(ParseListing, RefusesWhatIsNoListing) {
  for (const char* text :
       {"",
        "oops",
        "<html/>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"}) {
    EXPECT_EQ(ParseListing(text).error().code, ErrorCode::kCorruption) << text;
  }
}

TEST(ParseUploads, HandsOutUploadsAndWhereToGoOn) {
  const auto page = ParseUploads(
      "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>b</NextKeyMarker>"
      "<NextUploadIdMarker>2</NextUploadIdMarker><Upload><Key>a&amp;</Key><UploadId>1</UploadId>"
      "</Upload><Upload><UploadId>2</UploadId><Key>b</Key></Upload></ListMultipartUploadsResult>");
  ASSERT_TRUE(page.has_value()) << page.error().message;
  ASSERT_EQ(page->uploads.size(), 2u);
  EXPECT_EQ(page->uploads[0].key, "a&");
  EXPECT_EQ(page->uploads[0].id, "1");
  EXPECT_EQ(page->uploads[1].key, "b");
  EXPECT_EQ(page->next.key, "b");
  EXPECT_EQ(page->next.id, "2");
}

TEST(ParseUploads, RefusesWhatIsNoListOfUploads) {
  for (const char* text :
       {"",
        "<ListBucketResult/>",
        "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated></ListMultipartUploadsResult>",
        "<ListMultipartUploadsResult><Upload><Key>a</Key></Upload></ListMultipartUploadsResult>"}) {
    EXPECT_EQ(ParseUploads(text).error().code, ErrorCode::kCorruption) << text;
  }
}

TEST(ParseUploadId, FindsIt) {
  EXPECT_EQ(*ParseUploadId("<InitiateMultipartUploadResult><UploadId>u/1=</UploadId></"
                           "InitiateMultipartUploadResult>"),
            "u/1=");
  EXPECT_EQ(ParseUploadId("<Other/>").error().code, ErrorCode::kCorruption);
}

TEST(ParseCompletion, AnErrorWithStatus200IsNotASuccess) {
  const auto tag =
      ParseCompletion("<Error><Code>InternalError</Code><Message>again</Message></Error>");
  ASSERT_FALSE(tag.has_value());
  EXPECT_TRUE(IsRetriable(tag.error()));
  EXPECT_EQ(tag.error().message, "200 InternalError: again");
}

TEST(ParseCompletion, NeitherIsAnEmptyAnswer) {
  EXPECT_TRUE(IsRetriable(ParseCompletion("").error()));
}

TEST(ParseCompletion, HandsOutTheTag) {
  EXPECT_EQ(*ParseCompletion("<CompleteMultipartUploadResult><ETag>&quot;x-2&quot;</ETag></"
                             "CompleteMultipartUploadResult>"),
            "\"x-2\"");
}

TEST(CompletionDocument, NamesThePartsInOrder) {
  EXPECT_EQ(CompletionDocument({"\"a\"", "b&"}),
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>"
            "<Part><PartNumber>2</PartNumber><ETag>b&amp;</ETag></Part></CompleteMultipartUpload>");
}

}  // namespace
}  // namespace tidemark::store
