# Kernels: .cu files, compiled as C++ for the CPU run everywhere, and by nvcc as well where there is one.

# CUDA counts in int and in unsigned, and has pragmas of its own.
add_library(linattn_cuda_habits INTERFACE)
target_compile_options(linattn_cuda_habits INTERFACE -Wno-sign-conversion -Wno-unknown-pragmas)

# The instrumentation that checked runs listen to (labs/gpu/engine/checker.hpp). It is compiled in and not linked: the
# engine answers its calls. It excludes the address sanitizer, whose work the engine does here. Clang's address
# sanitizer, which the rest of a check program links, brings the answers of alignment and bounds along, so there the
# engine does without.
add_library(linattn_kernel INTERFACE)
target_compile_options(linattn_kernel INTERFACE -O2 -g1 -fno-omit-frame-pointer
  -fsanitize=thread$<$<CXX_COMPILER_ID:GNU>:,alignment,bounds>
  # So that every memcpy is a call that the engine hears of (on_cpu.hpp).
  $<$<CXX_COMPILER_ID:GNU>:-fno-builtin-memcpy$<SEMICOLON>-fno-builtin-memmove$<SEMICOLON>-fno-builtin-memset>
  # `extern __shared__` arrays have nothing to initialise, and the build defines them (name_dynamic_memory below).
  $<$<CXX_COMPILER_ID:GNU>:-fno-extern-tls-init> $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-undefined-internal>
  -Werror=vla)  # nvcc refuses it
target_link_libraries(linattn_kernel INTERFACE linattn_students linattn_cuda_habits linattn_gpu)

# as_cxx(source…): .cu files are C++ here. CMake's CUDA language is never enabled; nvcc.cmake calls nvcc by itself.
function(as_cxx)
  foreach(source IN LISTS ARGN)
    if(source MATCHES "\\.cu$")
      set_source_files_properties("${source}" PROPERTIES LANGUAGE CXX)
    endif()
  endforeach()
endfunction()

# name_dynamic_memory(kernels): `extern __shared__` arrays of these kernels, whatever they are called, are the engine's
# dynamic shared memory. Makes <kernels>_dynamic_memory, which is to be linked beside them. Such an array is what the
# compiled kernels have as a thread-local symbol without a definition.
function(name_dynamic_memory kernels)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${kernels}_dynamic_memory")
  set(list "${folder}/dynamic_arrays.inc")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${list}" DEPENDS ${kernels} $<TARGET_OBJECTS:${kernels}> VERBATIM COMMAND_EXPAND_LISTS
    COMMAND "${CMAKE_READELF}" -sW $<TARGET_OBJECTS:${kernels}> | awk
      "$4 == \"TLS\" && $7 == \"UND\" && $8 !~ /^_ZSt/ && !seen[$8]++ { print \"GPU_DYNAMIC_ARRAY(\" $8 \")\" }"
      > "${list}.new"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${list}.new" "${list}"
    COMMENT "dynamic shared memory of ${kernels}")
  add_library(${kernels}_dynamic_memory OBJECT EXCLUDE_FROM_ALL
    "${PROJECT_SOURCE_DIR}/labs/gpu/engine/dynamic_memory.cpp" "${list}")
  target_include_directories(${kernels}_dynamic_memory PRIVATE "${folder}" "${PROJECT_SOURCE_DIR}/labs")
  target_link_libraries(${kernels}_dynamic_memory PRIVATE linattn_warnings)
  # Messages name a kernel's file and line, and the judge repeats these commands in a box.
  set_target_properties(${kernels} ${kernels}_dynamic_memory PROPERTIES CXX_COMPILER_LAUNCHER "")
endfunction()

# add_kernels(lab folder sources given): what a lab's check program needs beside C++: its .cu files, and what the lab's
# folder gives. A profile.cpp there becomes labNN_profile, and profile_functions.cpp labNN_profile_functions: that one has the
# files in C++ under test optimised for this machine, without sanitizer and without counting.
function(add_kernels lab folder sources given)
  set(graded ${sources})
  list(FILTER graded INCLUDE REGEX "\\.cu$")
  if(graded)
    as_cxx(${graded})
    add_library(${lab}_graded_kernels OBJECT EXCLUDE_FROM_ALL ${graded})
    target_include_directories(${lab}_graded_kernels PRIVATE "${folder}")
    target_link_libraries(${lab}_graded_kernels PRIVATE linattn_warnings linattn_kernel)
    target_precompile_headers(${lab}_graded_kernels REUSE_FROM linattn_kernels_pch)
    name_dynamic_memory(${lab}_graded_kernels)
    target_link_libraries(${lab}_exercises PRIVATE ${lab}_graded_kernels ${lab}_graded_kernels_dynamic_memory linattn_gpu)
  endif()
  set(given_cpp ${given})
  list(FILTER given_cpp EXCLUDE REGEX "\\.cu$")
  set(given_kernels ${given})
  list(FILTER given_kernels INCLUDE REGEX "\\.cu$")
  foreach(part cpp kernels)
    if(given_${part})
      as_cxx(${given_${part}})
      add_library(${lab}_given_${part} OBJECT ${given_${part}})
      target_include_directories(${lab}_given_${part} PRIVATE "${folder}")
      target_link_libraries(${lab}_given_${part} PRIVATE linattn linattn_warnings)
      if(given_kernels)
        # GCC turns a loop of exponentials into the C library's vector functions under these flags only. What is given
        # must not ask whether a number is NaN or infinite.
        target_compile_options(${lab}_given_${part} PRIVATE -O3 -ffast-math)
        target_link_libraries(${lab}_given_${part} PRIVATE linattn_gpu linattn_cuda_habits)
      else()
        target_compile_options(${lab}_given_${part} PRIVATE -O2)
      endif()
      target_link_libraries(${lab}_exercises PRIVATE ${lab}_given_${part})
    endif()
  endforeach()
  if(EXISTS "${folder}/profile.cpp")
    add_executable(${lab}_profile EXCLUDE_FROM_ALL "${folder}/profile.cpp")
    target_link_libraries(${lab}_profile PRIVATE ${lab}_graded_kernels ${lab}_graded_kernels_dynamic_memory
      ${lab}_given_cpp ${lab}_given_kernels linattn linattn_gpu linattn_warnings)
  endif()
  if(EXISTS "${folder}/profile_functions.cpp")
    set(graded_cpp ${sources})
    list(FILTER graded_cpp EXCLUDE REGEX "\\.cu$")
    add_library(${lab}_profiled OBJECT EXCLUDE_FROM_ALL ${graded_cpp})
    target_include_directories(${lab}_profiled PRIVATE "${folder}")
    target_link_libraries(${lab}_profiled PRIVATE linattn linattn_warnings)
    target_compile_options(${lab}_profiled PRIVATE -O3 $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-ra> # toolchain.cmake says why
      "$<$<BOOL:${LINATTN_HAS_NATIVE}>:-march=native>")
    set_target_properties(${lab}_profiled PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
    add_executable(${lab}_profile_functions EXCLUDE_FROM_ALL "${folder}/profile_functions.cpp"
      "${PROJECT_SOURCE_DIR}/labs/kernels/measured_call.cpp" $<TARGET_OBJECTS:tensor_here>)
    target_include_directories(${lab}_profile_functions PRIVATE "${folder}")
    target_compile_options(${lab}_profile_functions PRIVATE -O2)
    target_link_libraries(${lab}_profile_functions PRIVATE ${lab}_profiled ${lab}_given_cpp linattn linattn_warnings)
  endif()
endfunction()
