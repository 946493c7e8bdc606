# The libraries that `./course setup` installs, each with the sentence that says what to do when it is missing.

# xtensor and xtensor-blas: their packages, so that one in CMAKE_PREFIX_PATH is preferred to /usr; else their headers alone.
# labs/vocabulary/xtensor_support/xtensor_releases.hpp says how the releases differ.
add_library(linattn_xtensor INTERFACE)
find_package(xtensor CONFIG QUIET)
find_package(xtensor-blas CONFIG QUIET)
if(TARGET xtensor AND TARGET xtensor-blas)
  target_link_libraries(linattn_xtensor INTERFACE xtensor xtensor-blas)
  get_target_property(LINATTN_XTENSOR_INCLUDE xtensor INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(LINATTN_XTENSOR_BLAS_INCLUDE xtensor-blas INTERFACE_INCLUDE_DIRECTORIES)
else()
  find_path(LINATTN_XTENSOR_INCLUDE NAMES xtensor/core/xtensor_config.hpp xtensor/xtensor_config.hpp)
  find_path(LINATTN_XTENSOR_BLAS_INCLUDE NAMES xtensor-blas/xblas.hpp)
  target_include_directories(linattn_xtensor SYSTEM INTERFACE ${LINATTN_XTENSOR_INCLUDE} ${LINATTN_XTENSOR_BLAS_INCLUDE})
endif()
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
if(NOT LINATTN_BENCH)
  target_compile_definitions(linattn_xtensor INTERFACE XTENSOR_ENABLE_ASSERT)
endif()

# What releases before 0.26 need; they are known by where their headers lie.
set(LINATTN_XTENSOR_IS_OLD FALSE)
if(EXISTS "${LINATTN_XTENSOR_INCLUDE}/xtensor/xtensor_config.hpp")
  set(LINATTN_XTENSOR_IS_OLD TRUE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
    # Under C++17's matching of template template parameters their rebind_container is ambiguous.
    target_compile_options(linattn_xtensor INTERFACE -fno-relaxed-template-template-args
      -Wno-deprecated-no-relaxed-template-template-args)
  endif()
endif()
