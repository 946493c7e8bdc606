// The recall task with several memories, one after the other. Nothing is saved: it is over soon.
#pragma once

#include "program.hpp"
#include "recall.hpp"

namespace linattn {

/// Trains those whose names the argument `memories` lists, and prints what each recalls. \return the exit status
int run_recall(const Arguments& in, const std::map<std::string, RecallMemory>& known);

}  // namespace linattn
