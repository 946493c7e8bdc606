#include "named.hpp"

#include <utility>

namespace linattn {

template <class Result, class... Arguments>
Named<Result(Arguments...)>::Named(std::string name, Function function)
    : name_(std::move(name)), function_(std::move(function)) {}

template <class Result, class... Arguments>
const std::string& Named<Result(Arguments...)>::name() const {
    return name_;
}

template <class Result, class... Arguments>
Result Named<Result(Arguments...)>::operator()(Arguments... arguments) const {
    return function_(arguments...);
}

template class Named<Tensor(const Tensor&)>;
template class Named<double(const Tensor&)>;
template class Named<std::string(const std::string&, const std::string&)>;

}  // namespace linattn
