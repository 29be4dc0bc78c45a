// write_sample_lake DIR: the compat sample lake in every form, each below
// DIR/<format>-<codec>/queen.

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "tests/support/sample_lake.h"

int main(int argc, char** argv) {
  using tidemark::format::Codec;
  using tidemark::format::DataFormat;
  if (argc != 2) {
    fmt::print(stderr, "usage: write_sample_lake DIR\n");
    return 2;
  }
  for (const auto& [data_format, codec] : {std::pair{DataFormat::kParquet, Codec::kZstd},
                                           std::pair{DataFormat::kParquet, Codec::kSnappy},
                                           std::pair{DataFormat::kJsonl, Codec::kZstd},
                                           std::pair{DataFormat::kJsonl, Codec::kGzip},
                                           std::pair{DataFormat::kJsonl, Codec::kNone}}) {
    const auto directory = fmt::format("{}/{}-{}", argv[1], ToString(data_format), ToString(codec));
    const auto status =
        tidemark::test::WriteSampleLake(tidemark::test::SampleForm(data_format, codec), directory);
    if (!status.has_value()) {
      fmt::print(stderr, "write_sample_lake: {}\n", status.error().message);
      return 1;
    }
  }
  return 0;
}
