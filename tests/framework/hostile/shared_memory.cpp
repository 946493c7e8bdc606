// class: memory
// Shared memory, semaphores and message queues outlive the process that made them.
// expects: lab01 *=todo
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "feature_maps.hpp"

static bool possible() {
    return ::shmget(0x11a7, 1 << 20, IPC_CREAT | 0666) >= 0 || ::semget(0x11a7, 1, IPC_CREAT | 0666) >= 0 ||
           ::msgget(0x11a7, IPC_CREAT | 0666) >= 0;
}
