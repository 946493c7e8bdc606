# add_lab(manifest): the targets and tests of one lab, all read from its lab.json.
#
#   labNN_graded   the files under test, from LINATTN_SOURCES; labNN_graded_kernels, if any of them is a .cu file
#   labNN_given_*  what the lab's own folder adds to them ("given" in the manifest), if anything
#   labNN_suite    tests/labNN_*/ and its mistakes, never rebuilt by a student's edit
#   labNN_exercises  both, with grading/: one program that runs one exercise at a time
#   labNN_check    starts it and judges (grading/CMakeLists.txt)
#   labNN_debug    the same with variables that a debugger can show; only ./course debug builds it
#   ctest          labNN.build (a fixture that rebuilds what was edited), then labNN.<function> for every exercise

# The programs that ctest runs besides the suites. They run at every verdict: without site-packages (-S) Python starts in a
# quarter of the time, and it is asked for its own path since a version manager may wrap it in a script.
find_package(Python3 3.9 COMPONENTS Interpreter REQUIRED)
execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.executable, end='')"
  OUTPUT_VARIABLE LINATTN_PYTHON COMMAND_ERROR_IS_FATAL ANY)
set(LINATTN_CTEST_PROGRAMS "${PROJECT_SOURCE_DIR}/tools/course/build/ctest")

# read_list(out json key): the strings of an array; none where there is no such key.
function(read_list out json key)
  set(result "")
  string(JSON count ERROR_VARIABLE missing LENGTH "${json}" ${key})
  if(NOT missing AND count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON entry GET "${json}" ${key} ${i})
      list(APPEND result "${entry}")
    endforeach()
  endif()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

function(add_lab manifest)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${manifest}")
  file(READ "${manifest}" json)
  get_filename_component(folder "${manifest}" DIRECTORY)
  get_filename_component(name "${folder}" NAME)
  string(JSON lab GET "${json}" lab)

  read_list(sources "${json}" sources)
  read_list(given "${json}" given)
  read_list(needs "${json}" needs)
  list(TRANSFORM sources PREPEND "${LINATTN_SOURCES}/")
  list(TRANSFORM given PREPEND "${folder}/")

  set(contracts "${folder}")  # a lab may use the functions of those that come before it
  foreach(earlier IN LISTS needs)
    file(GLOB folders "${PROJECT_SOURCE_DIR}/labs/${earlier}_*")
    list(APPEND contracts ${folders})
  endforeach()

  file(GLOB suite CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp"
    "${PROJECT_SOURCE_DIR}/tests/${name}/mistakes/*.cpp")
  if(NOT suite)
    message(FATAL_ERROR "${manifest} names a lab that has no suite: put one in tests/${name}/")
  endif()
  # The first lab has no attention in it, and who builds it first need not wait for attention's definition.
  set(attention linattn_attention)
  if(needs STREQUAL "")
    set(attention "")
  endif()
  add_library(${lab}_suite OBJECT ${suite})
  target_include_directories(${lab}_suite PRIVATE ${contracts} "${PROJECT_SOURCE_DIR}/tests/${name}")
  target_link_libraries(${lab}_suite PRIVATE ${attention} linattn_grading linattn_warnings linattn_unused_parameters)
  target_compile_options(${lab}_suite PRIVATE ${LINATTN_SUITE_FLAGS})
  target_precompile_headers(${lab}_suite REUSE_FROM linattn_suite_pch)
  compiled_together(${lab}_suite)

  # A missing file is the student's to fix, not a reason to stop the other labs: the build fixture says so.
  foreach(source IN LISTS sources)
    if(NOT EXISTS "${source}")
      set_source_files_properties("${source}" PROPERTIES GENERATED TRUE)
    endif()
  endforeach()
  set(graded_cpp ${sources})
  list(FILTER graded_cpp EXCLUDE REGEX "\\.cu$")
  add_library(${lab}_graded OBJECT EXCLUDE_FROM_ALL ${graded_cpp})
  target_include_directories(${lab}_graded PRIVATE ${contracts})
  target_link_libraries(${lab}_graded PRIVATE linattn linattn_warnings linattn_graded)
  target_precompile_headers(${lab}_graded REUSE_FROM linattn_graded_pch)
  set_target_properties(${lab}_graded PROPERTIES CXX_COMPILER_LAUNCHER "")

  add_executable(${lab}_exercises)
  target_link_libraries(${lab}_exercises PRIVATE ${lab}_suite ${attention} ${lab}_graded)
  add_check_program(${lab}_exercises ${lab}_check linattn_exercises_main)
  add_dependencies(suites ${lab}_check)
  add_kernels(${lab} "${folder}" "${sources}" "${given}")
  if(TARGET ${lab}_given_cpp)
    target_include_directories(${lab}_given_cpp PRIVATE ${contracts})
  endif()
  set(kernels ${sources} ${given})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  add_gpu(${lab} "${folder}" ${kernels})
  add_debug(${lab})
  if(COMMAND add_judge)
    add_judge(${lab} "${folder}" "${contracts}")
  endif()

  set(results "${PROJECT_BINARY_DIR}/results")
  set(one_thread "OPENBLAS_NUM_THREADS=1;OMP_NUM_THREADS=1")
  add_test(NAME ${lab}.build COMMAND "${LINATTN_PYTHON}" -I -S -B "${LINATTN_CTEST_PROGRAMS}/build_lab.py"
    "${PROJECT_BINARY_DIR}" "${CMAKE_MAKE_PROGRAM}" ${lab} "${manifest}" ${sources})
  set_tests_properties(${lab}.build PROPERTIES FIXTURES_SETUP ${lab}_built LABELS ${lab} RESOURCE_LOCK build
    ENVIRONMENT "${one_thread}")

  string(JSON count LENGTH "${json}" exercises)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON function GET "${json}" exercises ${i} function)
    set(arguments --manifest "${manifest}" --exercise ${function})
    add_test(NAME ${lab}.${function} COMMAND ${lab}_check ${arguments} --results "${results}")
    set_tests_properties(${lab}.${function} PROPERTIES FIXTURES_REQUIRED ${lab}_built LABELS ${lab} ENVIRONMENT "${one_thread}")
    string(JSON is_kernel ERROR_VARIABLE absent GET "${json}" exercises ${i} kernel)
    if(is_kernel STREQUAL "ON")
      add_kernel_tests(${lab} ${function} ${arguments})
    endif()
  endforeach()
endfunction()
