# The libraries that `./course setup` installs, each with the sentence that says what to do when it is missing.

find_path(LINATTN_XTENSOR_INCLUDE NAMES xtensor/xtensor_config.hpp xtensor/core/xtensor_config.hpp)
find_path(LINATTN_XTENSOR_BLAS_INCLUDE NAMES xtensor-blas/xblas.hpp)
find_package(LAPACK QUIET)  # and the BLAS beneath it; OpenBLAS is both
find_package(doctest QUIET)
find_package(nlohmann_json QUIET)
find_package(Threads REQUIRED)

foreach(found LINATTN_XTENSOR_INCLUDE LINATTN_XTENSOR_BLAS_INCLUDE BLAS_FOUND LAPACK_FOUND doctest_FOUND nlohmann_json_FOUND)
  if(NOT ${found})
    message(FATAL_ERROR "a package is missing (${found} is not set): run ./course setup, which installs or lists them all")
  endif()
endforeach()

# Element accesses are checked, but not where time is measured: the flag must be the same in every file.
add_library(linattn_xtensor INTERFACE)
target_include_directories(linattn_xtensor SYSTEM INTERFACE ${LINATTN_XTENSOR_INCLUDE} ${LINATTN_XTENSOR_BLAS_INCLUDE})
if(NOT LINATTN_BENCH)
  target_compile_definitions(linattn_xtensor INTERFACE XTENSOR_ENABLE_ASSERT)
endif()
