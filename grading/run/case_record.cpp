#include "case_record.hpp"

#include <nlohmann/json.hpp>

#include "escape.hpp"

namespace linattn::testing {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resemblance, mistake, explanation, topic)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, what, differs_when_repeated, resembles, closeness, partly, guess, digits,
                                   inputs, stack, unset_local, counterexample)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Case, name, note, checked, failures, todo, begin_with, tells, caused_elsewhere,
                                   output_begins, output_ends)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NumberedCase, number, known)

std::string to_line(const NumberedCase& numbered) {
    return Json(numbered).dump(-1, ' ', true, Json::error_handler_t::replace);  // ASCII alone: read_event leaves it
}

std::optional<NumberedCase> read_case(std::string_view line) try {
    const auto visible = [](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::value && parsed.is_string())
            parsed = escape(parsed.get_ref<const std::string&>());
        return true;
    };
    return Json::parse(line, visible).get<NumberedCase>();
} catch (const Json::exception&) {
    return std::nullopt;
}

}  // namespace linattn::testing
