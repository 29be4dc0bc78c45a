#include "store/s3_xml.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

namespace tidemark::store {

namespace {

// Keeps white space: a key may begin with a blank.
constexpr unsigned kParseOptions = pugi::parse_default | pugi::parse_ws_pcdata_single;

bool Load(std::string_view xml, pugi::xml_document& document) {
  return static_cast<bool>(document.load_buffer(xml.data(), xml.size(), kParseOptions));
}

Result<ObjectInfo> ParseContents(const pugi::xml_node& contents) {
  ObjectInfo object;
  object.key = contents.child_value("Key");
  object.bytes = contents.child("Size").text().as_llong(-1);
  if (object.key.empty() || object.bytes < 0) {
    return Fail(ErrorCode::kCorruption, "a listing entry without Key or Size");
  }
  return object;
}

}  // namespace

Result<ListPage> ParseListing(std::string_view xml) {
  pugi::xml_document document;
  if (!Load(xml, document) || !document.child("ListBucketResult")) {
    return Fail(ErrorCode::kCorruption, "the answer is no ListBucketResult");
  }
  const pugi::xml_node root = document.child("ListBucketResult");
  ListPage page;
  page.truncated = std::string_view(root.child_value("IsTruncated")) == "true";
  for (const pugi::xml_node& contents : root.children("Contents")) {
    TIDEMARK_TRY(ObjectInfo object, ParseContents(contents));
    page.objects.push_back(std::move(object));
  }
  if (page.truncated && page.objects.empty()) {
    return Fail(ErrorCode::kCorruption, "a truncated listing without a key to go on from");
  }
  return page;
}

Result<UploadPage> ParseUploads(std::string_view xml) {
  pugi::xml_document document;
  if (!Load(xml, document) || !document.child("ListMultipartUploadsResult")) {
    return Fail(ErrorCode::kCorruption, "the answer is no ListMultipartUploadsResult");
  }
  const pugi::xml_node root = document.child("ListMultipartUploadsResult");
  UploadPage page;
  for (const pugi::xml_node& node : root.children("Upload")) {
    UploadId upload{node.child_value("Key"), node.child_value("UploadId")};
    if (upload.key.empty() || upload.id.empty()) {
      return Fail(ErrorCode::kCorruption, "a listed upload without Key or UploadId");
    }
    page.uploads.push_back(std::move(upload));
  }
  if (std::string_view(root.child_value("IsTruncated")) == "true") {
    page.next = {root.child_value("NextKeyMarker"), root.child_value("NextUploadIdMarker")};
    if (page.next.key.empty()) {
      return Fail(ErrorCode::kCorruption, "a truncated list of uploads without NextKeyMarker");
    }
  }
  return page;
}

Result<std::string> ParseUploadId(std::string_view xml) {
  pugi::xml_document document;
  Load(xml, document);
  std::string id = document.child("InitiateMultipartUploadResult").child_value("UploadId");
  if (id.empty()) return Fail(ErrorCode::kCorruption, "the answer holds no UploadId");
  return id;
}

Result<std::string> ParseCompletion(std::string_view xml) {
  if (const auto error = ParseS3Error(xml)) {
    return Fail(ErrorCode::kOutcomeUnknown, fmt::format("200 {}: {}", error->code, error->message));
  }
  pugi::xml_document document;
  Load(xml, document);
  const pugi::xml_node result = document.child("CompleteMultipartUploadResult");
  if (!result) {
    return Fail(ErrorCode::kOutcomeUnknown, "the answer is no CompleteMultipartUploadResult");
  }
  return result.child_value("ETag");
}

std::optional<S3Error> ParseS3Error(std::string_view xml) {
  pugi::xml_document document;
  Load(xml, document);
  const pugi::xml_node error = document.child("Error");
  if (!error) return std::nullopt;
  return S3Error{error.child_value("Code"), error.child_value("Message")};
}

std::string CompletionDocument(const std::vector<std::string>& part_tags) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CompleteMultipartUpload");
  int number = 0;
  for (const std::string& tag : part_tags) {
    pugi::xml_node part = root.append_child("Part");
    part.append_child("PartNumber").text().set(++number);
    part.append_child("ETag").text().set(tag.c_str());
  }
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration);
  return std::move(text).str();
}

}  // namespace tidemark::store
