#pragma once
// A strict JSON reader (RFC 8259) that walks a text once and hands out slices of it. The broker's
// own, because a payload must be kept exactly as it was sent *and* be known to be valid: stored
// text is spliced into answers, so one bad payload would make every answer that holds it
// unreadable. Numbers are never converted, so none is too large.
//
//   JsonCursor json(text);
//   Status s = json.ReadObject([&](std::string_view key) -> Status { ...read exactly one value...
//   }); TIDEMARK_TRY_VOID(json.End());
//
// All errors are kInvalidArgument and name the byte. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidemark::broker {

inline constexpr std::size_t kJsonDepthMax = 1000;

enum class JsonType { kNull, kBool, kNumber, kString, kArray, kObject };

class JsonCursor {
 public:
  // `text` must be valid UTF-8 (see IsUtf8) and outlive the cursor and every slice it gives.
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // The type of the value that comes next, by its first byte; nothing is consumed.
  Result<JsonType> Peek();

  // Checks one whole value and returns its text, first to last byte, without the white space around
  // it.
  Result<std::string_view> Raw();

  // A string's value: a slice of the text, or of the cursor when it held escapes. A lone surrogate
  // is an error.
  Result<std::string_view> String();

  // An integer in plain notation (no fraction, no exponent) that fits 64 bits.
  Result<std::int64_t> Integer();
  Result<bool> Bool();

  // Calls `member(key)` for each member; it must consume exactly one value. The key is valid during
  // the call.
  template <typename Member>
  Status ReadObject(Member member) {
    TIDEMARK_TRY_VOID(Enter('{', "an object"));
    if (TryByte('}')) return Leave();
    while (true) {
      TIDEMARK_TRY(const std::string_view key, String());
      TIDEMARK_TRY_VOID(Expect(':'));
      TIDEMARK_TRY_VOID(member(key));
      if (TryByte('}')) return Leave();
      TIDEMARK_TRY_VOID(Expect(','));
    }
  }

  // Calls `element()` for each element; it must consume exactly one value.
  template <typename Element>
  Status ReadArray(Element element) {
    TIDEMARK_TRY_VOID(Enter('[', "an array"));
    if (TryByte(']')) return Leave();
    while (true) {
      TIDEMARK_TRY_VOID(element());
      if (TryByte(']')) return Leave();
      TIDEMARK_TRY_VOID(Expect(','));
    }
  }

  // Checks and drops one value.
  Status Skip();

  // Nothing but white space is left.
  Status End();

  // "<what> at byte <position>", for callers that find a value wrong.
  std::unexpected<Error> Wrong(std::string_view what) const;

 private:
  void SkipSpace();
  bool TryAt(char c);
  bool TryByte(char c);
  Status Expect(char c);
  Status Enter(char c, std::string_view what);
  Status Leave();
  Status SkipString();
  Status SkipNumber();
  Status SkipWord(std::string_view word);
  Status SkipScalar();
  Status SkipContainer();
  Status SkipName();
  Status SkipToValue(std::vector<char>& open);
  Result<bool> CloseEnded(std::vector<char>& open);
  Status Unescape(std::string& out);
  Status UnescapeOne(std::string& out);
  Result<std::uint32_t> HexUnit();
  Result<std::uint32_t> CodePoint();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::deque<std::string> unescaped_;
};

bool IsUtf8(std::string_view text);

}  // namespace tidemark::broker
