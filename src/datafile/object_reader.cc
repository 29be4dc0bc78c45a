#include <fmt/format.h>

#include "base/compress.h"
#include "datafile/jsonl_reader.h"
#include "datafile/parquet_reader.h"
#include "datafile/reader.h"

namespace tidemark::datafile {

namespace {

// More text than any window holds: a smaller object that unpacks to more is not ours.
constexpr std::uint64_t kTextBytesMax = std::uint64_t{1} << 36;

Result<std::string> TextOf(std::string_view extension, std::string_view bytes) {
  if (extension == "jsonl.zst") return ZstdDecompress(bytes, kTextBytesMax);
  if (extension == "jsonl.gz") return GzipDecompress(bytes, kTextBytesMax);
  if (extension == "jsonl") return std::string(bytes);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is not an extension of data objects: jsonl.zst, jsonl.gz, jsonl "
                          "or parquet",
                          extension));
}

}  // namespace

Result<ReadSummary> ReadObject(std::string_view extension,
                               std::string_view bytes,
                               const RecordVisitor& visit) {
  if (extension == "parquet") return ReadParquet(bytes, visit);
  TIDEMARK_TRY(auto text, TextOf(extension, bytes));
  return ReadJsonl(std::move(text), visit);
}

}  // namespace tidemark::datafile
