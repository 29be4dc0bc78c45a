#pragma once
// zstd and gzip at levels that are constants, because a level is part of a lake object's bytes
// (contract: JSONL). Streams in, streams out; the bytes depend on the input alone: not on how it is
// cut into calls, nor on threads.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark {

inline constexpr int kZstdLevel = 3;
inline constexpr int kGzipLevel = 6;

// One compressed stream. Write and Finish append to `out`. Not thread-safe.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void Write(std::string_view bytes, std::string& out) = 0;
  // Ends the stream: one zstd frame, or one gzip member.
  virtual void Finish(std::string& out) = 0;
  // Bytes held inside, buffers and tables of the library included.
  virtual std::size_t memory_bytes() const = 0;
};

std::unique_ptr<Compressor> NewZstdCompressor();
// Header without name, comment or time (MTIME 0, OS 255).
std::unique_ptr<Compressor> NewGzipCompressor();
// Passes bytes through.
std::unique_ptr<Compressor> NewNullCompressor();

// Whole buffers. Decompression fails with kCorruption for damaged or truncated input and with
// kExhausted above `max_bytes` of output.
std::string ZstdCompress(std::string_view bytes);
Result<std::string> ZstdDecompress(std::string_view bytes, std::uint64_t max_bytes);
Result<std::string> GzipDecompress(std::string_view bytes, std::uint64_t max_bytes);

}  // namespace tidemark
