# TIDEMARK_SANITIZE: empty, "address,undefined" or "thread".
set(TIDEMARK_SANITIZE "" CACHE STRING "Sanitizers to build with")
if(TIDEMARK_SANITIZE)
  add_compile_options(-fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TIDEMARK_SANITIZE})
endif()

# What the libraries are compiled with besides, so that libFuzzer (fuzz/) sees where an input leads.
set(TIDEMARK_COVERAGE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND TIDEMARK_SANITIZE MATCHES "address")
  set(TIDEMARK_COVERAGE -fsanitize=fuzzer-no-link)
endif()
