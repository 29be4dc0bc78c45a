# TIDEMARK_SANITIZE: empty, "address,undefined" or "thread".
set(TIDEMARK_SANITIZE "" CACHE STRING "Sanitizers to build with")
if(TIDEMARK_SANITIZE)
  add_compile_options(-fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TIDEMARK_SANITIZE})
  if(TIDEMARK_SANITIZE MATCHES "undefined")
    # A tenth of the compiling, for nothing: object-size sees only optimised code, and of a wrong vptr the address sanitizer
    # sees the cause, an object that is no more.
    add_compile_options(-fno-sanitize=object-size,vptr)
  endif()
endif()
