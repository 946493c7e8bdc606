// Extended regular expressions as the C library has them: <regex> takes two seconds to compile and recurses for every character.
#pragma once

#include <regex.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace linattn::testing {

class Pattern {
public:
    explicit Pattern(const std::string& expression) {
        if (::regcomp(&compiled_, expression.c_str(), REG_EXTENDED) != 0)
            throw std::invalid_argument(expression + " is no regular expression");
    }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;
    ~Pattern() { ::regfree(&compiled_); }

    /// The first place in the text that fits, then what each group holds there ("" if it took no part); empty without one.
    std::vector<std::string> find(const std::string& text) const {
        std::vector<regmatch_t> places(compiled_.re_nsub + 1);
        if (::regexec(&compiled_, text.c_str(), places.size(), places.data(), 0) != 0) return {};
        std::vector<std::string> found;
        for (const regmatch_t& each : places)
            found.push_back(each.rm_so < 0 ? ""
                                           : text.substr(static_cast<std::size_t>(each.rm_so),
                                                         static_cast<std::size_t>(each.rm_eo - each.rm_so)));
        return found;
    }

private:
    regex_t compiled_;
};

}  // namespace linattn::testing
