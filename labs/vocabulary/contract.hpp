// What every function of the course promises about its arguments: the checks that stand in each stub, and the errors.
#pragma once

#include <stdexcept>
#include <string>

#include "tensor.hpp"

namespace linattn {

/// Thrown by a stub. The suites report it as TODO, never as a failure.
class NotImplemented : public std::logic_error {
public:
    /// \param function the function that still has to be written; the file is the one that calls this
    explicit NotImplemented(const char* function, const char* file = __builtin_FILE());

    const std::string& function() const { return function_; }

private:
    std::string function_;
};

/// Throws std::invalid_argument: "caller: argument must be expected; got what came".
[[noreturn]] void reject(const char* caller, const std::string& argument, const std::string& expected,
                         const std::string& got);

/// Told of every function that checks its arguments, when set: the suites see by it which exercises an answer calls.
inline void (*on_check)(const char* caller) = nullptr;

// Each check names the calling function in its message; leave `caller` to its default.

/// x has at least `rank` axes; `meaning` spells them, as in "(…, n, d)".
void require_rank(const Tensor& x, const char* argument, std::size_t rank, const char* meaning,
                  const char* caller = __builtin_FUNCTION());
/// x has exactly this shape; `meaning` spells it, as in "(…, c, d_v)".
void require_shape(const Tensor& x, const char* argument, const Shape& shape, const char* meaning,
                   const char* caller = __builtin_FUNCTION());

}  // namespace linattn
