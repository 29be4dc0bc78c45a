# One warning level for everything we write. Third-party headers come in as SYSTEM.
add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror)
