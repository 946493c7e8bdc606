# One exercise on the GPU: builds LAB_check_gpu in BUILD and runs FUNCTION, or says why not.
if(NOT NVCC)
  set(why "no nvcc of CUDA 12 or later here")
elseif(NOT CUDART)
  set(why "nvcc is here, but its library cudart_static is not")
elseif(NOT EXISTS /dev/nvidiactl AND NOT EXISTS /dev/dxg)  # the second is Windows' Linux
  set(why "no NVIDIA GPU here")
endif()
if(why)
  message(NOTICE "Skipped: ${why}; ${LAB}.${FUNCTION} was graded on the CPU run only")
  return()
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target ${LAB}_check_gpu
  RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  message(FATAL_ERROR "${LAB} does not compile for a GPU:\n${output}")
endif()
execute_process(COMMAND "${BUILD}/${LAB}_check_gpu" --manifest "${MANIFEST}" --exercise ${FUNCTION} --gpu
  --results "${BUILD}/results/gpu" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${LAB}.${FUNCTION} does not pass on the GPU; its message is above")
endif()
