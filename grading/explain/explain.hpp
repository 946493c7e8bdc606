// What explains the failures of a suite that has ended: a mistake of a known name that made every answer, or else what the answers
// show. All calls are known then, so nothing that is said has to be taken back.
#pragma once

namespace linattn::testing {

/// Explains the failures of all cases by all recorded calls, and sends them.
void explain_failures();

}  // namespace linattn::testing
