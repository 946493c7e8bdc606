// class: remembered answers
// The result of the first call with a shape stands for all later ones with that shape.
// expects: lab01 relu=fail, exp_features=fail, *=todo
#include <map>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    static std::map<Shape, Tensor> known;
    return known.try_emplace(shape_of(x), maximum(x, 0)).first->second;
}
Tensor exp_features(const Tensor& x, Stabilizer stabilizer) {
    static std::map<Shape, Tensor> known;
    require_rank(x, "x", 2, "(…, n, d)");
    Tensor shift = amax(x, -1, keep_dims);
    if (stabilizer == Stabilizer::per_sequence) shift = amax(shift, -2, keep_dims);
    return known.try_emplace(shape_of(x), exp(x - shift)).first->second;
}
}
