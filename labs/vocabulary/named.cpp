#include "named.hpp"

namespace linattn {

template class Named<Tensor(const Tensor&)>;
template class Named<double(const Tensor&)>;
template class Named<std::string(const std::string&, const std::string&)>;

}  // namespace linattn
