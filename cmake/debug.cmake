# add_debug(lab): labNN_debug, what `./course debug` starts: the program that runs the lab's exercises, with the graded files
# compiled so that a debugger shows variables. That costs a fifth of a compilation, so a check does without.
add_library(linattn_debug INTERFACE)
target_compile_options(linattn_debug INTERFACE -O0 -g)

function(add_debug lab)
  add_executable(${lab}_debug EXCLUDE_FROM_ALL)
  foreach(property SOURCES LINK_OPTIONS LINK_LIBRARIES)
    get_target_property(${property} ${lab}_exercises ${property})
  endforeach()
  foreach(graded ${lab}_graded ${lab}_graded_kernels)
    if(TARGET ${graded})
      add_library(${graded}_debug OBJECT EXCLUDE_FROM_ALL)
      foreach(property SOURCES INCLUDE_DIRECTORIES LINK_LIBRARIES)
        get_target_property(value ${graded} ${property})
        set_target_properties(${graded}_debug PROPERTIES ${property} "${value}")
      endforeach()
      set_target_properties(${graded}_debug PROPERTIES EXPORT_COMPILE_COMMANDS OFF)  # one command for a file is enough
      target_link_libraries(${graded}_debug PRIVATE linattn_debug)  # last, so that these flags are obeyed
      list(TRANSFORM LINK_LIBRARIES REPLACE "^${graded}$" ${graded}_debug)
    endif()
  endforeach()
  foreach(property SOURCES LINK_OPTIONS LINK_LIBRARIES)
    if(${property})
      set_target_properties(${lab}_debug PROPERTIES ${property} "${${property}}")
    endif()
  endforeach()
endfunction()
