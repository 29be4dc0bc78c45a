# The rules of the house as tests (label `house`): tools/house reads the sources and the pure folders' object files. They
# depend on no compiler switch, so one build is enough: not under the sanitizers.
if(TIDEMARK_SANITIZE)
  return()
endif()

# Every header compiles alone. One with a .cc of its name is seen to where that includes it first (the rule `headers`).
set(header_sources)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/src/*.h)
foreach(header ${headers})
  string(REGEX REPLACE "\\.h$" ".cc" body ${header})
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${body})
    continue()
  endif()
  set(source ${CMAKE_BINARY_DIR}/headers/${header}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
  list(APPEND header_sources ${source})
endforeach()
add_library(tidemark_headers OBJECT ${header_sources})
target_link_libraries(tidemark_headers PRIVATE lake edge_source broker verify CLI11::CLI11 tidemark_warnings)
target_compile_options(tidemark_headers PRIVATE -O0 -g0)

function(tidemark_house_test NAME)
  add_test(NAME house.${NAME} COMMAND ${ARGN})
  set_tests_properties(house.${NAME} PROPERTIES LABELS house TIMEOUT 120)
endfunction()

set(house ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 python3 ${CMAKE_SOURCE_DIR}/tools/house)
tidemark_house_test(layers ${house} layers)
tidemark_house_test(rights ${house} rights)
tidemark_house_test(headers ${house} headers)
tidemark_house_test(limits ${house} limits)
tidemark_house_test(words ${house} words)
tidemark_house_test(registered ${house} registered --build ${CMAKE_BINARY_DIR})

set(pure_archives)
foreach(library format datafile lake_engine)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    list(APPEND pure_archives $<TARGET_FILE:${library}>)
  endif()
endforeach()
tidemark_house_test(purity ${house} purity ${pure_archives})

# The rules themselves, on planted breaches.
tidemark_house_test(finds_planted_faults ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1
  python3 ${CMAKE_SOURCE_DIR}/tests/negative/house/house_test.py)
