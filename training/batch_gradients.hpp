// The gradients of the labs' model on a batch, part by part.
#pragma once

#include "kinds.hpp"
#include "parts.hpp"

namespace linattn {

class BatchGradients {
public:
    /// \param w a model   \param batch of the shapes that all later ones have
    BatchGradients(AttentionKind kind, const Model& w, const Batch& batch, std::size_t processes);

    /// gradients_of the whole batch
    ModelGradients of(const Batch& batch, const Model& w);
    bool give_the_same_again() const { return parts_.gives_the_same_again(); }

private:
    void find_part(std::size_t begin, std::size_t end, double* result) const;

    AttentionKind kind_;
    Batch batch_;
    Model w_;
    Parts parts_;
};

}  // namespace linattn
