// The gradients of a batch, put together from those of a few of its sequences at a time, which several processes compute at
// once. Processes, not threads: a student's function may keep something between calls, and must not find another's there.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "tensor.hpp"

namespace linattn {

/// How many numbers these arrays hold together.
std::size_t numbers_in(const std::vector<Tensor*>& arrays);
/// Writes them one after the other.
void write_numbers(const std::vector<Tensor*>& arrays, double* to);

class ProcessPool {
public:
    /// Writes what the sequences from `begin` to `end` - 1 give: their loss, then their gradients, one after the other.
    using Find = std::function<void(std::size_t begin, std::size_t end, double* result)>;

    /// Starts all but one of the processes, which wait for work until this object is gone.
    /// \param read what `find` reads and each step changes, the batch and the weights; their shapes stay
    /// \param sequences of a batch   \param of_a_part of them   \param weights how many gradients `find` writes
    ProcessPool(std::vector<Tensor*> read, std::size_t sequences, std::size_t of_a_part, std::size_t weights, Find find,
                std::size_t processes);
    ~ProcessPool();
    ProcessPool(const ProcessPool&) = delete;
    ProcessPool& operator=(const ProcessPool&) = delete;

    /// Adds what all parts give, in their order: the result is the same to the last bit however many processes there are.
    /// Throws what a part throws. \return the loss
    double find(const std::vector<Tensor*>& gradients);

    /// Whether the first part of the batch just used gives the same numbers when they are computed again.
    bool gives_the_same_again() const;

private:
    void work(std::size_t process) const;
    [[noreturn]] void serve(std::size_t process, int channel);
    void find_part(std::size_t number, double* result) const;

    std::vector<Tensor*> read_;
    std::size_t sequences_, of_a_part_, parts_, numbers_, processes_;
    Find find_;
    double* shared_;  ///< what each part gives, then what is read
    std::size_t bytes_;
    struct Other {
        pid_t process;
        int channel;
    };
    std::vector<Other> others_;
};

}  // namespace linattn
