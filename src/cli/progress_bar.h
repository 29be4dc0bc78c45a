#pragma once
// One line on a terminal's stderr that is redrawn in place; silent when stderr is no terminal.

#include <chrono>
#include <cstdint>
#include <string>

namespace tidemark::cli {

// One thread.
class ProgressBar {
 public:
  explicit ProgressBar(std::string name);
  // Wipes the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Draws `done` of `total` and `note`, at most ten times a second.
  void Show(std::int64_t done, std::int64_t total, const std::string& note);

 private:
  std::string name_;
  bool is_terminal_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_;
};

}  // namespace tidemark::cli
