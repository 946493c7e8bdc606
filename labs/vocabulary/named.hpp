// A function that carries its name: a value, so that a message can say which one was used and a process can be told by
// name which one to use.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "tensor.hpp"

namespace linattn {

template <class Signature>
class Named;

template <class Result, class... Arguments>
class Named<Result(Arguments...)> {
public:
    using Function = std::function<Result(Arguments...)>;

    Named(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}

    const std::string& name() const { return name_; }
    Result operator()(Arguments... arguments) const { return function_(arguments...); }

private:
    std::string name_;
    Function function_;
};

/// A feature map φ: (…, n, d) → (…, n, c), one token at a time; on a single token, (…, d) → (…, c).
using FeatureMap = Named<Tensor(const Tensor&)>;

/// An associative operation on states. It need not be commutative: combine(a, b) means that a comes first.
using Combine = Named<std::string(const std::string&, const std::string&)>;

/// A function of all entries of a tensor, such as the loss that a layer's output leads to.
using ScalarFunction = Named<double(const Tensor&)>;

extern template class Named<Tensor(const Tensor&)>;
extern template class Named<double(const Tensor&)>;
extern template class Named<std::string(const std::string&, const std::string&)>;

}  // namespace linattn
