// class: include
// The suite's own header holds the numbers of a worked example.
// expects: lab01 *=build
#include <../../tests/lab01_feature_maps/worked_example.hpp>

#include "feature_maps.hpp"
