#include "format/form.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace tidemark::format {
namespace {

Form FormOf(DataFormat data_format, Codec codec) {
  Form form;
  form.data_format = data_format;
  form.codec = codec;
  return form;
}

TEST(Extension, SaysFormatAndCompression) {
  EXPECT_EQ(Extension(FormOf(DataFormat::kJsonl, Codec::kZstd)), "jsonl.zst");
  EXPECT_EQ(Extension(FormOf(DataFormat::kJsonl, Codec::kGzip)), "jsonl.gz");
  EXPECT_EQ(Extension(FormOf(DataFormat::kJsonl, Codec::kNone)), "jsonl");
  EXPECT_EQ(Extension(FormOf(DataFormat::kParquet, Codec::kZstd)), "parquet");
  EXPECT_EQ(Extension(FormOf(DataFormat::kParquet, Codec::kSnappy)), "parquet");
}

TEST(ContentType, IgnoresCompression) {
  EXPECT_EQ(ContentType(FormOf(DataFormat::kJsonl, Codec::kGzip)), "application/x-ndjson");
  EXPECT_EQ(ContentType(FormOf(DataFormat::kParquet, Codec::kZstd)),
            "application/vnd.apache.parquet");
}

TEST(WriterName, NamesTheCodeThatMadeTheBytes) {
  EXPECT_EQ(WriterName(FormOf(DataFormat::kJsonl, Codec::kZstd), "1.2.3"),
            "tidemark/1.2.3 jsonl+zstd");
  EXPECT_EQ(WriterName(FormOf(DataFormat::kJsonl, Codec::kGzip), "1.2.3"),
            "tidemark/1.2.3 jsonl+gzip");
  EXPECT_EQ(WriterName(FormOf(DataFormat::kJsonl, Codec::kNone), "1.2.3"), "tidemark/1.2.3 jsonl");
  EXPECT_EQ(WriterName(FormOf(DataFormat::kParquet, Codec::kSnappy), "1.2.3"),
            "tidemark/1.2.3 parquet snappy");
}

TEST(Spellings, ReadBackToTheirValue) {
  for (auto v : {DataFormat::kJsonl, DataFormat::kParquet}) {
    EXPECT_EQ(ParseDataFormat(ToString(v)).value(), v);
  }
  for (auto v : {Codec::kNone, Codec::kGzip, Codec::kZstd, Codec::kSnappy}) {
    EXPECT_EQ(ParseCodec(ToString(v)).value(), v);
  }
  for (auto v : {Layout::kMerged, Layout::kPerPartition}) {
    EXPECT_EQ(ParseLayout(ToString(v)).value(), v);
  }
  for (auto v : {Align::kHour, Align::kDay, Align::kNone}) {
    EXPECT_EQ(ParseAlign(ToString(v)).value(), v);
  }
}

TEST(Spellings, AreExact) {
  EXPECT_FALSE(ParseCodec("ZSTD").has_value());
  EXPECT_FALSE(ParseLayout("per_partition").has_value());
  EXPECT_FALSE(ParseDataFormat("").has_value());
}

TEST(Spellings, ErrorNamesTheValueAndWhatIsAccepted) {
  const auto parsed = ParseAlign("week");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(parsed.error().message, "align \"week\" is not one of: hour, day, none");
}

TEST(AlignUnit, IsZeroWithoutAlignment) {
  EXPECT_EQ(AlignUnit(Align::kHour), kMicrosPerHour);
  EXPECT_EQ(AlignUnit(Align::kDay), kMicrosPerDay);
  EXPECT_EQ(AlignUnit(Align::kNone), 0);
}

}  // namespace
}  // namespace tidemark::format
