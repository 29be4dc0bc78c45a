# Headers that nearly every file includes, parsed once a build instead of once a file: this halves a build from nothing. They
# are a help to the compiler only: the tidy preset compiles without them (CMAKE_DISABLE_PRECOMPILE_HEADERS), and so finds a
# file that leans on one it does not include.
set(precompiled_headers
  <algorithm> <chrono> <fmt/format.h> <functional> <map> <memory> <optional> <string> <string_view> <vector>)

# g++ takes one only with the switches it was made with, so libraries (-fPIC) and tests (-fPIE, -O1) have one each.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/library.cc CONTENT "")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/test.cc CONTENT "int main() {}\n")
add_library(precompiled_library OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/library.cc)
add_executable(precompiled_test EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/test.cc)
target_link_libraries(precompiled_library PRIVATE fmt::fmt tidemark_warnings)
target_compile_options(precompiled_library PRIVATE ${TIDEMARK_COVERAGE})
target_link_libraries(precompiled_test PRIVATE fmt::fmt tidemark_warnings GTest::gmock GTest::gtest_main)
tidemark_test_options(precompiled_test)
target_precompile_headers(precompiled_library PRIVATE ${precompiled_headers})
target_precompile_headers(precompiled_test PRIVATE ${precompiled_headers} <gmock/gmock.h> <gtest/gtest.h>)

# For every target that compiles with one, whichever it is.
function(tidemark_precompiled_options TARGET)
  # Lets ccache see which one a file was compiled with.
  target_compile_options(${TARGET} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # g++ 12 takes moved strings for overruns once they are inlined, and a precompiled header is no system header to it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${TARGET} PRIVATE
      "$<$<CONFIG:RelWithDebInfo>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow>")
  endif()
endfunction()

# tidemark_precompiled(TARGET library|test)
function(tidemark_precompiled TARGET KIND)
  target_precompile_headers(${TARGET} REUSE_FROM precompiled_${KIND})
  tidemark_precompiled_options(${TARGET})
endfunction()
