# One warning level for everything we write. Third-party headers come in as SYSTEM.
add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror)
# g++ 12 takes the parameters inside an inlined coroutine frame for objects of their own and warns about freeing the frame.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tidemark_warnings INTERFACE -Wno-free-nonheap-object)
endif()
# Of libstdc++'s own use of what it deprecates, such as stable_sort's buffer, clang warns too; g++ tells of ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(tidemark_warnings INTERFACE -Wno-deprecated-declarations)
endif()
