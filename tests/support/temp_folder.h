#pragma once
// A folder for one test, gone with it.

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/check.h"

namespace tidemark::test {

class TempFolder {
 public:
  TempFolder() {
    std::string name = std::filesystem::temp_directory_path() / "tidemark-test-XXXXXX";
    TIDEMARK_CHECK(mkdtemp(name.data()) != nullptr, "mkdtemp {}", name);
    path_ = name;
  }

  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  ~TempFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tidemark::test
