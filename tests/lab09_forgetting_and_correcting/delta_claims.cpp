#include "delta_claims.hpp"

#include <algorithm>

#include "attention_claims.hpp"
#include "cost_claims.hpp"
#include "gated_claims.hpp"
#include "system_definition.hpp"

namespace linattn::testing {
namespace {

const Shape leading_shapes[] = {{}, {2}, {2, 3}};

void equals(const DeltaForm& form, const DeltaInputs& in) { form.run(in).equals(form.expected(in)); }

}  // namespace

void rejects_arguments_that_do_not_belong_together(const DeltaForm& form) {
    const DeltaInputs right({2}, 5, 3, 4, 1);
    const auto with = [&](Tensor DeltaInputs::*argument, const Tensor& value) {
        DeltaInputs in = right;
        in.*argument = value;
        return form.run(in);
    };
    with(&DeltaInputs::K, zeros({2, 5, 4})).rejects({"K", "(2, 5, 3)", "(2, 5, 4)"});
    with(&DeltaInputs::K, zeros({2, 6, 3})).rejects({"K", "(2, 5, 3)", "(2, 6, 3)"});
    with(&DeltaInputs::V, zeros({2, 6, 4})).rejects({"V", "(2, 5, 4)", "(2, 6, 4)"});
    with(&DeltaInputs::V, zeros({5, 4})).rejects({"V", "(2, 5, 4)", "(5, 4)"});
    with(&DeltaInputs::beta, zeros({5})).rejects({"beta", "(2, 5)", "(5,)"});
    with(&DeltaInputs::beta, zeros({2, 5, 1})).rejects({"beta", "(2, 5)", "(2, 5, 1)"});
    with(&DeltaInputs::Q, zeros({3})).rejects({"Q", "(…, n, d_k)", "(3,)"});
    if (!form.has_decays) return;
    with(&DeltaInputs::log_decay, zeros({2, 6})).rejects({"log_decay", "(2, 5)", "(2, 6)"});
    with(&DeltaInputs::log_decay, zeros({2, 5, 3})).rejects({"log_decay", "(2, 5)", "(2, 5, 3)"});
    for (const double wrong : {0.9, 1e-300, infinity, not_a_number}) {
        Tensor log_decay = right.log_decay;
        log_decay.data()[7] = wrong;
        with(&DeltaInputs::log_decay, log_decay).rejects({"log_decay", "pass log a, not a"});
    }
}

void equals_the_definition(const DeltaForm& form) {
    std::uint64_t stream = 1;
    for (const Shape& leading : leading_shapes) equals(form, DeltaInputs(leading, 9, 4, 5, ++stream));
    equals(form, DeltaInputs({2}, 23, 5, 4, ++stream));
}

void takes_keys_of_every_kind(const DeltaForm& form) {
    std::uint64_t stream = 20;
    for (const Keys keys : {Keys::correlated, Keys::nearly_equal, Keys::equal, Keys::orthogonal})
        for (const bool all_written : {true, false}) {
            DeltaInputs in({2}, 64, 5, 3, ++stream, keys, Decays::weak);
            if (all_written) in.beta = ones(shape_of(in.beta));
            equals(form, in);
            if (!form.has_decays) continue;
            in.log_decay = zeros(shape_of(in.log_decay));
            equals(form, in);
            in.log_decay = decays_of(Decays::with_resets, shape_of(in.log_decay), 8 * stream + 7);
            equals(form, in);
        }
}

void takes_decays_of_every_size(const DeltaForm& form) {
    std::uint64_t stream = 40;
    for (const Decays decays : {Decays::none, Decays::wide, Decays::with_resets})
        for (const std::size_t n : {7U, 23U, 67U})
            equals(form, DeltaInputs({2}, n, 4, 3, ++stream, Keys::random, decays));
    for (const double each : {-1e-3, -1.0, -20.0, -1e4, -infinity}) {
        DeltaInputs in({}, 23, 3, 4, ++stream);
        in.log_decay = full({23}, each);
        equals(form, in);
        // One reset among decays that hardly are any.
        in.log_decay = full({23}, -1e-2);
        in.log_decay(3) = in.log_decay(13) = each;
        equals(form, in);
    }
}

void takes_any_beta(const DeltaForm& form) {
    std::uint64_t stream = 60;
    for (const auto& [low, high] : {std::pair{0.0, 1e-3}, {1.0, 1.9}, {-0.5, 0.5}}) {
        DeltaInputs in({2}, 17, 4, 3, ++stream);
        in.beta = random_tensor({2, 17}, 8 * stream + 4, low, high);
        for (const std::size_t i : {2U, 9U, 19U}) in.beta.data()[i] = i == 9 ? 1.0 : 0.0;
        equals(form, in);
    }
}

void takes_large_and_tiny_values(const DeltaForm& form) {
    std::uint64_t stream = 70;
    for (const double scale : {1e100, 1e-100}) {
        DeltaInputs in({2}, 11, 4, 5, ++stream);
        in.V *= scale;
        in.S *= scale;
        equals(form, in);
        in.Q *= scale;
        equals(form, in);
    }
    // Keys so short that β makes up for them.
    DeltaInputs in({2}, 11, 4, 5, ++stream);
    in.K *= 1e-60;
    in.beta *= 1e120;
    in.S *= 1e60;
    equals(form, in);
}

void equals_the_definition_at_every_size(const DeltaForm& form) {
    std::uint64_t stream = 100;
    for (const Size& size : sizes_around_borders(200)) {
        DeltaInputs in(size, ++stream);
        // Decays so weak that what is 128 tokens back still counts.
        in.log_decay = random_tensor(shape_of(in.log_decay), 8 * stream + 5, -0.02, -1e-3);
        in.beta *= 0.2;
        equals(form, in);
    }
}

void equals_the_definition_of_many_tokens(const DeltaForm& form) {
    with_long_calls([&] {
        if (!form.has_decays) return equals(form, DeltaInputs({}, many_tokens, 2, 1, 2010));
        DeltaInputs in({many_tokens / tokens_of_piece}, tokens_of_piece, 2, 1, 2010);
        reset_pieces(in.log_decay);
        in.S = zeros(shape_of(in.S));
        std::vector<Expected> parts = form.expected(in);
        for (Expected& part : parts) {
            const std::size_t pieces = shape_of(part.value)[0];
            if (shape_of(part.value)[1] == tokens_of_piece) {
                part = &part == &parts.back() && parts.size() == 5 ? joined_sum(part) : joined(part);  // of log_decay
            } else {  // the state that the last piece leaves
                part.value = slice(part.value, 0, pieces - 1, pieces);
                part.tolerance = slice(part.tolerance, 0, pieces - 1, pieces);
            }
        }
        in.S = random_tensor({1, 2, 1}, 2011);  // of which nothing is left
        for (Tensor DeltaInputs::*each : {&DeltaInputs::Q, &DeltaInputs::K, &DeltaInputs::V, &DeltaInputs::beta,
                                          &DeltaInputs::log_decay, &DeltaInputs::dO})
            in.*each = joined(in.*each);
        form.run(in).equals(parts);
    });
}
void equals_the_definition_at_long_sizes(const DeltaForm& form) {
    at_long_widths([&](const Size& size, std::uint64_t stream) { equals(form, DeltaInputs(size, stream)); });
    equals_the_definition_of_many_tokens(form);
}

void handles_one_token_and_no_token(const DeltaForm& form) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
        for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
            equals(form, DeltaInputs(leading, n, 4, 5, 200 + n));
}

void returns_what_was_just_written(const DeltaForm& form) {
    std::uint64_t stream = 210;
    for (const Keys keys : {Keys::random, Keys::correlated, Keys::orthogonal}) {
        DeltaInputs in({2}, 21, 6, 3, ++stream, keys, Decays::wide);
        in.K = in.Q = of_length_one(in.K);
        in.beta = ones({2, 21});
        std::vector<Expected> parts = form.expected(in);
        parts[0].value = in.V;
        form.run(in).equals(parts);
    }
}

void never_depends_on_a_later_token(const DeltaForm& form) {
    const std::size_t n = 13;
    const DeltaInputs in({2}, n, 4, 5, 220), other({2}, n, 4, 5, 221);
    const Tensor before = form.output(in);
    struct Changed {
        Tensor DeltaInputs::*argument;
        const char* name;
        std::size_t width;
    };
    for (const auto& [argument, name, width] : {Changed{&DeltaInputs::Q, "q", 4},
                                                {&DeltaInputs::K, "k", 4},
                                                {&DeltaInputs::V, "v", 5},
                                                {&DeltaInputs::beta, "β", 1},
                                                {&DeltaInputs::log_decay, "log decay", 1}}) {
        if (argument == &DeltaInputs::log_decay && !form.has_decays) continue;
        for (const std::size_t from : {std::size_t{1}, std::size_t{4}, std::size_t{5}, std::size_t{12}}) {
            DeltaInputs changed = in;
            for (std::size_t e = 0; e < (in.*argument).size(); ++e)
                if (e / width % n >= from) (changed.*argument).data()[e] = (other.*argument).data()[e];
            const Tensor after = form.output(changed);
            bool same = true;
            for (std::size_t e = 0; e < after.size(); ++e)
                same = same && (e / 5 % n >= from || after.data()[e] == before.data()[e]);
            form.run(changed).satisfies(same,
                                        std::string("the ") + name + " of token " + std::to_string(from) +
                                            " and of later ones was changed, and earlier outputs changed with it: "
                                            "they must be the same to the last bit");
        }
    }
}

void treats_every_head_by_itself(const DeltaForm& form) {
    const DeltaInputs in({2}, 11, 4, 5, 230);
    const Tensor before = form.output(in);
    for (const bool key : {true, false}) {
        DeltaInputs changed = in;
        Tensor& x = key ? changed.K : changed.V;
        std::fill_n(x.data(), x.size() / 2, not_a_number);
        const Tensor after = form.output(changed);
        const std::size_t half = after.size() / 2;
        form.run(changed).satisfies(std::equal(before.data() + half, before.data() + 2 * half, after.data() + half),
                                    std::string(key ? "the keys" : "the values") +
                                        " of head 0 are NaN: the outputs of head 1 must stay as they were");
    }
}

void remembers_nothing(const DeltaForm& form) { form.run(DeltaInputs({2}, 6, 4, 5, 240)).remembers_nothing(); }

void costs_no_more_than_in_proportion_to_n(const DeltaForm& form) {
    costs_no_more_than_in_proportion([&](std::size_t n) { return form.run(DeltaInputs({}, n, 4, 5, 250 + n)); },
                                     "tokens", 32, "computed in O(n²)");
}
void costs_no_more_than_in_proportion_to_the_heads(const DeltaForm& form) {
    costs_no_more_than_in_proportion([&](std::size_t heads) { return form.run(DeltaInputs({heads}, 2, 2, 3, heads)); },
                                     "heads", 64);
}

void keeps_no_state_for_each_token(const DeltaForm& form) {
    const std::size_t few = 32, many = 128, d_k = 24, d_v = 20, state = d_k * d_v * sizeof(double);
    const std::size_t bytes_of_few = form.run(DeltaInputs({}, few, d_k, d_v, 260)).cost().extra_bytes;
    const Trial call = form.run(DeltaInputs({}, many, d_k, d_v, 261));
    // A few rows for each token, which an answer may have in another layout, are less than a tenth of a state.
    const std::size_t allowed = bytes_of_few + (many - few) * state / 4;
    call.satisfies(call.cost().extra_bytes <= allowed,
                   "apart from the result, n = 32 held " + std::to_string(bytes_of_few) +
                       " bytes at its peak and n = 128 held " + std::to_string(call.cost().extra_bytes) +
                       "; with a quarter of a state of d_k d_v numbers for each token added it would be " +
                       std::to_string(allowed) + ": keep one state, not one for each token",
                   "memory grows with the sequence");
}

void does_its_own_work(const DeltaForm& form, const std::vector<const char*>& others) {
    const DeltaInputs in({}, 5, 3, 4, 270);
    form.output(in);
    const Trial call = form.run(in);
    for (const char* other : others)
        call.satisfies(!call.cost().checking.contains(other),
                       std::string("it calls ") + other + ", another form; this exercise is a form of its own");
}

void works_a_chunk_at_a_time(const DeltaForm& form, std::size_t chunk) {
    // So wide that an own loop runs many more blocks for a token than the calls of the vocabulary do, under any compiler.
    const std::size_t n = 4 * chunk, d_k = 48, d_v = 40;
    const DeltaInputs in({}, n, d_k, d_v, 280);
    form.output(in);
    const Trial call = form.run(in);
    // S of every chunk is made and read by products; own loops would show as blocks of the student's file.
    const bool own_loops = call.cost().blocks > n * d_k * d_v;
    call.satisfies(own_loops || call.cost().largest >= chunk * d_k * d_v / 2,
                   "the largest step of the vocabulary did " + std::to_string(call.cost().largest) +
                       " multiply-adds, about one token's; one of " + std::to_string(chunk * d_k * d_v) +
                       " is expected, by which all keys of a chunk of " + std::to_string(chunk) +
                       " tokens ask the state at once");
}

void relies_on_right_functions(const DeltaForm& form) {
    const DeltaInputs in({2}, 7, 4, 3, 290);
    const Trial call = form.run(in);
    const Tensor got = form.output(in);
    if (!difference(got, form.expected(in)[0])) return;
    if (call.cost().checking.contains("solve_unit_lower")) {
        const Tensor A = expand_dims(in.beta, -1) * matmul(in.K, matrix_transpose(in.K));
        call.blames("solve_unit_lower",
                    [&] { return CALL(solve_unit_lower, A, in.V).gives({expected_solution(A, in.V)}); });
    }
    if (call.cost().checking.contains("decay_mask")) {
        Tensor value = zeros({2, 7, 7});
        for (std::size_t e = 0; e < value.size(); ++e) {
            const std::size_t j = e % 7, i = e / 7 % 7;
            double log = 0.0;
            for (std::size_t t = j + 1; t <= i; ++t) log += in.log_decay.data()[e / 49 * 7 + t];
            value.data()[e] = j <= i ? std::exp(log) : 0.0;
        }
        const Expected mask{value, full({2, 7, 7}, 1e-12), "far above its rounding", false};
        call.blames("decay_mask", [&] { return CALL(decay_mask, in.log_decay).gives({mask}); });
    }
}

}  // namespace linattn::testing
