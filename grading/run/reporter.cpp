#include "reporter.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS  // a crash is for the address sanitizer and the supervisor to explain
#include <doctest/doctest.h>

#include <cstdio>

#include "case_log.hpp"
#include "random_inputs.hpp"

namespace linattn::testing {
namespace {

RunCount count;
int first_case = 0, last_case = 0;  // 0: all
void (*before_case)() = nullptr;

void add_failure(const std::string& words) { current_case().failures.push_back({.what = "    " + words}); }

class EventReporter : public doctest::IReporter {
public:
    explicit EventReporter(const doctest::ContextOptions&) {}

    void report_query(const doctest::QueryData& query) override {
        for (unsigned i = 0; i < query.num_data; ++i) std::printf("suite\t%s\n", query.data[i]->m_test_suite);
    }
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& stats) override {
        count.run = stats.numTestCasesPassingFilters;
        count.failed = stats.numTestCasesFailed;
    }
    void test_case_start(const doctest::TestCaseData& data) override {
        if (before_case != nullptr) before_case();
        forget_seed();
        begin_case(data.m_name);
    }
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override { end_case(); }
    void test_case_exception(const doctest::TestCaseException& exception) override {
        if (exception.error_string.size() > 0) add_failure(std::string("threw: ") + exception.error_string.c_str());
    }
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData& data) override {
        if (data.m_failed) add_failure(std::string(data.m_expr) + "\n    values: " + data.m_decomp.c_str());
    }
    void log_message(const doctest::MessageData& data) override { add_failure(data.m_string.c_str()); }
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

DOCTEST_REGISTER_REPORTER("events", 0, EventReporter);
REGISTER_EXCEPTION_TRANSLATOR(const CaseOver&) { return ""; }

}  // namespace

void choose_cases(int first, int last) {
    first_case = first;
    last_case = last;
}

void stop_at_first_failure(void (*before_each_case)()) { before_case = before_each_case; }

RunCount run_suite(const std::string& exercise) {
    doctest::Context context;
    context.setOption("reporters", "events");
    context.setOption("no-intro", true);
    context.setOption("no-breaks", true);
    context.setOption("case-sensitive", true);
    context.setOption("abort-after", before_case != nullptr ? 1 : 0);
    context.addFilter("test-suite", exercise.c_str());
    if (tracing()) {
        context.setOption("no-skip", true);
        context.addFilter("test-case", "trace of *");
    }
    if (first_case > 0) {
        context.setOption("first", first_case);
        context.setOption("last", last_case);
    }
    context.run();
    return count;
}

void list_suites() {
    const char* flags[] = {"", "--list-test-suites"};  // setOption would ignore it, and every case would run
    doctest::Context context(2, flags);
    context.setOption("reporters", "events");
    context.setOption("no-intro", true);
    context.run();
}

}  // namespace linattn::testing
