#include "outcome.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "call_stack.hpp"
#include "contract.hpp"
#include "escape.hpp"
#include "memory_watch.hpp"

namespace linattn::testing {
namespace {

std::uint32_t trace_next = 0;  // the allocation whose call stack the next metered call should record
Cost cost_of_latest_call;
std::string first_device_error;  // what follows is its echo

// Values that were never written count as one.
bool same(const Tensor& a, const Tensor& b) {
    return shape_of(a) == shape_of(b) && std::equal(a.data(), a.data() + a.size(), b.data(), [](double x, double y) {
               return x == y || (std::isnan(x) && std::isnan(y));
           });
}

// Without the blanks at its end, and without the place in xtensor's own header where an index is out of range.
std::string message_of(const std::exception& e) {
    std::string words = e.what();
    const std::string prefix = ": check failed\n\t";
    const std::size_t at = words.find(prefix);
    if (at != std::string::npos) words.erase(0, at + prefix.size());
    return shortened(words.substr(0, words.find_last_not_of(" \t\r\n") + 1), 2000);
}

}  // namespace

bool same(const Outcome& a, const Outcome& b) {
    return a.error == b.error && a.changed_argument == b.changed_argument &&
           std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), [](const Part& x, const Part& y) {
               const auto *left = std::get_if<Tensor>(&x.value), *right = std::get_if<Tensor>(&y.value);
               return left != nullptr && right != nullptr ? same(*left, *right) : x.value == y.value;
           });
}

Meter::Meter() { begin_metering(trace_next); }
Meter::~Meter() { cost_of_latest_call = end_metering(); }
const Cost& metered() { return cost_of_latest_call; }

std::string stack_of_allocation(std::uint32_t number, const Run& run, const Subject& subject) {
    trace_next = number;
    run(subject);
    trace_next = 0;
    return traced_allocation();
}

const std::string& device_error() { return first_device_error; }

Outcome outcome_of(const std::function<Parts()>& function) {
    Outcome outcome;
    forget_throw_site();
    try {
        outcome.parts = function();
        return outcome;
    } catch (const NotImplemented& e) {
        outcome.missing = e.function();
        outcome.error = e.what();
    } catch (const gpu::DeviceError& e) {
        outcome.error = e.what();
        if (first_device_error.empty()) first_device_error = e.what();
    } catch (const gpu::Error& e) {
        outcome.error = e.what();
        outcome.symptoms = e.symptoms();
    } catch (const std::invalid_argument& e) {
        outcome.error = message_of(e);
        outcome.invalid_argument = true;
    } catch (const std::bad_array_new_length&) {
        outcome.error =
            "std::bad_array_new_length: an array of an impossible length; is it an unsigned difference below 0?";
    } catch (const std::bad_alloc&) {
        outcome.error =
            "std::bad_alloc: that much memory is not available; is a length an unsigned difference below 0, "
            "or an index behind the end of a vector? Or does a lazy expression of xtensor refer to an array that is "
            "gone?";
    } catch (const std::length_error& e) {
        outcome.error = message_of(e) + ": is a length an unsigned difference below 0?";
    } catch (const std::exception& e) {
        outcome.error = message_of(e);
    } catch (...) {
        outcome.error = "something that is not a std::exception";
    }
    if (outcome.error.empty()) outcome.error = "an exception without a message";
    return outcome;
}

}  // namespace linattn::testing
