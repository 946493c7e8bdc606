// Carries the precompiled header of the suites (see ../CMakeLists.txt).
