# Apache Arrow's Parquet. A system package where there is one; else the headers and libraries inside the Python wheel that
# tools/setup keeps in its environment (the wheel has no CMake configuration).
find_package(Parquet QUIET)
if(Parquet_FOUND)
  add_library(tidemark_parquet INTERFACE)
  target_link_libraries(tidemark_parquet INTERFACE Parquet::parquet_shared)
  return()
endif()

execute_process(
  COMMAND ${TIDEMARK_PYTHON} -c "import pyarrow, os; print(os.path.dirname(pyarrow.__file__))"
  OUTPUT_VARIABLE PYARROW_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(GLOB ARROW_LIBRARY ${PYARROW_DIR}/libarrow.so.*)
file(GLOB PARQUET_LIBRARY ${PYARROW_DIR}/libparquet.so.*)

# libparquet exports its own OpenSSL and simdjson symbols: the system's come before it, else our calls bind to its copies
# (tests/readers/bindings_test.cc). As link options, because CMake moves a library that others need too to the end.
add_library(tidemark_parquet INTERFACE)
target_include_directories(tidemark_parquet SYSTEM INTERFACE ${PYARROW_DIR}/include)
target_link_libraries(tidemark_parquet INTERFACE
  ${PARQUET_LIBRARY} ${ARROW_LIBRARY})
target_link_options(tidemark_parquet INTERFACE
  LINKER:--no-as-needed -lcrypto -lssl -lsimdjson -lzstd -lz LINKER:-rpath,${PYARROW_DIR})
