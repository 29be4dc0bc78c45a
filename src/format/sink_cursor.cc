#include "format/sink_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/crc32c.h"
#include "format/json_text_internal.h"

namespace tidemark::format {

namespace {

constexpr std::size_t kChecksumDigits = 8;
constexpr int kHex = 16;

template <typename Number>
bool ReadHex(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, kHex);
  return error == std::errc() && end == text.data() + text.size();
}

std::unexpected<Error> Damaged(std::string_view how) {
  return Fail(ErrorCode::kCorruption, fmt::format("cursor: {}", how));
}

}  // namespace

Position SinkCursor::Watermark() const {
  if (coverage.empty()) return Position(0);
  return std::ranges::min_element(coverage, {}, [](const auto& entry) { return entry.second; })
      ->second;
}

std::string EncodeCursor(const SinkCursor& cursor) {
  internal::ObjectText coverage;
  for (const auto& [dataset, position] : cursor.coverage) coverage.Int(dataset, position.value());
  const std::string json = internal::ObjectText()
                               .Text("epoch", fmt::format("{:016x}", cursor.epoch.value()))
                               .Json("coverage", coverage.Finish())
                               .Finish();
  return fmt::format("{:08x} {}\n", Crc32c(json), json);
}

Result<SinkCursor> DecodeCursor(std::string_view text) {
  std::uint32_t crc = 0;
  if (text.size() < kChecksumDigits + 2 || !text.ends_with('\n') || text[kChecksumDigits] != ' ' ||
      !ReadHex(text.substr(0, kChecksumDigits), crc)) {
    return Damaged("not a checksum and a line of JSON");
  }
  text.remove_suffix(1);
  const std::string_view json = text.substr(kChecksumDigits + 1);
  if (Crc32c(json) != crc) return Damaged("the checksum is not that of the text");
  TIDEMARK_TRY(const auto object, internal::ParseObject(json, "cursor"));
  SinkCursor cursor;
  TIDEMARK_TRY(const std::string epoch, internal::TextField(object, "epoch"));
  std::int64_t epoch_value = 0;
  if (!ReadHex(epoch, epoch_value)) return Damaged("epoch is not 16 hex digits");
  cursor.epoch = Epoch(epoch_value);
  const auto coverage = object.find("coverage");
  if (coverage == object.end() || !coverage->is_object()) return Damaged("coverage is missing");
  for (const auto& [dataset, position] : coverage->items()) {
    if (!position.is_number_integer()) return Damaged("a position is not a number");
    cursor.coverage.emplace(dataset, Position(position.get<std::int64_t>()));
  }
  return cursor;
}

}  // namespace tidemark::format
