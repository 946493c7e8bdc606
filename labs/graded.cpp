// Carries the precompiled header of every graded file (see CMakeLists.txt).
