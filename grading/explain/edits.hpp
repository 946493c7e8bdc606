// Edits of a student's function that make its suite pass, searched for only when somebody asks: there are thousands.
#pragma once

#include <string>

namespace linattn::testing {

/// Runs the suite once for each edit from FIRST to LAST, each in a process of its own that is ended when it takes too long.
/// `tools/course/edits/search.py` builds the function with all of them, and linattn_edit chooses one.
/// Prints "edit N" for each that passes, "step N …" for each that gets further than the function as it is, with how far (whether
/// past a case that failed, calls right, share of entries right in the next, its error, a digest of them), and "tried 20" after so many.
/// \param range as in "1-200"
/// \return the exit status: 2 when the range is none
int try_edits(const std::string& exercise, const std::string& range);

}  // namespace linattn::testing
