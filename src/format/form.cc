#include "format/form.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/check.h"
#include "base/time.h"

namespace tidemark::format {

namespace {

template <typename E>
using Spelling = std::pair<std::string_view, E>;

constexpr std::array<Spelling<DataFormat>, 2> kDataFormats{
    {{"jsonl", DataFormat::kJsonl}, {"parquet", DataFormat::kParquet}}};
constexpr std::array<Spelling<Codec>, 4> kCodecs{{{"none", Codec::kNone},
                                                  {"gzip", Codec::kGzip},
                                                  {"zstd", Codec::kZstd},
                                                  {"snappy", Codec::kSnappy}}};
constexpr std::array<Spelling<Layout>, 2> kLayouts{
    {{"merged", Layout::kMerged}, {"per-partition", Layout::kPerPartition}}};
constexpr std::array<Spelling<Align>, 3> kAligns{
    {{"hour", Align::kHour}, {"day", Align::kDay}, {"none", Align::kNone}}};

template <typename Table, typename E>
std::string_view SpellingOf(const Table& table, E value) {
  for (const auto& [text, known] : table) {
    if (known == value) return text;
  }
  CheckFailed("value has a spelling", __FILE__, __LINE__, "");
}

template <typename E, std::size_t N>
Result<E> ParseSpelling(const std::array<Spelling<E>, N>& table,
                        std::string_view what,
                        std::string_view text) {
  std::string accepted;
  for (const auto& [spelling, value] : table) {
    if (spelling == text) return value;
    accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", spelling);
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} \"{}\" is not one of: {}", what, text, accepted));
}

}  // namespace

std::string_view ToString(DataFormat f) { return SpellingOf(kDataFormats, f); }

std::string_view ToString(Codec c) { return SpellingOf(kCodecs, c); }

std::string_view ToString(Layout l) { return SpellingOf(kLayouts, l); }

std::string_view ToString(Align a) { return SpellingOf(kAligns, a); }

Result<DataFormat> ParseDataFormat(std::string_view text) {
  return ParseSpelling(kDataFormats, "format", text);
}

Result<Codec> ParseCodec(std::string_view text) {
  return ParseSpelling(kCodecs, "compression", text);
}

Result<Layout> ParseLayout(std::string_view text) {
  return ParseSpelling(kLayouts, "layout", text);
}

Result<Align> ParseAlign(std::string_view text) { return ParseSpelling(kAligns, "align", text); }

std::string_view Extension(const Form& form) {
  if (form.data_format == DataFormat::kParquet) return "parquet";
  switch (form.codec) {
    case Codec::kZstd:
      return "jsonl.zst";
    case Codec::kGzip:
      return "jsonl.gz";
    case Codec::kNone:
      return "jsonl";
    case Codec::kSnappy:
      break;
  }
  CheckFailed("JSONL is zstd, gzip or none", __FILE__, __LINE__, "");
}

std::string_view ContentType(const Form& form) {
  return form.data_format == DataFormat::kParquet ? "application/vnd.apache.parquet"
                                                  : "application/x-ndjson";
}

std::string WriterName(const Form& form, std::string_view version) {
  if (form.data_format == DataFormat::kParquet) {
    return fmt::format("tidemark/{} parquet {}", version, ToString(form.codec));
  }
  if (form.codec == Codec::kNone) return fmt::format("tidemark/{} jsonl", version);
  return fmt::format("tidemark/{} jsonl+{}", version, ToString(form.codec));
}

std::int64_t AlignUnit(Align align) {
  switch (align) {
    case Align::kHour:
      return kMicrosPerHour;
    case Align::kDay:
      return kMicrosPerDay;
    case Align::kNone:
      return 0;
  }
  CheckFailed("align is known", __FILE__, __LINE__, "");
}

}  // namespace tidemark::format
