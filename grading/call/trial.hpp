// A call of an exercise, without the types, and what a suite claims of it. A failed claim ends the test case: one message a case
// is what a reader can use.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "case_log.hpp"
#include "recorded_calls.hpp"

namespace linattn::testing {

/// Says of an exercise that it works entry by entry: a message then tells the inputs at the first wrong entry.
struct EntryByEntry {
    explicit EntryByEntry(const char* exercise);
};

/// Whether it said so.
bool works_entry_by_entry(const std::string& exercise);

/// While one lives, calls are too long for mistakes that take O(n²): none is tried on them, and a message tells which entries are
/// wrong.
class LongCalls {
public:
    LongCalls() { any = true; }
    ~LongCalls() { any = false; }
    LongCalls(const LongCalls&) = delete;
    LongCalls& operator=(const LongCalls&) = delete;
    static inline bool any = false;
};

class Trial {
public:
    /// Calls the exercise; the case ends as TODO if it is not written yet.
    Trial(std::string exercise, std::string call, Subject subject, Run run, std::vector<Input> inputs);

    /// Says in messages which of several alike calls this is.
    Trial& at(const std::string& place) {
        call_ += "; " + place;
        return *this;
    }

    /// Names the place of an entry in a message: "row 2 of chunk 1 of head 0".
    Trial& placed_by(std::function<std::string(std::size_t entry)> place) {
        place_ = std::move(place);
        return *this;
    }

    /// The result is this, or the case fails. A result in parts takes one expectation for each.
    void equals(const Expected& expected) const { equals(std::vector<Expected>{expected}); }
    void equals(std::vector<Expected> expected) const;
    void equals(const std::vector<std::string>& expected) const;

    /// The call throws std::invalid_argument with a message that mentions each of these words.
    void rejects(const std::vector<std::string>& mentions) const;

    /// A property of the result or of its cost holds, or the case fails with `otherwise`.
    /// \param mistake name of the mistake that a violation means, if it can only mean one
    void satisfies(bool holds, const std::string& otherwise, const char* mistake = nullptr) const;

    /// The call made again gives the same bits, also after one with other numbers in arrays of the same shapes and with
    /// the same first entries; and that one gives others, where there are arrays. All else stays.
    void remembers_nothing() const;

    /// Whether the result is this, each part of it. The case ends where the call threw or is not written.
    bool gives(const std::vector<Expected>& expected) const;

    /// Fails due to `other`, an exercise that this one builds on, where that is written and not right. The message says this and
    /// nothing else, and leads there.
    void blames(const std::string& other, const std::function<bool()>& is_right) const;

    const Cost& cost() const { return cost_; }

    /// The function that this call found missing: another exercise of the lab. Empty if none.
    const std::string& missing() const { return outcome_.missing; }

    /// What the call threw, in words. Empty if it returned.
    const std::string& error() const { return outcome_.error; }

protected:
    void require_result() const;

private:
    ComparedCall compared(const Check& check, const Expectations& expected = no_values) const;
    void fail_if(const Check& check, const Expectations& expected = no_values) const;
    void count_right(const ComparedCall& right) const;
    [[noreturn]] void fail(Failure failure, RecordedCall recorded) const;
    [[noreturn]] void break_claim(const std::string& what, const Mistake* means = nullptr) const;

    std::string exercise_, call_, seed_;
    Subject subject_;  // the function under test
    Run run_;
    std::vector<Input> inputs_;
    Outcome outcome_;
    std::string throw_site_;
    Cost cost_;
    std::function<std::string(std::size_t)> place_;
};

}  // namespace linattn::testing
