// format: the append-only logs of a sink, catalog and rejects, and what the catalog comes to.

#include <string>
#include <string_view>

#include "base/check.h"
#include "format/catalog_record.h"
#include "format/catalog_state.h"
#include "format/log_frame.h"
#include "format/reject_record.h"

namespace tidemark::fuzz {

namespace {

void ReadRecord(std::string_view body, format::CatalogState& state) {
  if (const auto entry = format::DecodeRejectEntry(body)) {
    TIDEMARK_CHECK(format::EncodeRejectEntry(*entry) == body, "reject");
  }
  const auto record = format::DecodeCatalogRecord(body);
  if (!record) return;
  TIDEMARK_CHECK(format::EncodeCatalogRecord(*record) == body, "catalog record");
  const bool applies = state.CanApply(*record).has_value();
  TIDEMARK_CHECK(state.Apply(*record).has_value() == applies, "what applies is said before");
}

}  // namespace

// Bodies, each behind a byte that is its length.
void SinkLogs(std::string_view bytes) {
  std::string_view rest = bytes;
  while (const auto body = format::TakeLogFrame(rest)) {
    TIDEMARK_CHECK(!body->empty() && body->size() < bytes.size(), "frame");
  }
  format::CatalogState state;
  while (!bytes.empty()) {
    const std::string_view body = bytes.substr(1, static_cast<unsigned char>(bytes.front()));
    bytes.remove_prefix(1 + body.size());
    ReadRecord(body, state);
  }
  format::CatalogState copy;
  for (const format::CatalogRecord& record : state.Snapshot()) {
    TIDEMARK_CHECK(copy.Apply(record).has_value(), "a snapshot applies");
  }
  TIDEMARK_CHECK(copy.files() == state.files(), "a snapshot knows the files");
}

}  // namespace tidemark::fuzz
