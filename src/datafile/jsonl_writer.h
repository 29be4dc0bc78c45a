#pragma once
// JSONL objects: one line a record (contract: "JSONL"; docs/formats/jsonl.md).

#include <memory>
#include <string>

#include "base/compress.h"
#include "datafile/object_buffer.h"
#include "datafile/record_order.h"
#include "datafile/writer.h"

namespace tidemark::datafile {

class JsonlWriter final : public ObjectWriter {
 public:
  explicit JsonlWriter(std::unique_ptr<Compressor> compressor);

  // Never fails.
  Status Append(const format::RecordView& record) override;

  std::string TakeBytes() override { return buffer_.Take(); }

  std::size_t pending_bytes() const override { return buffer_.pending_bytes(); }

  std::size_t memory_bytes() const override;
  Result<ObjectStats> Finish() override;

 private:
  void AppendPayload(std::string_view payload);
  void CompressLines();

  std::unique_ptr<Compressor> compressor_;
  ObjectBuffer buffer_;
  RecordOrder order_;
  ObjectStats stats_;
  std::string lines_;  // text not yet given to the compressor

  // Rendered once for the many records that share them.
  std::string line_head_;  // of the present partition, up to the offset
  std::string ts_text_;
  Micros ts_ = kMinusInfinity;
};

}  // namespace tidemark::datafile
