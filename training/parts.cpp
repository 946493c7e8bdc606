#include "parts.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <csignal>
#include <iostream>
#include <stdexcept>

namespace linattn {
namespace {

// All arrays of a batch and a model, in a fixed order.
std::vector<Tensor*> arrays(Batch& batch, Model& w) {
    std::vector<Tensor*> all{&batch.ids, &batch.targets, &batch.counts};
    for (Tensor* weight : parameters(w)) all.push_back(weight);
    return all;
}

Batch sequences_of(const Batch& batch, std::size_t begin, std::size_t end) {
    return {slice(batch.ids, 0, begin, end), slice(batch.targets, 0, begin, end), slice(batch.counts, 0, begin, end)};
}

}  // namespace

Parts::Parts(AttentionKind kind, const Model& w, const Batch& batch, std::size_t processes)
    : kind_(kind),
      batch_(batch),
      w_(w),
      sequences_(std::max(std::size_t{4}, 128 / length(batch.ids, 1))),
      parts_((length(batch.ids, 0) + sequences_ - 1) / sequences_),
      processes_(std::min(processes, parts_)),
      length_(1) {
    for (const Tensor* weight : parameters(w_)) length_ += weight->size();
    std::size_t numbers = parts_ * length_;
    for (const Tensor* each : arrays(batch_, w_)) numbers += each->size();
    bytes_ = numbers * sizeof(double);
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory for the gradients of a batch: close other programs");
    shared_ = static_cast<double*>(memory);
    std::cout.flush();
    const pid_t parent = ::getpid();
    for (std::size_t process = 1; process < processes_; ++process) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) break;  // fewer processes do as well
        const pid_t child = ::fork();
        if (child == 0) {
#ifdef __linux__
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
            if (::getppid() != parent) ::_exit(1);
            for (const Other& other : others_) ::close(other.channel);
            ::close(ends[0]);
            serve(process, ends[1]);
        }
        ::close(ends[1]);
        if (child < 0) {
            ::close(ends[0]);
            break;
        }
        others_.push_back({child, ends[0]});
    }
}

Parts::~Parts() {
    for (const Other& other : others_) ::close(other.channel);  // they end when they find nobody there
    for (const Other& other : others_) ::waitpid(other.process, nullptr, 0);
    ::munmap(shared_, bytes_);
}

void Parts::share(const Batch& batch, const Model& w) {
    batch_ = batch;
    w_ = w;
    double* to = shared_ + parts_ * length_;
    for (const Tensor* each : arrays(batch_, w_)) to = std::copy_n(each->data(), each->size(), to);
}

// Every process takes each (number of processes)th part.
void Parts::work(std::size_t process) const {
    for (std::size_t number = process; number < parts_; number += processes_)
        find_part(number, shared_ + number * length_);
}

void Parts::find_part(std::size_t number, double* result) const {
    const std::size_t begin = number * sequences_, end = std::min(begin + sequences_, length(batch_.ids, 0));
    const Batch some = sequences_of(batch_, begin, end);
    const double share = total(some.counts) / total(batch_.counts);
    if (share == 0.0) {
        std::fill_n(result, length_, 0.0);
        return;
    }
    ModelGradients gradients = gradients_of(kind_, some.ids, some.targets, some.counts, w_);
    *result++ = share * gradients.loss;
    for (const Tensor* each : parameters(gradients.dw))
        result = std::transform(each->data(), each->data() + each->size(), result,
                                [&](double entry) { return share * entry; });
}

void Parts::serve(std::size_t process, int channel) {
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_IGN);  // who asks for work decides when it ends
    char word = 0;
    try {
        while (::read(channel, &word, 1) == 1) {
            const double* from = shared_ + parts_ * length_;
            for (Tensor* each : arrays(batch_, w_)) {
                std::copy_n(from, each->size(), each->data());
                from += each->size();
            }
            work(process);
            std::cout.flush();
            if (::write(channel, &word, 1) != 1) break;
        }
    } catch (...) {  // who waits for it computes the same, and says what was thrown
    }
    ::_exit(0);
}

ModelGradients Parts::gradients(const Batch& batch, const Model& w) {
    share(batch, w);
    char word = 1;
    std::vector<bool> at_work(processes_, false);
    for (std::size_t i = 0; i < others_.size(); ++i)
        at_work[i + 1] = ::send(others_[i].channel, &word, 1, MSG_NOSIGNAL) == 1;
    work(0);
    for (std::size_t process = 1; process < processes_; ++process)
        if (!at_work[process] || ::read(others_[process - 1].channel, &word, 1) != 1) work(process);

    ModelGradients result{0.0, w_};
    for (std::size_t number = 0; number < parts_; ++number) {
        const double* from = shared_ + number * length_;
        result.loss += *from++;
        for (Tensor* each : parameters(result.dw)) {
            double* to = each->data();
            for (std::size_t i = 0; i < each->size(); ++i) to[i] = number == 0 ? from[i] : to[i] + from[i];
            from += each->size();
        }
    }
    return result;
}

bool Parts::gives_the_same_again() const {
    std::vector<double> again(length_);
    find_part(0, again.data());
    return std::equal(again.begin(), again.end(), shared_);
}

}  // namespace linattn
