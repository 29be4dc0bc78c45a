#include "datafile/dictionary_column.h"

#include <arrow/array.h>
#include <arrow/type.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

namespace tidemark::datafile {

namespace {

constexpr std::size_t kSlotsAtFirst = 64;
// Texts that were chosen to fall together must not make every look-up long.
constexpr std::size_t kProbesMax = 64;
// What a text takes in a dictionary page besides its bytes: its length.
constexpr std::int64_t kLengthBytes = 4;

template <typename Word>
std::uint64_t Load(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint64_t Mixed(std::uint64_t a, std::uint64_t b) {
  const auto product =
      static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15) * (b ^ 0xD6E8FEB86659FD93);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Words from both ends may overlap: so no text is read byte by byte.
std::uint64_t HashOf(std::string_view text) {
  const char* const begin = text.data();
  const std::size_t size = text.size();
  if (size > 8) {
    std::uint64_t hash = size;
    for (std::size_t at = 0; at + 8 < size; at += 8)
      hash = Mixed(hash, Load<std::uint64_t>(begin + at));
    return Mixed(hash, Load<std::uint64_t>(begin + size - 8));
  }
  if (size >= 4) {
    return Mixed(Load<std::uint32_t>(begin) << 32 | Load<std::uint32_t>(begin + size - 4), size);
  }
  if (size == 0) return Mixed(0, 0);
  return Mixed(Load<std::uint8_t>(begin) << 16 | Load<std::uint8_t>(begin + size / 2) << 8 |
                   Load<std::uint8_t>(begin + size - 1),
               size);
}

// As `a == b`, without a call for the few bytes that most texts have.
inline bool SameText(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size < 4) return a == b;
  const auto differing = [&]<typename Word>(Word, std::size_t at) {
    return Load<Word>(a.data() + at) ^ Load<Word>(b.data() + at);
  };
  constexpr std::uint32_t kHalf = 0;
  constexpr std::uint64_t kWhole = 0;
  if (size < 8) return (differing(kHalf, 0) | differing(kHalf, size - 4)) == 0;
  std::uint64_t differences = differing(kWhole, 0) | differing(kWhole, size - 8);
  for (std::size_t at = 8; at + 8 < size; at += 8) differences |= differing(kWhole, at);
  return differences == 0;
}

template <typename Value>
std::shared_ptr<arrow::Buffer> Borrowed(const std::vector<Value>& values) {
  return arrow::Buffer::Wrap(values);
}

parquet::ByteArray AsByteArray(std::string_view text) {
  return {static_cast<std::uint32_t>(text.size()),
          reinterpret_cast<const std::uint8_t*>(text.data())};
}

}  // namespace

bool DictionaryColumn::Add(const ColumnBuffer& column) {
  const std::size_t rows_before = numbers_.size();
  const std::int64_t nulls_before = nulls_;
  const auto& presence = column.presence();
  const std::string_view bytes = column.bytes();
  const std::size_t* next_end = column.ends().data();
  std::size_t begin = 0;
  std::string_view last_text;
  std::int32_t last = kNull;
  numbers_.resize(rows_before + column.rows());
  for (std::size_t row = 0; row < column.rows(); ++row) {
    std::int32_t& number = numbers_[rows_before + row];
    if (row < presence.size() && presence[row] == 0) {
      number = kNull;
      ++nulls_;
      continue;
    }
    const std::size_t end = *next_end++;
    const std::string_view text = bytes.substr(begin, end - begin);
    begin = end;
    // Some columns hardly ever change.
    if (last == kNull || !SameText(last_text, text)) last = NumberOf(text);
    if (last == kNull) {
      numbers_.resize(rows_before);
      nulls_ = nulls_before;
      return false;
    }
    last_text = text;
    number = last;
  }
  return true;
}

std::int32_t DictionaryColumn::NumberOf(std::string_view text) {
  if (2 * count() >= slots_.size()) Grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = HashOf(text) & mask;
  for (std::size_t probe = 0; probe < kProbesMax; ++probe, slot = (slot + 1) & mask) {
    const std::int32_t number = slots_[slot];
    if (number != kNull && SameText(TextOf(number), text)) return number;
    if (number != kNull) continue;
    const auto size = static_cast<std::int64_t>(texts_.size() + text.size()) +
                      kLengthBytes * static_cast<std::int64_t>(count() + 1);
    if (size >= bytes_max_) return kNull;
    slots_[slot] = static_cast<std::int32_t>(count());
    texts_ += text;
    ends_.push_back(static_cast<std::int32_t>(texts_.size()));
    return slots_[slot];
  }
  return kNull;
}

void DictionaryColumn::Grow() {
  slots_.assign(std::max(kSlotsAtFirst, 2 * slots_.size()), kNull);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < count(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    std::size_t slot = HashOf(TextOf(number)) & mask;
    while (slots_[slot] != kNull) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

std::vector<std::int16_t> DictionaryColumn::Levels() const {
  std::vector<std::int16_t> levels(numbers_.size());
  std::ranges::transform(numbers_, levels.begin(), [](std::int32_t number) {
    return static_cast<std::int16_t>(number == kNull ? 0 : 1);
  });
  return levels;
}

void DictionaryColumn::WriteNumbers(parquet::ByteArrayWriter& writer,
                                    bool required,
                                    arrow::MemoryPool* pool) {
  const auto rows = static_cast<std::int64_t>(numbers_.size());
  const std::vector<std::int16_t> levels = required ? std::vector<std::int16_t>() : Levels();
  std::vector<std::uint8_t> validity;
  if (nulls_ > 0) {
    validity.resize((numbers_.size() + 7) / 8);
    for (std::size_t row = 0; row < numbers_.size(); ++row) {
      std::uint8_t& bits = validity[row / 8];
      if (numbers_[row] != kNull) bits = static_cast<std::uint8_t>(bits | 1U << (row % 8));
    }
  }
  const auto numbers = std::make_shared<arrow::Int32Array>(
      rows, Borrowed(numbers_), nulls_ > 0 ? Borrowed(validity) : nullptr, nulls_);
  const auto texts = std::make_shared<arrow::BinaryArray>(
      static_cast<std::int64_t>(count()), Borrowed(ends_), std::make_shared<arrow::Buffer>(texts_));
  const arrow::DictionaryArray array(
      arrow::dictionary(arrow::int32(), arrow::binary()), numbers, texts);
  parquet::ArrowWriteContext context(pool, parquet::default_arrow_writer_properties().get());
  PARQUET_THROW_NOT_OK(writer.WriteArrow(
      required ? nullptr : levels.data(), nullptr, rows, array, &context, !required));
  Clear();
}

void DictionaryColumn::WriteTexts(parquet::ByteArrayWriter& writer, bool required) {
  const std::vector<std::int16_t> levels = required ? std::vector<std::int16_t>() : Levels();
  std::vector<parquet::ByteArray> texts;
  texts.reserve(numbers_.size());
  for (const std::int32_t number : numbers_) {
    if (number != kNull) texts.push_back(AsByteArray(TextOf(number)));
  }
  writer.WriteBatch(static_cast<std::int64_t>(numbers_.size()),
                    required ? nullptr : levels.data(),
                    nullptr,
                    texts.data());
  Clear();
}

std::int64_t DictionaryColumn::encoded_bytes() const {
  const auto bits = static_cast<std::int64_t>(std::bit_width(count()));
  return static_cast<std::int64_t>(texts_.size()) +
         kLengthBytes * static_cast<std::int64_t>(count()) +
         static_cast<std::int64_t>(numbers_.size()) * bits / 8;
}

std::size_t DictionaryColumn::memory_bytes() const {
  return texts_.capacity() +
         sizeof(std::int32_t) * (ends_.capacity() + slots_.capacity() + numbers_.capacity());
}

void DictionaryColumn::Clear() {
  texts_.clear();
  ends_.resize(1);
  std::ranges::fill(slots_, kNull);
  numbers_.clear();
  nulls_ = 0;
}

}  // namespace tidemark::datafile
