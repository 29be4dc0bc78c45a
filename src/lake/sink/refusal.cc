#include "lake/sink/refusal.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::lake {

std::optional<Error> RefusalOf(const queen::FetchEntry& first, const queen::FetchAnswer& answer) {
  const auto is_refused = [](const queen::FetchEntryAnswer& entry) {
    return entry.error != queen::EntryError::kNone &&
           entry.error != queen::EntryError::kOffsetOutOfRange;
  };
  if (!std::ranges::all_of(answer.entries, is_refused)) return std::nullopt;
  return Error{
      .code = ErrorCode::kUnavailable,
      .message = fmt::format(
          "partition {} cannot be read at offset {}", first.partition, first.offset.value())};
}

}  // namespace tidemark::lake
