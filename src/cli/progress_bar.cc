#include "cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tidemark::cli {

namespace {

constexpr std::int64_t kCells = 30;
constexpr std::chrono::milliseconds kBetweenDraws(100);
constexpr const char* kWipeLine = "\r\033[K";

}  // namespace

ProgressBar::ProgressBar(std::string name)
    : name_(std::move(name)), is_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) fmt::print(stderr, "{}", kWipeLine);
}

void ProgressBar::Show(std::int64_t done, std::int64_t total, const std::string& note) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || (is_drawn_ && now - drawn_at_ < kBetweenDraws)) return;
  is_drawn_ = true;
  drawn_at_ = now;
  const auto full = std::clamp<std::int64_t>(total == 0 ? 0 : done * kCells / total, 0, kCells);
  fmt::print(stderr,
             "{}{} [{:#<{}}{:.<{}}] {}/{} {}",
             kWipeLine,
             name_,
             "",
             full,
             "",
             kCells - full,
             done,
             total,
             note);
  std::fflush(stderr);
}

}  // namespace tidemark::cli
