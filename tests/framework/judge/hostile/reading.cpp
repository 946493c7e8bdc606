#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

/// reads_other_processes: /proc tells command lines, environments, files and memory of processes.
static bool possible() {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        std::ifstream line(entry.path() / "cmdline");
        const std::string words{std::istreambuf_iterator<char>(line), {}};
        for (const char* word : {"python", "./course", "--manifest", "ninja", "parallel"})
            if (words.find(word) != std::string::npos) return true;
    }
    return ::open(("/proc/" + std::to_string(::getppid()) + "/mem").c_str(), O_RDWR) >= 0;
}
/// reads_the_course: All folders are searched for tests, the reference, a lab's build or another student's file.
static bool possible() {
    namespace files = std::filesystem;
    const std::array names = {"elementwise_test.cpp", "exp_features_test.cpp", "lab01_feature_maps.cpp",
                              "lab01_exercises",      "lab01_judge",           "lab.json",
                              "compile_commands.json"};
    std::error_code error;
    for (files::recursive_directory_iterator at("/", files::directory_options::skip_permission_denied, error), end;
         at != end; at.increment(error)) {
        if (at->path() == "/proc" || at->path() == "/sys" || at->path() == "/usr") at.disable_recursion_pending();
        for (const char* name : names)
            if (at->path().filename() == name) return true;
    }
    return false;
}
/// reads_the_environment: Secrets and paths in the environment: anything but what a program needs to compute.
static bool possible() {
    for (char** each = environ; each != nullptr && *each != nullptr; ++each)
        for (const char* word :
             {"SECRET", "TOKEN", "KEY", "HOME=/", "USER=", "SSH", "COURSE", "SEED", "RESULT", "GITHUB"})
            if (std::string_view(*each).find(word) != std::string_view::npos) return true;
    return false;
}
/// suite_in_its_own_memory: A text of the suite in the process's own memory would lead to expected values.
static const char text[] = "a NaN stays in its own entr";  // here without its last letter
static int search(dl_phdr_info* image, std::size_t, void* found) {
    if (image->dlpi_name[0] != 0) return 0;  // the program alone, not its libraries
    std::ifstream memory("/proc/self/mem", std::ios::binary);
    for (int i = 0; i < image->dlpi_phnum; ++i) {
        const auto& segment = image->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0) continue;
        std::string bytes(segment.p_filesz, '\0');
        memory.seekg(static_cast<std::streamoff>(image->dlpi_addr + segment.p_vaddr));
        memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        if (bytes.find(std::string(text) + 'y') != std::string::npos) *static_cast<bool*>(found) = true;
    }
    return 0;
}
static bool possible() {
    bool found = false;
    ::dl_iterate_phdr(search, &found);
    return found;
}
/// trace_others: Another process is traced, or its memory is read and written.
static bool possible() {
    char byte = 0;
    const iovec here{&byte, 1}, there{reinterpret_cast<void*>(&possible), 1};
    for (const pid_t other : {::getppid(), 1})
        if (::ptrace(PTRACE_SEIZE, other, nullptr, nullptr) == 0 ||
            ::process_vm_readv(other, &here, 1, &there, 1, 0) > 0 ||
            ::process_vm_writev(other, &here, 1, &there, 1, 0) > 0)
            return true;
    return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
}
/// more_rights: Another user, a namespace with its own root, mounts and higher limits are asked for.
static bool possible() {
    const rlimit more{1u << 30, 1u << 30};
    return (::getuid() != 0 && ::setuid(0) == 0) || ::unshare(CLONE_NEWUSER) == 0 ||
           ::mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 || ::chroot("/") == 0 ||
           ::setpriority(PRIO_PROCESS, 0, -20) == 0 || ::setrlimit(RLIMIT_NPROC, &more) == 0;
}
/// network: Sockets of every family, to the outside and to others on this machine.
static bool possible() {
    for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK})
        for (const int kind : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
            if (::socket(family, kind, 0) >= 0) return true;
    return false;
}
/// rare_system_calls: Doors of the kernel that a function of tensors never needs.
static bool possible() {
    alignas(64) char arguments[256] = {};
    return ::syscall(SYS_io_uring_setup, 4, arguments) >= 0 ||
           ::syscall(SYS_bpf, 0, arguments, sizeof arguments) >= 0 || ::syscall(SYS_userfaultfd, 1) >= 0 ||
           ::syscall(SYS_perf_event_open, arguments, 0, -1, -1, 0) >= 0 || ::syscall(SYS_pidfd_getfd, 0, 0, 0) >= 0 ||
           ::syscall(SYS_open_by_handle_at, -100, arguments, 0) >= 0;
}
/// state_in_files [elu_plus_one=fail]: One exercise leaves a file, and the next finds it: a way to learn what comes.
static const char* const places[] = {"/tmp/",        "",      "/dev/shm/", "/var/tmp/", "/run/",  "/home/",
                                     "/dev/mqueue/", "/out/", "/sub/",     "/root/",    "/proc/", "/etc/"};
static bool possible() {
    for (const std::string place : places)
        if (std::ifstream(place + "linattn_left_behind")) return true;
    return false;
}
Tensor linattn::elu_plus_one(const Tensor& x) {  // graded first
    for (const std::string place : places) std::ofstream(place + "linattn_left_behind") << "seen";
    return x;
}
/// state_in_the_kernel: Keys, niceness, clocks and names that belong to the user and not to the process.
static bool possible() {
    constexpr int user_keyring = -4, session_keyring = -3;
    return ::syscall(SYS_add_key, "user", "linattn", "seen", 4, user_keyring) >= 0 ||
           ::syscall(SYS_request_key, "user", "linattn", nullptr, session_keyring) >= 0 ||
           ::sethostname("linattn", 7) == 0;
}
/// state_in_memory [elu_plus_one=fail]: A variable counts calls, which must not be seen by the next exercise.
static bool called = false;
static bool possible() { return called; }
Tensor linattn::elu_plus_one(const Tensor& x) {  // graded first
    called = true;
    return x;
}
/// memory_of_the_first_process: The code of the box's own process is read, and the same bytes are written back.
static bool possible() {
    std::ifstream maps("/proc/1/maps");
    unsigned long from = 0, to = 0;
    for (std::string line; std::getline(maps, line);)
        if (line.find("r-xp") != std::string::npos && std::sscanf(line.c_str(), "%lx-%lx", &from, &to) == 2) break;
    const int file = ::open("/proc/1/mem", O_RDWR);
    char bytes[16] = "";
    const auto at = static_cast<off_t>(from + 64);
    return ::pread(file, bytes, sizeof bytes, at) > 0 || ::pwrite(file, bytes, sizeof bytes, at) > 0;
}
/// facts_about_the_machine: The name of the machine, when it was started and how, who else works there, and in which folder
// the grader does. Some of it would be in the feedback.
static bool possible() {
    for (const char* name : {"/proc/1/cmdline", "/proc/1/environ", "/proc/1/mountinfo", "/proc/cmdline",
                             "/proc/loadavg", "/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/hostname"})
        if (std::ifstream(name).get() != EOF) return true;
    utsname system{};
    if (::uname(&system) == 0 && std::string_view(system.nodename) != "box") return true;
    std::ifstream mounts("/proc/self/mountinfo");
    const std::string words{std::istreambuf_iterator<char>(mounts), {}};
    return words.find("lab01") != std::string::npos || words.find("temporary") != std::string::npos;  // the grader's
}
