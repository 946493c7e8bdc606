// Everything a suite or a file of mistakes includes.
#pragma once

#include <doctest/doctest.h>

#include "attention.hpp"
#include "call.hpp"
#include "comparison.hpp"
#include "mistake.hpp"
#include "random_inputs.hpp"
#include "trace.hpp"
