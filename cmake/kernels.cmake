# Kernels: .cu files, compiled as C++ for the CPU run everywhere, and by nvcc as well where there is one.

# The instrumentation that checked runs listen to (labs/gpu/engine/checker.hpp). It is compiled in and not linked: the engine
# answers its calls. It excludes the address sanitizer, whose work the engine does here. Clang's address sanitizer, which
# the rest of a check program links, brings the answers of alignment and bounds along, so there the engine does without.
add_library(linattn_kernel INTERFACE)
target_compile_options(linattn_kernel INTERFACE -O2 -g1 -fno-omit-frame-pointer
  -fsanitize=thread$<$<CXX_COMPILER_ID:GNU>:,alignment,bounds>
  -Wno-unused-parameter -Wno-unused-variable -Wno-unknown-pragmas
  $<$<CXX_COMPILER_ID:GNU>:-fmax-errors=3>
  $<$<CXX_COMPILER_ID:Clang,AppleClang>:-ferror-limit=3>)
target_link_libraries(linattn_kernel INTERFACE linattn_gpu linattn_warnings)

# as_cxx(out source…): for each .cu file, a generated .cpp that includes it, because a .cu file cannot be both C++ and CUDA in
# one folder. Other files come back as they are.
function(as_cxx out)
  set(result "")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "\\.cu$")
      file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
      string(REGEX REPLACE "[^A-Za-z0-9_]" "_" name "${name}")
      set(wrapper "${PROJECT_BINARY_DIR}/as_cxx/${name}.cpp")
      file(CONFIGURE OUTPUT "${wrapper}" CONTENT "#include \"${source}\"\n")
      list(APPEND result "${wrapper}")
    else()
      list(APPEND result "${source}")
    endif()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# add_kernels(lab folder sources given): what a lab's check program needs beside C++: its .cu files, those of its suite, and
# what the lab's folder gives. A profile.cpp there becomes labNN_profile.
function(add_kernels lab folder sources given)
  get_filename_component(name "${folder}" NAME)
  set(graded ${sources})
  list(FILTER graded INCLUDE REGEX "\\.cu$")
  file(GLOB suite CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${name}/mistakes/*.cu")

  foreach(part graded suite)
    if(${part})
      as_cxx(wrapped ${${part}})
      add_library(${lab}_${part}_kernels OBJECT EXCLUDE_FROM_ALL ${wrapped})
      target_include_directories(${lab}_${part}_kernels PRIVATE "${folder}")
      target_link_libraries(${lab}_${part}_kernels PRIVATE linattn_kernel)
      target_link_libraries(${lab}_check PRIVATE ${lab}_${part}_kernels linattn_gpu)
    endif()
  endforeach()
  set(given_cpp ${given})
  list(FILTER given_cpp EXCLUDE REGEX "\\.cu$")
  set(given_kernels ${given})
  list(FILTER given_kernels INCLUDE REGEX "\\.cu$")
  foreach(part cpp kernels)
    if(given_${part})
      as_cxx(wrapped ${given_${part}})
      add_library(${lab}_given_${part} OBJECT ${wrapped})
      target_include_directories(${lab}_given_${part} PRIVATE "${folder}")
      target_compile_options(${lab}_given_${part} PRIVATE -O2)
      target_link_libraries(${lab}_given_${part} PRIVATE linattn linattn_gpu linattn_warnings)
      target_link_libraries(${lab}_check PRIVATE ${lab}_given_${part})
    endif()
  endforeach()
  if(EXISTS "${folder}/profile.cpp")
    add_executable(${lab}_profile EXCLUDE_FROM_ALL "${folder}/profile.cpp")
    target_link_libraries(${lab}_profile PRIVATE ${lab}_graded_kernels ${lab}_given_cpp ${lab}_given_kernels linattn
      linattn_gpu)
  endif()
endfunction()
