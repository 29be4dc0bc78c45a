#include "edge/segment/cursor_file.h"

namespace tidemark::edge {

namespace {

constexpr char kName[] = "cursor";

}  // namespace

Result<std::optional<format::SinkCursor>> LoadCursor(SinkFolder& folder) {
  TIDEMARK_TRY(const auto text, ReadWhole(folder.files, folder.Sub(kName)));
  if (!text) return std::optional<format::SinkCursor>();
  auto cursor = format::DecodeCursor(*text);
  if (!cursor) {
    return Annotate(std::move(cursor.error()),
                    folder.Sub(kName) + " (remove it to recover from catalog and segments)");
  }
  return std::optional<format::SinkCursor>(*std::move(cursor));
}

Status StoreCursor(SinkFolder& folder, const format::SinkCursor& cursor) {
  TIDEMARK_TRY([[maybe_unused]] const auto file,
               ReplaceDurably(folder, kName, format::EncodeCursor(cursor)));
  return {};
}

}  // namespace tidemark::edge
