// See instantiated_once.hpp.
#include "instantiated_once.hpp"

#ifdef __GLIBCXX__
LINATTN_STANDARD_TEMPLATES()
#endif
