#include "edge/segment/schema_evolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/lossy_file_system.h"

namespace tidemark::edge {
namespace {

using ::testing::HasSubstr;

format::SchemaColumn Column(int id, const std::string& name, const std::string& type) {
  return {.id = id,
          .name = name,
          .type = format::ParseColumnType(type).value(),
          .required = false,
          .unit = {}};
}

format::SegmentSchema Schema(std::vector<format::SchemaColumn> columns) {
  return {.dataset = "t", .version = 1, .columns = std::move(columns), .form = "micros"};
}

const format::SegmentSchema kLast = Schema({Column(1000, "a", "i16"), Column(1001, "b", "string")});

std::string FaultOf(std::vector<format::SchemaColumn> columns) {
  const Status checked = CheckEvolution(kLast, Schema(std::move(columns)));
  return checked ? "" : checked.error().message;
}

TEST(SchemaEvolution, LetsOptionalFieldsInAndTypesGrow) {
  EXPECT_EQ(
      FaultOf({Column(1002, "c", "bool"), Column(1000, "a", "i64"), Column(1001, "b", "string")}),
      "");
}

TEST(SchemaEvolution, RefusesADroppedFieldAndNamesTheWayOut) {
  const std::string fault = FaultOf({Column(1000, "a", "i16")});
  EXPECT_THAT(fault, HasSubstr("schema.dropped: { id: 1001, name: b, type: string, optional }"));
  EXPECT_THAT(fault, HasSubstr("`version: 2`"));
}

TEST(SchemaEvolution, NamesEachKindOfChange) {
  const auto b = Column(1001, "b", "string");
  EXPECT_THAT(FaultOf({Column(1000, "x", "i16"), b}), HasSubstr("schema.rename"));
  EXPECT_THAT(FaultOf({Column(1000, "x", "bool"), b}), HasSubstr("schema.id_reused"));
  EXPECT_THAT(FaultOf({Column(1000, "a", "i8"), b}), HasSubstr("schema.narrowing"));
  EXPECT_THAT(FaultOf({Column(1000, "a", "f64"), b}), HasSubstr("schema.type"));
  auto required = Column(1000, "a", "i16");
  required.required = true;
  EXPECT_THAT(FaultOf({required, b}), HasSubstr("schema.required"));
  auto unit = Column(1000, "a", "i16");
  unit.unit = "m";
  EXPECT_THAT(FaultOf({unit, b}), HasSubstr("schema.unit"));
  auto fresh = Column(1002, "c", "bool");
  fresh.required = true;
  EXPECT_THAT(FaultOf({Column(1000, "a", "i16"), b, fresh}), HasSubstr("is new, and not optional"));
}

TEST(SchemaEvolution, RefusesAnotherForm) {
  auto nanos = kLast;
  nanos.form = "nanos";
  EXPECT_THAT(CheckEvolution(kLast, nanos).error().message, HasSubstr("nanos was micros"));
}

TEST(KeptSchema, IsThatOfTheLastRunThatWasAllowed) {
  io::LossyFileSystem disk;
  SinkFolder folder(disk, "/schemas");
  ASSERT_TRUE(KeepSchema(folder, "t", kLast));
  ASSERT_TRUE(KeepSchema(folder, "t", kLast));
  EXPECT_EQ(KeepSchema(folder, "t", Schema({})).error().code, ErrorCode::kPreconditionFailed);
  auto wider = kLast;
  wider.columns[0].type.kind = format::ColumnKind::kI32;
  ASSERT_TRUE(KeepSchema(folder, "t", wider));
  EXPECT_FALSE(KeepSchema(folder, "t", kLast));
}

}  // namespace
}  // namespace tidemark::edge
