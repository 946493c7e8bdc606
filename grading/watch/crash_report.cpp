#include "crash_report.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <string_view>

#include "pattern.hpp"

namespace linattn::testing {
namespace {

// Of "… std::vector<_Tp, _Alloc>::operator[](size_type) [with …]": what was called, of what.
struct Member {
    std::string type, name;
};

Member member_in(const std::string& signature) {
    static const Pattern call(
        R"(.*(std::([[:alnum:]_]+::)*[[:alnum:]_]+)(<.*>)?::(operator(\[]|\*|->)|[[:alnum:]_]+)\()");
    const auto parts = call.find(signature.substr(0, signature.find(" [with")));
    if (parts.empty()) return {};
    const std::string &type = parts[1], &name = parts[4];
    static const std::map<std::string, std::string> public_names{{"std::_Optional_base_impl", "std::optional"},
                                                                 {"std::__shared_ptr_access", "std::shared_ptr"},
                                                                 {"std::__cxx11::basic_string", "std::string"}};
    const auto known = public_names.find(type);
    return {known == public_names.end() ? type : known->second, name};
}

// An assertion of the standard library (-D_GLIBCXX_ASSERTIONS).
std::string refusal(const std::string& signature, const std::string& condition) {
    const auto [type, name] = member_in(signature);
    if (type.empty()) return "broke a condition of the standard library: " + condition;
    const bool of_index = condition.find("< this->size()") != std::string::npos ||
                          condition.find("< size()") != std::string::npos ||
                          condition.find("< _Nm") != std::string::npos;
    if (of_index) return "went outside a " + type + ": " + name + " with an index that is not below its size";
    if (condition.find("empty()") != std::string::npos) return "called " + name + "() on an empty " + type;
    if (condition.find("_M_is_engaged") != std::string::npos) return "read a " + type + " that holds no value";
    if (condition.find("get() != pointer()") != std::string::npos ||
        condition.find("_M_get() != nullptr") != std::string::npos)
        return "followed a " + type + " that points to nothing";
    return "broke a condition of " + type + "::" + name + ": " + condition;
}

std::string uncaught(const std::string& type, const std::string& words) {
    return "threw " + type + (words.empty() ? "" : " (\"" + words + "\")") +
           " where nothing can catch it: out of a noexcept function or a destructor";
}

// What stands behind `mark` in a line, without its line break; nothing if it is not there.
std::optional<std::string> behind(std::string_view line, std::string_view mark) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = line.substr(at + mark.size());
    return std::string(rest.substr(0, rest.find('\n')));
}

// A line that the runtime printed, in our words; the next one may say what() an exception held.
std::string words_for(std::string_view line, std::string_view after) {
    if (const auto condition = behind(line, ": Assertion '")) {  // libstdc++
        const std::string signature(line.substr(0, line.find(": Assertion '")));
        return refusal(signature.substr(signature.find(": ") + 1), condition->substr(0, condition->rfind('\'')));
    }
    if (const auto condition = behind(line, ": Assertion `"))  // the C library
        return "failed the assertion " + condition->substr(0, condition->rfind('\''));
    if (const auto condition = behind(line, ": assertion "))  // libc++
        return "broke a condition of the standard library: " + behind(*condition, " failed: ").value_or(*condition);
    if (const auto type = behind(line, "terminate called after throwing an instance of '"))
        return uncaught(type->substr(0, type->rfind('\'')),
                        after.starts_with("  what():  ") ? behind(after, "  what():  ").value_or("") : "");
    if (const auto thrown = behind(line, "uncaught exception of type ")) {  // libc++abi
        const std::size_t colon = thrown->find(": ");
        return uncaught(thrown->substr(0, colon), colon == std::string::npos ? "" : thrown->substr(colon + 2));
    }
    if (line.starts_with("terminate called") || line.starts_with("libc++abi: terminating"))
        return "called std::terminate";
    if (line.starts_with("pure virtual method called") || line.starts_with("libc++abi: Pure virtual function called"))
        return "called a virtual function that has no body";
    return "";
}

}  // namespace

std::string finding_in_words(const std::string& found) {
    const std::size_t end = found.find(' ');
    const std::string name = found.substr(0, end), access = end == std::string::npos ? "" : found.substr(end + 1);
    static const std::map<std::string, std::string> known{
        {"heap-use-after-free", "used memory that was already freed"},
        {"double-free", "freed memory that was freed already, or that was never allocated"},
        {"bad-free", "freed memory that was freed already, or that was never allocated"},
        {"bad-malloc_usable_size", "freed memory that was freed already, or that was never allocated"},
        {"stack-use-after-scope", "used a variable that no longer exists"},
        {"stack-overflow", "called itself without end (stack overflow)"}};
    const auto words = known.find(name);
    const std::string what = words != known.end()                 ? words->second
                             : name.ends_with("-buffer-overflow") ? "went outside an array"
                                                                  : "was stopped: " + name;
    return what + (access.empty() ? "" : ": " + access + " bytes");
}

std::string signal_in_words(int signal) {
    switch (signal) {
        case SIGSEGV:
        case SIGBUS: return "used memory that does not belong to the program (segmentation fault)";
        case SIGFPE: return "divided an integer by zero";
        case SIGILL: return "went outside an array of fixed size";  // what -fsanitize=bounds stops with
        case SIGABRT: return "called abort: a failed assertion, or an exception that nothing can catch";
        default: return "";
    }
}

std::string take_runtime_output(std::string& printed) {
    const std::size_t farthest = 8192;  // a signature of a template can be long
    std::size_t at = printed.size() > farthest ? printed.find('\n', printed.size() - farthest) : 0;
    for (std::size_t next; at < printed.size(); at = next) {
        next = std::min(printed.find('\n', at), printed.size() - 1) + 1;
        const std::string words =
            words_for(std::string_view(printed).substr(at, next - at), std::string_view(printed).substr(next));
        if (words.empty()) continue;
        printed.erase(at);
        return words;
    }
    return "";
}

}  // namespace linattn::testing
