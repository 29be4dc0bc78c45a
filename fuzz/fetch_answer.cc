// queen: the answer to POST /api/v1/fetch, whose records are slices of what a broker sent.

#include <string>
#include <string_view>

#include "base/check.h"
#include "queen/fetch_decoder.h"

namespace tidemark::fuzz {

namespace {

void CheckEntry(const queen::FetchEntryAnswer& entry, std::string_view text) {
  Offset next(0);
  for (const queen::RecordSlice& record : entry.records) {
    TIDEMARK_CHECK(record.offset >= next && record.offset < entry.high_watermark, "order");
    next = record.offset + 1;
    // A slice beyond the body would be cut short.
    TIDEMARK_CHECK(record.payload(text).size() == record.payload_size, "payload");
    TIDEMARK_CHECK(record.transaction_id(text).size() == record.transaction_id_size, "id");
    TIDEMARK_CHECK(record.payload(text) != "null", "a null payload is none");
  }
}

}  // namespace

void FetchAnswer(std::string_view bytes) {
  static const queen::FetchRequest kAsked{.queue = "q", .entries = {{"a", Offset(0)}, {"b", {}}}};
  const auto answer = queen::DecodeFetch(std::string(bytes), kAsked);
  if (!answer) return;
  TIDEMARK_CHECK(answer->entries.size() == kAsked.entries.size(), "entries");
  for (const queen::FetchEntryAnswer& entry : answer->entries)
    CheckEntry(entry, answer->body->text());
}

}  // namespace tidemark::fuzz
