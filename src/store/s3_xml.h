#pragma once
// The XML of the S3 API: what is read from answers and the one document that is sent. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/object_store.h"

namespace tidemark::store {

// kCorruption: not a ListBucketResult, or a page that says there is more and names no key.
Result<ListPage> ParseListing(std::string_view xml);

struct UploadPage {
  std::vector<UploadId> uploads;
  // Where the next page begins; empty: this was the last.
  UploadId next;
};

// kCorruption: not a ListMultipartUploadsResult, an upload without key or id, or a page that says
// there is more and not from where.
Result<UploadPage> ParseUploads(std::string_view xml);

// kCorruption: no UploadId in it.
Result<std::string> ParseUploadId(std::string_view xml);

// The ETag of a completed upload. kOutcomeUnknown when the document is an error, which S3 sends
// with status 200 once it has begun to answer, or no result at all.
Result<std::string> ParseCompletion(std::string_view xml);

struct S3Error {
  std::string code;
  std::string message;
};

// nullopt when the text is no error document.
std::optional<S3Error> ParseS3Error(std::string_view xml);

std::string CompletionDocument(const std::vector<std::string>& part_tags);

}  // namespace tidemark::store
