// datafile: JSONL objects. What the reader takes, the writer writes so that it reads the same.

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "base/compress.h"
#include "datafile/jsonl_reader.h"
#include "datafile/jsonl_writer.h"

namespace tidemark::fuzz {

namespace {

struct Record {
  std::string partition;
  Offset offset;
  std::string transaction_id;
  Micros ts;
  std::string payload;

  bool operator==(const Record&) const = default;
};

// The writer writes a blank for a line break between tokens.
std::string Spaced(std::string_view payload) {
  std::string text(payload);
  std::ranges::replace(text, '\r', ' ');
  return text;
}

Result<std::vector<Record>> Read(std::string text) {
  std::vector<Record> records;
  const auto summary = datafile::ReadJsonl(std::move(text), [&](const format::RecordView& r) {
    records.push_back({std::string(r.partition),
                       r.offset,
                       std::string(r.transaction_id),
                       r.ts,
                       Spaced(r.payload)});
    return true;
  });
  if (!summary) return std::unexpected(summary.error());
  TIDEMARK_CHECK(summary->records == static_cast<std::int64_t>(records.size()), "count");
  return records;
}

// Objects are written in this order only.
bool IsOrdered(const std::vector<Record>& records) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Record& before = records[i - 1];
    if (std::tie(before.partition, before.offset) >=
        std::tie(records[i].partition, records[i].offset)) {
      return false;
    }
  }
  return records.empty() || records[0].offset >= Offset(0);
}

}  // namespace

void JsonlObject(std::string_view bytes) {
  const auto records = Read(std::string(bytes));
  if (!records || !IsOrdered(*records)) return;
  datafile::JsonlWriter writer(NewNullCompressor());
  for (const Record& r : *records) {
    TIDEMARK_CHECK(writer.Append({r.partition, r.offset, r.transaction_id, r.ts, r.payload}), "");
  }
  TIDEMARK_CHECK(writer.Finish(), "");
  const auto again = Read(writer.TakeBytes());
  TIDEMARK_CHECK(again.value() == *records, "the same records");
}

}  // namespace tidemark::fuzz
