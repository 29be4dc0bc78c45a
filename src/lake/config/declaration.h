#pragma once
// An environment variable declared once: its parsing, what a refusal says, and
// docs/configuration.md come from here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::lake {

// Whose name it is: queen-s3's, kept as it is, or an addition of ours.
enum class Origin { kQueenS3, kTidemark };

// One accepted spelling. The first of a value is its name; later ones are aliases.
template <typename T>
struct Spelling {
  std::string_view text;
  T value;
};

// What of a value may be seen.
enum class Shown { kWhole, kPresence, kTail };  // kTail: its last four characters

struct Word {
  std::string_view text;
  bool is_alias = false;  // of the last word that is none
};

// The spellings of a choice, without their values; an empty text ends them.
using Words = std::array<Word, 10>;

struct Declaration {
  std::string_view name;
  std::string_view group;  // heading of the page
  std::string_view type;   // in a word: "URL", "MiB"
  // What an unset or blank variable stands for; empty: nothing.
  std::string_view otherwise = {};
  // Where no one text is the default: what the page says instead.
  std::string_view otherwise_words = {};
  // What is accepted, in words; a number and a choice need none.
  std::string_view accepted = {};
  // A whole number in [min, max], where max is not 0.
  std::int64_t min = 0;
  std::int64_t max = 0;
  Words words = {};
  Shown shown = Shown::kWhole;
  Origin origin = Origin::kQueenS3;
  std::string_view about;  // sentences
};

// A variable with a fixed set of spellings.
template <typename T, std::size_t N>
struct Choice : Declaration {
  constexpr Choice(Declaration declaration, const std::array<Spelling<T>, N>& values)
      : Declaration(declaration), spellings(values) {
    static_assert(N <= std::tuple_size_v<Words>);
    for (std::size_t i = 0; i < N; ++i) {
      words[i].text = values[i].text;
      words[i].is_alias = i > 0 && values[i].value == values[i - 1].value;
    }
  }

  std::array<Spelling<T>, N> spellings;
};

// What a refusal says is accepted: `accepted`, the range of a number, or every spelling.
std::string AcceptedWords(const Declaration& declaration);

}  // namespace tidemark::lake
