#pragma once
// How far a source has read one stream (a file): kept in the frames of the write-ahead log, so that
// what was read and what was taken in can never disagree (docs/formats/wal.md). The log keeps the
// latest place of each stream and looks into neither part.

#include <string>
#include <string_view>

namespace tidemark::format {

// Borrowed from the token's text.
struct SourceToken {
  std::string_view stream;  // which one, as its source tells them apart
  std::string_view place;   // how far
};

// `stream` behind its length, then `place`.
std::string EncodeSourceToken(const SourceToken& token);

// Never fails: what EncodeSourceToken did not write is a place of the stream "".
SourceToken DecodeSourceToken(std::string_view text);

}  // namespace tidemark::format
