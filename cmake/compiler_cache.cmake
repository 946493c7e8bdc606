# `./course test` and `handout` build the course in several folders, each time with the same suites. ccache, where it is
# installed, compiles each source once for all of them, in the folder that LINATTN_COMPILER_CACHE names in the environment, in
# an instructor's clone build/ccache: paths below the course count as the same wherever the course lies, and so do builds in
# which warnings are errors and others. Graded files and kernels are compiled anew, since messages name their place.
# CCACHE_DEPEND: the preprocessor, which ccache asks otherwise, reads a precompiled header that is about to be replaced, so
# that after different changes of it in two folders the second folder got the header of the first.
set(cache "$ENV{LINATTN_COMPILER_CACHE}")
if(NOT cache AND IS_DIRECTORY "${PROJECT_SOURCE_DIR}/tools/author")
  set(cache "${PROJECT_SOURCE_DIR}/build/ccache")
endif()
if(cache)
  find_program(LINATTN_CCACHE ccache)
  if(LINATTN_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_DIR=${cache}"
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_IGNOREOPTIONS=-Werror
      CCACHE_SLOPPINESS=locale,pch_defines,time_macros,include_file_mtime,include_file_ctime "${LINATTN_CCACHE}")
  endif()
endif()
