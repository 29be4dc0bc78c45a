#pragma once
// The secret that clients of a source must show, from the file that the pipeline file names.

#include <string>

#include "base/result.h"
#include "io/file_system.h"

namespace tidemark::edge {

// What the file holds, without the line feed at its end: 1 to 4,096 printable ASCII characters
// without blanks. kInvalidArgument names the path and what is wrong, never what it holds.
Result<std::string> ReadTokenFile(io::FileSystem& files, const std::string& path);

}  // namespace tidemark::edge
