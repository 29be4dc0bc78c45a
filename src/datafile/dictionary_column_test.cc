#include "datafile/dictionary_column.h"

#include <arrow/io/memory.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <optional>

#include "datafile/segment_writer.h"

namespace tidemark::datafile {
namespace {

using Texts = std::vector<std::optional<std::string>>;
using ::testing::Contains;

// One column of texts, alone in a file; row groups of about `group_bytes`.
std::string FileOf(const Texts& texts, bool required, std::int64_t group_bytes = 8 << 20) {
  const format::SegmentSchema schema{.dataset = "t",
                                     .version = 1,
                                     .columns = {{.id = 1000,
                                                  .name = "s",
                                                  .type = format::ParseColumnType("string").value(),
                                                  .required = required,
                                                  .unit = {}}}};
  SegmentForm form;
  form.row_group_bytes = group_bytes;
  auto writer = NewSegmentWriter(schema, form).value();
  ColumnBatch batch = NewBatch(schema);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] ? batch.columns[0].AddBytes(*texts[i]) : batch.columns[0].AddNull();
    if (batch.rows() < 1000 && i + 1 < texts.size()) continue;
    EXPECT_TRUE(writer->Write(batch));
    batch.Clear();
  }
  EXPECT_TRUE(writer->Finish({}));
  return writer->TakeBytes();
}

std::unique_ptr<parquet::ParquetFileReader> Opened(const std::string& bytes) {
  return parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
}

void AppendTextsOf(parquet::RowGroupReader& group, Texts& texts) {
  const auto column = group.Column(0);
  auto& reader = static_cast<parquet::ByteArrayReader&>(*column);
  while (reader.HasNext()) {
    std::int16_t level = 1;
    parquet::ByteArray value;
    std::int64_t values = 0;
    reader.ReadBatch(1, &level, nullptr, &value, &values);
    texts.push_back(values == 0 ? std::optional<std::string>()
                                : std::string(parquet::ByteArrayToString(value)));
  }
}

Texts TextsOf(const std::string& bytes) {
  const auto file = Opened(bytes);
  Texts texts;
  for (int i = 0; i < file->metadata()->num_row_groups(); ++i) {
    AppendTextsOf(*file->RowGroup(i), texts);
  }
  return texts;
}

std::vector<parquet::Encoding::type> EncodingsOf(const std::string& bytes) {
  return Opened(bytes)->metadata()->RowGroup(0)->ColumnChunk(0)->encodings();
}

// Of all lengths up to 20, and each of them again and again.
Texts FewDistinct(int rows) {
  Texts texts;
  for (int i = 0; i < rows; ++i)
    texts.emplace_back(std::string(static_cast<std::size_t>(i % 21), 'x') + std::to_string(i % 3));
  return texts;
}

TEST(DictionaryColumn, GivesEachRowItsText) {
  const Texts texts = FewDistinct(5'000);
  const std::string bytes = FileOf(texts, /*required=*/true);
  EXPECT_EQ(TextsOf(bytes), texts);
  EXPECT_THAT(EncodingsOf(bytes), Contains(parquet::Encoding::RLE_DICTIONARY));
  EXPECT_LT(bytes.size(), 5'000u);
}

TEST(DictionaryColumn, TellsTextsApartThatDifferInOneByte) {
  for (std::size_t size = 1; size < 30; ++size) {
    Texts texts{std::string(size, 'x')};
    for (std::size_t i = 0; i < size; ++i) {
      texts.push_back(texts.front());
      texts.back()->at(i) = 'y';
    }
    EXPECT_EQ(TextsOf(FileOf(texts, /*required=*/true)), texts) << size;
  }
}

TEST(DictionaryColumn, KeepsNulls) {
  Texts texts = FewDistinct(5'000);
  for (std::size_t i = 0; i < texts.size(); i += 7) texts[i] = std::nullopt;
  EXPECT_EQ(TextsOf(FileOf(texts, /*required=*/false)), texts);
  EXPECT_EQ(TextsOf(FileOf({std::nullopt, std::nullopt}, /*required=*/false)),
            (Texts{std::nullopt, std::nullopt}));
}

TEST(DictionaryColumn, KeepsTheEmptyTextApartFromNull) {
  const Texts texts{"", std::nullopt, "", "a"};
  EXPECT_EQ(TextsOf(FileOf(texts, /*required=*/false)), texts);
}

TEST(DictionaryColumn, BeginsAnewWithEachRowGroup) {
  const Texts texts = FewDistinct(20'000);
  const std::string bytes = FileOf(texts, /*required=*/true, /*group_bytes=*/4'000);
  EXPECT_GT(Opened(bytes)->metadata()->num_row_groups(), 2);
  EXPECT_EQ(TextsOf(bytes), texts);
}

TEST(DictionaryColumn, GoesOnInPlainWhenTextsHardlyComeAgain) {
  Texts texts;
  for (int i = 0; i < 40'000; ++i) texts.emplace_back(fmt::format("number {}", i));
  for (std::size_t i = 0; i < texts.size(); i += 11) texts[i] = std::nullopt;
  const std::string bytes = FileOf(texts, /*required=*/false);
  EXPECT_EQ(TextsOf(bytes), texts);
  EXPECT_THAT(EncodingsOf(bytes), Contains(parquet::Encoding::PLAIN));
}

TEST(DictionaryColumn, TakesNoRowOfABatchWithTooManyTexts) {
  DictionaryColumn dictionary(/*bytes_max=*/20);
  ColumnBuffer column(ColumnStorage::kText, /*required=*/true);
  column.AddBytes("four");
  EXPECT_TRUE(dictionary.Add(column));
  column.AddBytes("and far too many");
  EXPECT_FALSE(dictionary.Add(column));
  EXPECT_EQ(dictionary.rows(), 1u);
}

TEST(DictionaryColumn, CountsWhatItComesTo) {
  DictionaryColumn dictionary(/*bytes_max=*/1'000);
  ColumnBuffer column(ColumnStorage::kText, /*required=*/true);
  for (int i = 0; i < 800; ++i) column.AddBytes(i % 2 == 0 ? "even" : "odd");
  ASSERT_TRUE(dictionary.Add(column));
  EXPECT_EQ(dictionary.encoded_bytes(), 4 + 4 + 4 + 3 + 800 * 2 / 8);
}

}  // namespace
}  // namespace tidemark::datafile
