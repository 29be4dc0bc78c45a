#include "datafile/record_batch.h"

namespace tidemark::datafile {

void TextColumn::Add(std::string_view value) {
  text_ += value;
  values_.emplace_back(static_cast<std::uint32_t>(value.size()), nullptr);
}

void TextColumn::Clear() {
  text_.clear();
  values_.clear();
}

std::size_t TextColumn::memory_bytes() const {
  return text_.capacity() + values_.capacity() * sizeof(parquet::ByteArray);
}

const std::vector<parquet::ByteArray>& TextColumn::Values() {
  const auto* at = reinterpret_cast<const std::uint8_t*>(text_.data());
  for (auto& value : values_) {
    value.ptr = at;
    at += value.len;
  }
  return values_;
}

void RecordBatch::Add(const format::RecordView& record) {
  partitions.Add(record.partition);
  offsets.push_back(record.offset.value());
  transaction_ids.Add(record.transaction_id);
  timestamps.push_back(record.ts.value());
  payload_presence.push_back(record.has_payload() ? 1 : 0);
  if (record.has_payload()) payloads.Add(record.payload);
}

void RecordBatch::Clear() {
  partitions.Clear();
  offsets.clear();
  transaction_ids.Clear();
  timestamps.clear();
  payloads.Clear();
  payload_presence.clear();
}

std::size_t RecordBatch::memory_bytes() const {
  return partitions.memory_bytes() + transaction_ids.memory_bytes() + payloads.memory_bytes() +
         (offsets.capacity() + timestamps.capacity()) * sizeof(std::int64_t) +
         payload_presence.capacity() * sizeof(std::int16_t);
}

}  // namespace tidemark::datafile
