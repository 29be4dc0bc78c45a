#include "format/segment_schema.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

SegmentSchema Telemetry() {
  return {.dataset = "telemetry",
          .version = 1,
          .columns = {SystemSchemaColumn(SystemColumn::kWalPosition),
                      {.id = 1000,
                       .name = "price",
                       .type = {.kind = ColumnKind::kDecimal, .precision = 10, .scale = 2},
                       .required = false,
                       .unit = "EUR"}},
          .form = "timestamps in micros"};
}

TEST(ColumnType, IsReadBackFromItsName) {
  for (const char* name : {"bool",
                           "i8",
                           "u64",
                           "f32",
                           "string",
                           "timestamp",
                           "json",
                           "decimal(38,38)",
                           "decimal(1,0)"}) {
    EXPECT_EQ(ToString(ParseColumnType(name).value()), name);
  }
  EXPECT_EQ(ToString(ParseColumnType("decimal( 10 , 2 )").value()), "decimal(10,2)");
}

TEST(ColumnType, RefusesWhatThereIsNot) {
  for (const char* name : {"",
                           "int",
                           "decimal",
                           "decimal(0,0)",
                           "decimal(39,0)",
                           "decimal(3,4)",
                           "decimal(3,-1)",
                           "decimal(3)",
                           "decimal(3,1)x"}) {
    EXPECT_EQ(ParseColumnType(name).error().code, ErrorCode::kInvalidArgument) << name;
  }
}

// The worked example of docs/formats/segments.md.
TEST(SchemaFingerprint, IsTheDigestOfTheCanonicalText) {
  EXPECT_EQ(CanonicalSchema(Telemetry()),
            "version 1\n1 _wal_position i64 required\n1000 price decimal(10,2) optional\n");
  EXPECT_EQ(SchemaFingerprint(Telemetry()),
            "75ec7b83cc1a6e8816e90126ae87119df3c12169581f46ce010c8ff61b54f70c");
}

TEST(SchemaFingerprint, DoesNotDependOnUnits) {
  SegmentSchema other = Telemetry();
  other.columns[1].unit = "USD";
  EXPECT_EQ(SchemaFingerprint(other), SchemaFingerprint(Telemetry()));
  other.version = 2;
  EXPECT_NE(SchemaFingerprint(other), SchemaFingerprint(Telemetry()));
}

TEST(SchemaText, IsReadBack) {
  EXPECT_EQ(DecodeSchema(EncodeSchema(Telemetry())).value(), Telemetry());
  EXPECT_EQ(DecodeSchema("{}").error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace tidemark::format
