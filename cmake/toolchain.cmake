# Compiler flags in one place.

# For who works on the course: `./course test` sets it. A newer compiler has new warnings, which must not keep an instructor
# from grading.
option(LINATTN_WERROR "treat warnings as errors" OFF)

include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

# How the suites and what judges are compiled. `./course test` builds all of it under clang for what clang says of it, and -O0
# takes half the time.
set(LINATTN_SUITE_FLAGS "-O1" CACHE STRING "how the suites are optimised")

# With AVX: where one function knows which registers another one uses, g++ 12 leaves out the instruction that clears their
# upper halves. On some processors every std::exp that follows then takes 40 times as long.
if(LINATTN_BENCH)
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-ipa-ra>)
endif()

add_library(linattn_warnings INTERFACE)
target_compile_options(linattn_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<BOOL:${LINATTN_WERROR}>:-Werror>)

# A mistake may well ignore an argument. To be linked after linattn_warnings: clang obeys the flag that comes last.
add_library(linattn_unused_parameters INTERFACE)
target_compile_options(linattn_unused_parameters INTERFACE -Wno-unused-parameter)

# compiled_together(target [APART source…]): the compiler reads up to ten of a library's sources as one, so that what they all
# include is read once. It is not CMake's UNITY_BUILD, whose files name the folder of the course, so that ccache would find nothing
# in another copy of it.
function(compiled_together target)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "" APART)
  get_target_property(sources ${target} SOURCES)
  set(compiled ${sources})
  list(REMOVE_ITEM sources "" ${its_APART})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  if(NOT sources)
    return()
  endif()
  list(REMOVE_ITEM compiled ${sources})
  list(LENGTH sources count)
  math(EXPR files "(${count} + 9) / 10")
  set(next 0)
  foreach(source IN LISTS sources)
    get_filename_component(source "${source}" ABSOLUTE)
    file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}" "${source}")
    math(EXPR file "${next} % ${files}")  # neighbours in the alphabet may all be long
    string(APPEND text_${file} "#include \"${source}\"\n")
    math(EXPR next "${next} + 1")
  endforeach()
  math(EXPR last "${files} - 1")
  foreach(file RANGE ${last})
    set(together "${CMAKE_CURRENT_BINARY_DIR}/${target}_${file}.cpp")
    file(CONFIGURE OUTPUT "${together}" CONTENT "${text_${file}}")
    list(APPEND compiled "${together}")
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${compiled}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
endfunction()

# The address sanitizer finds accesses outside an array and names the line. Its runtime is a package of its own for clang.
set(CMAKE_REQUIRED_FLAGS -fsanitize=address)
check_cxx_source_compiles("int main() { return 0; }" LINATTN_HAS_ASAN)
set(CMAKE_REQUIRED_FLAGS -fsanitize-coverage=trace-pc)
check_cxx_source_compiles("extern \"C\" void __sanitizer_cov_trace_pc() {} int main() { return 0; }" LINATTN_HAS_TRACE_PC)
set(CMAKE_REQUIRED_FLAGS "-fsanitize=bounds -fsanitize-undefined-trap-on-error")
check_cxx_source_compiles("int main(int n, char**) { int a[2] = {}; return a[n]; }" LINATTN_HAS_BOUNDS)
unset(CMAKE_REQUIRED_FLAGS)
set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
check_cxx_source_compiles("int main() { return *new int(); }" LINATTN_LINKS_STATIC_RUNTIME)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
# Where a compiler has its C++ runtime as an archive only, no program can have a __cxa_throw beside the runtime's own.
check_cxx_source_compiles("#include <cstdlib>
  extern \"C\" void __cxa_throw(void*, void*, void (*)(void*)) { std::abort(); }
  int main(int n, char**) { try { if (n > 9) throw n; } catch (...) { throw; } }" LINATTN_REPLACES_THROW)
check_cxx_compiler_flag(-ftrivial-auto-var-init=pattern LINATTN_HAS_AUTO_VAR_INIT)
check_cxx_compiler_flag(-march=native LINATTN_HAS_NATIVE)  # what is measured, and training
if(NOT LINATTN_HAS_ASAN)
  message(STATUS "no address sanitizer for this compiler: an access outside an array may go unnoticed")
endif()
if(NOT LINATTN_HAS_TRACE_PC)
  message(STATUS "no -fsanitize-coverage=trace-pc: the cost of loops written by hand is not counted")
endif()

# What the compiler says of a student's file, C++ or kernel, and so of the reference. A stub leaves its parameters and checked
# shapes unused. What is certainly wrong does not compile; a local variable that was never given a value holds what can be
# recognised. Link it after linattn_warnings, of which it takes something back.
add_library(linattn_students INTERFACE)
target_compile_options(linattn_students INTERFACE
  -fdiagnostics-color=never  # whatever CXXFLAGS says: the compiler's words are read by programs
  -Wno-unused-parameter -Wno-unused-variable -Wno-unused-but-set-parameter -Wno-unused-but-set-variable
  -Werror=return-type -Werror=uninitialized
  $<$<BOOL:${LINATTN_HAS_AUTO_VAR_INIT}>:-ftrivial-auto-var-init=pattern>
  $<$<CXX_COMPILER_ID:GNU>:-fmax-errors=3> $<$<CXX_COMPILER_ID:Clang,AppleClang>:-ferror-limit=3>)

# How a student's file in C++ is compiled: quickly, with line numbers, every access checked.
add_library(linattn_graded INTERFACE)
target_link_libraries(linattn_graded INTERFACE linattn_students)
target_compile_options(linattn_graded INTERFACE -O0 -g1 -fno-omit-frame-pointer
  # Containers of the standard library refuse an index that is out of range: libstdc++, and libc++ since 18.
  -D_GLIBCXX_ASSERTIONS -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_FAST
  $<$<BOOL:${LINATTN_HAS_ASAN}>:-fsanitize=address>
  # Watching a function's own arrays in this way costs a tenth of the compile time; the next check costs nothing.
  $<$<AND:$<BOOL:${LINATTN_HAS_ASAN}>,$<CXX_COMPILER_ID:GNU>>:SHELL:--param asan-stack=0>
  $<$<BOOL:${LINATTN_HAS_BOUNDS}>:-fsanitize=bounds$<SEMICOLON>-fsanitize-undefined-trap-on-error>
  $<$<CXX_COMPILER_ID:GNU>:-Werror=comma-subscript> $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Werror=deprecated-comma-subscript>
  $<$<BOOL:${LINATTN_HAS_TRACE_PC}>:-fsanitize-coverage=trace-pc>
  -ftemplate-backtrace-limit=1)

# Linking is a good part of edit to verdict: take the fastest linker there is.
foreach(linker mold lld)
  find_program(LINATTN_${linker} NAMES ${linker} ld.${linker})
  if(LINATTN_${linker} AND NOT LINATTN_LINKER)
    set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=${linker})
    check_cxx_source_compiles("int main() { return 0; }" LINATTN_LINKS_WITH_${linker})
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(LINATTN_LINKS_WITH_${linker})
      set(LINATTN_LINKER ${linker})
      add_link_options(-fuse-ld=${linker})
    endif()
  endif()
endforeach()
