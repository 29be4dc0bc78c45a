// store: the XML that an S3 server answers with.

#include <string_view>

#include "base/check.h"
#include "store/s3_xml.h"

namespace tidemark::fuzz {

void S3Answers(std::string_view bytes) {
  IgnoreError(store::ParseListing(bytes), "any listing will do");
  if (const auto page = store::ParseUploads(bytes)) {
    for (const store::UploadId& upload : page->uploads) {
      TIDEMARK_CHECK(!upload.key.empty() && !upload.id.empty(), "an upload has key and id");
    }
  }
  if (const auto id = store::ParseUploadId(bytes)) TIDEMARK_CHECK(!id->empty(), "an id");
  IgnoreError(store::ParseCompletion(bytes), "any tag will do");
  store::ParseS3Error(bytes);
}

}  // namespace tidemark::fuzz
