#pragma once
// Cuts bytes into lines: what a file or a request body in NDJSON is made of. Pure.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::edge {

struct Line {
  std::string_view text;   // without LF or CR LF
  std::size_t number = 0;  // from 1, empty ones counted
};

struct Lines {
  std::vector<Line> lines;   // those that are not empty
  std::size_t consumed = 0;  // bytes up to and with the last line feed, or all of them
  std::size_t count = 0;     // empty ones counted
};

// When `to_end`, what follows the last line feed is a line too; else it is not consumed. Stops
// behind `lines_max` lines that are not empty.
Lines CutLines(std::string_view bytes, bool to_end, std::size_t lines_max = SIZE_MAX);

}  // namespace tidemark::edge
