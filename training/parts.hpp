// The gradients of a batch, put together from those of a few of its sequences at a time, which several processes compute at
// once. Processes, not threads: a student's function may keep something between calls, and must not find another's there.
#pragma once

#include <sys/types.h>

#include <vector>

#include "kinds.hpp"

namespace linattn {

class Parts {
public:
    /// Starts all but one of the processes, which wait for work until this object is gone.
    /// \param w a model   \param batch a batch of the shapes that all later ones have
    Parts(AttentionKind kind, const Model& w, const Batch& batch, std::size_t processes);
    ~Parts();
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// gradients_of the whole batch. The parts are added in their order: the result is the same to the last bit however
    /// many processes there are. Throws what a part throws.
    ModelGradients gradients(const Batch& batch, const Model& w);

    /// Whether the first part of the batch just used has the same gradients when they are computed again.
    bool gives_the_same_again() const;

private:
    void share(const Batch& batch, const Model& w);
    void work(std::size_t process) const;
    [[noreturn]] void serve(std::size_t process, int channel);
    void find_part(std::size_t number, double* result) const;

    AttentionKind kind_;
    Batch batch_;
    Model w_;
    std::size_t sequences_;  ///< of a part: of short ones more, since then calls take longer than what they compute
    std::size_t parts_, processes_, length_;  ///< length_: of what a part gives, its loss and then its gradients
    double* shared_;                          ///< what each part gives, then the batch and the weights
    std::size_t bytes_;
    struct Other {
        pid_t process;
        int channel;
    };
    std::vector<Other> others_;
};

}  // namespace linattn
