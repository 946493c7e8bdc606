#include "evidence.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace linattn::testing {
namespace {

std::map<std::string, std::vector<Agrees>> evidence;  // by exercise, in the order of the calls
std::map<const Mistake*, std::size_t> agreed;         // with how many of these a mistake is known to agree
std::set<const Mistake*> named;

bool agrees_so_far(const Mistake& mistake) {
    const std::vector<Agrees>& calls = evidence[mistake.exercise];
    std::size_t& known = agreed[&mistake];
    while (known < calls.size() && calls[known](mistake)) ++known;
    return known == calls.size();
}

}  // namespace

void add_evidence(const std::string& exercise, Agrees agrees) { evidence[exercise].push_back(std::move(agrees)); }

bool first_call_agrees(const Mistake& function) {
    const std::vector<Agrees>& calls = evidence[function.exercise];
    return calls.empty() || calls.front()(function);
}

std::vector<const Mistake*> not_ruled_out(const std::vector<const Mistake*>& alike) {
    std::vector<const Mistake*> left;
    std::ranges::copy_if(alike, std::back_inserter(left), [](const Mistake* each) { return named.contains(each); });
    if (left.empty())
        std::ranges::copy_if(alike, std::back_inserter(left), [](const Mistake* each) { return agrees_so_far(*each); });
    named.insert(left.begin(), left.end());
    return left;
}

}  // namespace linattn::testing
