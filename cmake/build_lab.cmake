# The fixture before a lab's exercises: builds what was edited, and says in words why it could not.
#   BUILD the build folder · MAKE ninja or make · LAB lab02 · SOURCES the graded files
#   HEADERS the folder with their declarations and the manifest
set(reason "${BUILD}/results/${LAB}.build.txt")
file(REMOVE "${reason}")
file(GLOB stale "${BUILD}/results/${LAB}.*.json")
if(stale)
  file(REMOVE ${stale})
endif()

function(give_up text)
  file(WRITE "${reason}" "${text}\n")
  message(FATAL_ERROR "${text}")
endfunction()

# A file that was put back with an old time stamp must not be graded from a newer object: compare contents, and touch what
# changed without looking newer. (What does look newer is left alone: editors dislike a file touched behind their back.)
set(now "")
foreach(source IN LISTS SOURCES)
  get_filename_component(folder "${source}" DIRECTORY)
  get_filename_component(folder "${folder}" NAME)
  get_filename_component(file "${source}" NAME)
  if(NOT EXISTS "${source}")
    give_up("${folder}/${file} is missing: put it back (git checkout ${folder}/${file}, or copy it from the handout).")
  endif()
  file(SHA256 "${source}" digest)
  list(APPEND now ${digest})
endforeach()
set(stamp "${BUILD}/${LAB}.sha256")
set(before "")
if(EXISTS "${stamp}")
  file(READ "${stamp}" before)
endif()
foreach(source digest former IN ZIP_LISTS SOURCES now before)
  if(NOT digest STREQUAL "${former}" AND "${stamp}" IS_NEWER_THAN "${source}")
    file(TOUCH "${source}")
  endif()
endforeach()

execute_process(COMMAND "${MAKE}" -C "${BUILD}" ${LAB}_check
  RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT failed)
  file(WRITE "${stamp}" "${now}")
  return()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/explain_build.cmake")
explain_build("${output}" because)
give_up("${because}")
