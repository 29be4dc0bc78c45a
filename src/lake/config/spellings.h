#pragma once
// The accepted spellings of the enumerated variables (queen-interface 12): a value's name first,
// then its aliases.

#include <array>

#include "format/form.h"
#include "io/failpoints.h"
#include "lake/config/declaration.h"
#include "lake/config/start.h"
#include "obs/log.h"

namespace tidemark::lake {

inline constexpr std::array kFormatSpellings{
    Spelling<format::DataFormat>{"jsonl", format::DataFormat::kJsonl},
    Spelling<format::DataFormat>{"json", format::DataFormat::kJsonl},
    Spelling<format::DataFormat>{"ndjson", format::DataFormat::kJsonl},
    Spelling<format::DataFormat>{"parquet", format::DataFormat::kParquet}};

inline constexpr std::array kCompressionSpellings{
    Spelling<format::Codec>{"zstd", format::Codec::kZstd},
    Spelling<format::Codec>{"zst", format::Codec::kZstd},
    Spelling<format::Codec>{"gzip", format::Codec::kGzip},
    Spelling<format::Codec>{"gz", format::Codec::kGzip},
    Spelling<format::Codec>{"none", format::Codec::kNone},
    Spelling<format::Codec>{"off", format::Codec::kNone}};

inline constexpr std::array kParquetCodecSpellings{
    Spelling<format::Codec>{"zstd", format::Codec::kZstd},
    Spelling<format::Codec>{"zst", format::Codec::kZstd},
    Spelling<format::Codec>{"snappy", format::Codec::kSnappy},
    Spelling<format::Codec>{"snap", format::Codec::kSnappy}};

inline constexpr std::array kLayoutSpellings{
    Spelling<format::Layout>{"merged", format::Layout::kMerged},
    Spelling<format::Layout>{"per-partition", format::Layout::kPerPartition},
    Spelling<format::Layout>{"per_partition", format::Layout::kPerPartition},
    Spelling<format::Layout>{"perpartition", format::Layout::kPerPartition}};

inline constexpr std::array kAlignSpellings{Spelling<format::Align>{"hour", format::Align::kHour},
                                            Spelling<format::Align>{"hourly", format::Align::kHour},
                                            Spelling<format::Align>{"day", format::Align::kDay},
                                            Spelling<format::Align>{"daily", format::Align::kDay},
                                            Spelling<format::Align>{"none", format::Align::kNone},
                                            Spelling<format::Align>{"off", format::Align::kNone}};

inline constexpr std::array kFlagSpellings{Spelling<bool>{"true", true},
                                           Spelling<bool>{"1", true},
                                           Spelling<bool>{"yes", true},
                                           Spelling<bool>{"on", true},
                                           Spelling<bool>{"false", false},
                                           Spelling<bool>{"0", false},
                                           Spelling<bool>{"no", false},
                                           Spelling<bool>{"off", false}};

inline constexpr std::array kSseSpellings{Spelling<std::string_view>{"AES256", "AES256"},
                                          Spelling<std::string_view>{"aws:kms", "aws:kms"},
                                          Spelling<std::string_view>{"kms", "aws:kms"}};

inline constexpr std::array kCrashSpellings{
    Spelling<io::Failpoint>{"never", io::Failpoint::kNever},
    Spelling<io::Failpoint>{"off", io::Failpoint::kNever},
    Spelling<io::Failpoint>{"none", io::Failpoint::kNever},
    Spelling<io::Failpoint>{"after_intent", io::Failpoint::kAfterIntent},
    Spelling<io::Failpoint>{"mid_upload", io::Failpoint::kMidUpload},
    Spelling<io::Failpoint>{"after_upload", io::Failpoint::kAfterUpload},
    Spelling<io::Failpoint>{"before_commit", io::Failpoint::kBeforeCommit},
    Spelling<io::Failpoint>{"after_commit", io::Failpoint::kAfterCommit}};

inline constexpr std::array kStartSpellings{
    Spelling<Start::Kind>{"latest", Start::Kind::kLatest},
    Spelling<Start::Kind>{"now", Start::Kind::kLatest},
    Spelling<Start::Kind>{"end", Start::Kind::kLatest},
    Spelling<Start::Kind>{"earliest", Start::Kind::kEarliest},
    Spelling<Start::Kind>{"beginning", Start::Kind::kEarliest}};

inline constexpr std::array kLogFormatSpellings{
    Spelling<obs::LogFormat>{"json", obs::LogFormat::kJson}};

// The name of a value: the environment's spelling, as the boot line prints it.
template <typename T, std::size_t N>
std::string_view NameOf(const std::array<Spelling<T>, N>& spellings, T value) {
  for (const auto& spelling : spellings) {
    if (spelling.value == value) return spelling.text;
  }
  return "?";
}

}  // namespace tidemark::lake
