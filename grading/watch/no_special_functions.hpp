// Comes first in the precompiled headers. Of libstdc++'s <cmath>, g++ compiles the special functions of C++17 (Bessel
// functions, elliptic integrals and so on) again for every file that begins with a precompiled header, which is a quarter
// of what a stub takes to compile. No lab needs them; functions such as std::erf are others, and stay.
#pragma once

#include <cstddef>

#undef _GLIBCXX_USE_STD_SPEC_FUNCS
