#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

/// heap_without_end [relu=crash|fail|timeout]: Memory is taken and written until there is none.
Tensor linattn::relu(const Tensor& x) {
    std::vector<std::vector<char>> all;
    for (;;) all.emplace_back(std::size_t{64} << 20, '\1');
    return x;
}
/// shared_memory: Shared memory, semaphores and message queues, with a name or without, outlive the process that made them, and
// memfd_create makes files of pure memory, which count for no limit of a process.
static bool possible() {
    return ::shmget(0x11a7, 1 << 20, IPC_CREAT | 0666) >= 0 || ::semget(0x11a7, 1, IPC_CREAT | 0666) >= 0 ||
           ::msgget(0x11a7, IPC_CREAT | 0666) >= 0 || ::shm_open("/linattn_hidden", O_CREAT | O_RDWR, 0666) >= 0 ||
           ::mq_open("/linattn_hidden", O_CREAT | O_RDWR, 0666, nullptr) >= 0 || ::memfd_create("hidden", 0) >= 0;
}
/// daemon [relu=crash|fail|timeout]: A grandchild in its own session ignores all signals and keeps the pipe.
Tensor linattn::relu(const Tensor&) {
    if (::fork() == 0) {
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
        for (;;) ::sleep(1000);
    }
    ::_exit(0);
}
/// file_without_end [relu=crash|fail|timeout]: A file grows without end wherever one can be made.
Tensor linattn::relu(const Tensor& x) {
    const std::string block(1 << 20, 'x');
    for (const char* name : {"/tmp/linattn_full", "linattn_full", "/dev/shm/linattn_full", "/var/tmp/linattn_full",
                             "/run/linattn_full", "/linattn_full"})
        if (std::FILE* file = std::fopen(name, "w"))
            for (int i = 0; i < 20'000 && std::fwrite(block.data(), block.size(), 1, file) == 1; ++i) {
            }
    return x;
}
/// page_tables [relu=crash|fail|timeout]: A page of each 2 MiB of an untouched mapping is read: the pages are all the one
// zero page, which counts for nothing, and the page tables take 1.5 GiB.
Tensor linattn::relu(const Tensor& x) {
    constexpr std::size_t step = std::size_t{2} << 20, pages = 10'000;
    static bool done = false;
    volatile char sink = 0;
    for (int part = 0; part < 40 && !done; ++part) {
        void* const memory =
            ::mmap(nullptr, step * pages, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return x;
        ::madvise(memory, step * pages, MADV_NOHUGEPAGE);
        for (std::size_t i = 0; i < pages; ++i) sink = sink + static_cast<char*>(memory)[i * step];
    }
    done = true;
    return maximum(x, 0);
}
/// shared_pages_given_up: Pages of a shared mapping are given up one after the other: the system keeps them, and they count
// for no process.
static bool possible() {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    std::memset(memory, 1, bytes);
    ::madvise(memory, bytes, MADV_DONTNEED);
    return static_cast<volatile char*>(memory)[bytes / 2] == 1;
}
/// threads_that_sleep [relu=crash|fail|timeout]: Thousands of threads wait, and the answer is right.
Tensor linattn::relu(const Tensor& x) {
    static bool done = false;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, std::size_t{1} << 20);
    pthread_t thread{};
    for (int i = 0; i < 6000 && !done; ++i)
        if (pthread_create(
                &thread, &small, [](void*) -> void* { return ::sleep(3), nullptr; }, nullptr) != 0)
            return x;
    if (!done) ::sleep(4);
    done = true;
    return maximum(x, 0);
}
/// main_thread_gone [*=todo|crash|fail|timeout]: The main thread ends before main, and another one runs main: the system then
// tells no memory of the process, which holds 1.5 GB.
int main();
static const long gone = [] {
    std::thread([] { ::_exit(main()); }).detach();
    return ::syscall(SYS_exit, 0);
}();
linattn::Tensor linattn::relu(const Tensor& x) {
    const std::size_t bytes = std::size_t{3} << 29;
    static void* const held = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const bool once = (std::memset(held, 1, bytes), ::usleep(200000), true);
    return once ? maximum(x, 0) : x;
}
/// resets_its_peak: The most that it has held is reset in /proc, so that a matrix of all pairs leaves no trace.
bool possible() { return ::open("/proc/self/clear_refs", O_WRONLY) >= 0; }
