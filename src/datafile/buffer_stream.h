#pragma once
// The Parquet library's way into an ObjectBuffer.

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <fmt/format.h>

#include <exception>

#include "base/result.h"
#include "datafile/object_buffer.h"

namespace tidemark::datafile {

class BufferStream final : public arrow::io::OutputStream {
 public:
  arrow::Status Write(const void* data, std::int64_t size) override {
    buffer_.tail().append(static_cast<const char*>(data), static_cast<std::size_t>(size));
    buffer_.Seal();
    return arrow::Status::OK();
  }

  arrow::Result<std::int64_t> Tell() const override { return buffer_.total_bytes(); }

  arrow::Status Close() override { return arrow::Status::OK(); }

  bool closed() const override { return false; }

  ObjectBuffer& buffer() { return buffer_; }

  const ObjectBuffer& buffer() const { return buffer_; }

 private:
  ObjectBuffer buffer_;
};

// Runs `work`. The library throws; it has no reason to but a lack of memory.
template <typename Work>
Status GuardedWrite(Work work) {
  try {
    work();
    return {};
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kInternal, fmt::format("writing Parquet: {}", e.what()));
  }
}

}  // namespace tidemark::datafile
