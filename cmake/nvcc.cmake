# Kernels on a GPU, where there is nvcc: compiled for it everywhere, run where there is also a GPU.
#
#   labNN_nvcc           the .cu files of a lab by nvcc
#   labNN_exercises_gpu  the lab's suite with those instead of the CPU run
#   labNN_check_gpu      starts it and judges
#   labNN_check_ptx      the same with the PTX interpreter instead of the CUDA runtime, for the tests of the course itself
#   labNN.nvcc           (framework) builds labNN_nvcc; Skipped without nvcc
#   labNN.<function>.gpu (labNN, gpu) one for each exercise with "kernel": true; Skipped without nvcc or GPU
#
# nvcc is called by itself: CMake's CUDA language costs a slow configure step and would need to be told of C++20.

find_program(LINATTN_NVCC nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin)  # often not on the PATH
if(LINATTN_NVCC)
  execute_process(COMMAND "${LINATTN_NVCC}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "release ([0-9]+)" OR CMAKE_MATCH_1 LESS 12)  # the first that knows C++20
    message(STATUS "${LINATTN_NVCC} is older than CUDA 12 and does not know C++20: kernels run on the CPU only")
    set(LINATTN_NVCC "")
  endif()
endif()
if(LINATTN_NVCC)
  get_filename_component(root "${LINATTN_NVCC}" REALPATH)
  get_filename_component(root "${root}" DIRECTORY)
  find_library(LINATTN_CUDART NAMES cudart_static
    HINTS "${root}/../lib64" "${root}/../lib" "${root}/../targets/x86_64-linux/lib")
  if(LINATTN_CUDART)
    add_library(linattn_cuda_runtime INTERFACE)
    target_link_libraries(linattn_cuda_runtime INTERFACE "${LINATTN_CUDART}" Threads::Threads ${CMAKE_DL_LIBS} rt)
  endif()
endif()
set(LINATTN_CUDA_FLAGS -std=c++20 -O2 -lineinfo
  -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90
  -diag-suppress 177  # a stub leaves variables unused
  -Xcompiler -Wall,-Wextra,-Wno-unused-variable,-Wno-unused-parameter
  CACHE STRING "how nvcc is called; the architectures are 75 as PTX for any newer card, and 90")
if(LINATTN_WERROR)
  list(APPEND LINATTN_CUDA_FLAGS -Werror all-warnings)
endif()
string(REPLACE compute_75 compute_80 LINATTN_TENSOR_CORE_FLAGS "${LINATTN_CUDA_FLAGS}")  # the first with TF32

# nvcc_object(object source folder flags): how nvcc, where it is, makes one from the other; `folder` is where its headers lie.
# The PTX in it stays readable.
function(nvcc_object object source folder flags)
  if(NOT LINATTN_NVCC)
    return()
  endif()
  get_filename_component(file "${source}" NAME)
  add_custom_command(OUTPUT "${object}" DEPFILE "${object}.d" DEPENDS "${source}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/nvcc"
    COMMAND "${LINATTN_NVCC}" ${flags} -no-compress -I "${folder}" -I "${PROJECT_SOURCE_DIR}/labs" -MD -MF "${object}.d"
      -c "${source}" -o "${object}"
    COMMENT "nvcc ${file}")
endfunction()

# add_nvcc_test(name target object…): the test that builds the objects, as that target; Skipped without nvcc.
function(add_nvcc_test name target)
  if(LINATTN_NVCC)
    add_custom_target(${target} DEPENDS ${ARGN})
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target})
  else()
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "Skipped: no nvcc of CUDA 12 or later here")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS framework RESOURCE_LOCK build
    SKIP_REGULAR_EXPRESSION "^Skipped:")
endfunction()

# add_gpu_test(what labels target argument…): the test <what>.gpu, which builds that target and runs it; Skipped without nvcc or
# GPU.
function(add_gpu_test what labels target)
  add_test(NAME ${what}.gpu COMMAND "${LINATTN_PYTHON}" -I -S -B "${LINATTN_CTEST_PROGRAMS}/run_on_gpu.py"
    "${LINATTN_NVCC}" "${LINATTN_CUDART}" "${CMAKE_COMMAND}" "${PROJECT_BINARY_DIR}" ${what} ${target} ${ARGN})
  set_tests_properties(${what}.gpu PROPERTIES LABELS "${labels}" RESOURCE_LOCK "build;gpu"
    SKIP_REGULAR_EXPRESSION "Skipped:" ENVIRONMENT "OPENBLAS_NUM_THREADS=1;OMP_NUM_THREADS=1")
endfunction()

# add_gpu_programs(lab where library…): labNN_exercises_<where> and labNN_check_<where>: the suite with the kernels by nvcc.
function(add_gpu_programs lab where)
  add_executable(${lab}_exercises_${where} EXCLUDE_FROM_ALL)
  target_link_libraries(${lab}_exercises_${where} PRIVATE ${lab}_suite linattn_attention ${lab}_graded ${lab}_given_cpp
    ${ARGN})
  add_check_program(${lab}_exercises_${where} ${lab}_check_${where} linattn_exercises_main EXCLUDE_FROM_ALL)
endfunction()

# add_gpu(lab folder cu_files): all of the above for one lab, but for the tests of its kernels.
function(add_gpu lab folder)
  if(NOT ARGN)
    return()
  endif()
  set(given "")
  set(kernels "")
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    set(object "${PROJECT_BINARY_DIR}/nvcc/${lab}_${name}.o")
    nvcc_object("${object}" "${source}" "${folder}" "${LINATTN_CUDA_FLAGS}")
    get_filename_component(place "${source}" DIRECTORY)
    if(place STREQUAL folder AND NOT name STREQUAL calls)
      list(APPEND given "${object}")
    else()
      list(APPEND kernels "${object}")
    endif()
  endforeach()
  add_nvcc_test(${lab}.nvcc ${lab}_nvcc ${given} ${kernels})

  if(LINATTN_CUDART)
    add_library(${lab}_given_on_gpu INTERFACE)  # what the suite itself asks a GPU
    target_link_libraries(${lab}_given_on_gpu INTERFACE ${given} linattn linattn_cuda_runtime)
    add_library(${lab}_on_gpu INTERFACE)
    target_link_libraries(${lab}_on_gpu INTERFACE ${kernels} ${lab}_given_on_gpu)
    add_gpu_programs(${lab} gpu ${lab}_on_gpu)
  endif()
  if(TARGET ptx_interpreter)
    add_gpu_programs(${lab} ptx ${kernels} ${given} linattn ptx_interpreter)
  endif()
endfunction()

# add_kernel_tests(lab function argument…): those of one exercise; the arguments are those of its check program, wherever it runs.
function(add_kernel_tests lab function)
  add_gpu_test(${lab}.${function} "${lab};gpu" ${lab}_check_gpu ${ARGN} --gpu --results "${PROJECT_BINARY_DIR}/results/gpu")
  if(TARGET ptx_interpreter)
    add_ptx_test(${function} ${lab}_check_ptx ${ARGN} --results "${PROJECT_BINARY_DIR}/results/ptx")
  endif()
endfunction()
