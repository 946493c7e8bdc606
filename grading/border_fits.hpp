// Whether a border that one wrong call shows is that of all calls so far (diagnosis.cpp knows them).
#pragma once

#include "case_record.hpp"

namespace linattn::testing {

/// Right calls end at this border or before it, and wrong ones after it.
bool border_fits(const Border& border);

}  // namespace linattn::testing
