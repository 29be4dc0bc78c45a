#include <fmt/format.h>

#include <utility>

#include "base/compress.h"
#include "datafile/jsonl_writer.h"
#include "datafile/parquet_writer.h"
#include "datafile/writer.h"

namespace tidemark::datafile {

namespace {

using format::Codec;
using format::DataFormat;

std::unexpected<Error> NoSuchForm(std::string_view format, std::string_view codecs) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} objects are compressed with {}", format, codecs));
}

Result<std::unique_ptr<Compressor>> JsonlCompressor(Codec codec) {
  switch (codec) {
    case Codec::kZstd:
      return NewZstdCompressor();
    case Codec::kGzip:
      return NewGzipCompressor();
    case Codec::kNone:
      return NewNullCompressor();
    case Codec::kSnappy:
      break;
  }
  return NoSuchForm("JSONL", "zstd, gzip or none");
}

}  // namespace

Result<std::unique_ptr<ObjectWriter>> NewObjectWriter(const format::Form& form,
                                                      std::string queue,
                                                      ViewLifetime lifetime) {
  if (form.data_format == DataFormat::kJsonl) {
    TIDEMARK_TRY(auto compressor, JsonlCompressor(form.codec));
    return std::make_unique<JsonlWriter>(std::move(compressor));
  }
  if (form.codec != Codec::kZstd && form.codec != Codec::kSnappy) {
    return NoSuchForm("Parquet", "zstd or snappy");
  }
  if (form.row_group_records <= 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("a row group of {} records; at least 1", form.row_group_records));
  }
  return NewParquetWriter(form, std::move(queue), lifetime);
}

}  // namespace tidemark::datafile
