// class: descriptors
// Descriptors that nobody closed lead to files, pipes and sockets of the judge, beside the two of the conversation.
// expects: lab01 *=todo
#include <sys/stat.h>

#include "feature_maps.hpp"

static bool possible() {
    struct stat kind {};
    for (int file = 5; file < 4096; ++file)
        if (::fstat(file, &kind) == 0 && !S_ISCHR(kind.st_mode)) return true;
    return false;
}
