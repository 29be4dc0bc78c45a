#include "format/source_token.h"

#include "base/wire.h"

namespace tidemark::format {

std::string EncodeSourceToken(const SourceToken& token) {
  std::string text;
  PutBytes(token.stream, text);
  text.append(token.place);
  return text;
}

SourceToken DecodeSourceToken(std::string_view text) {
  WireReader reader(text);
  const auto stream = reader.Bytes();
  if (!reader.ok()) return {.stream = {}, .place = text};
  return {.stream = stream, .place = reader.rest()};
}

}  // namespace tidemark::format
