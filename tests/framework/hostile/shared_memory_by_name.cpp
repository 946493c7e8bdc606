// class: memory
// POSIX shared memory and message queues have names that another exercise, or another submission, could open.
// expects: lab01 *=todo
#include <fcntl.h>
#include <mqueue.h>
#include <sys/mman.h>

#include "feature_maps.hpp"

static bool possible() {
    return ::shm_open("/linattn_hidden", O_CREAT | O_RDWR, 0666) >= 0 ||
           ::mq_open("/linattn_hidden", O_CREAT | O_RDWR, 0666, nullptr) >= 0;
}
