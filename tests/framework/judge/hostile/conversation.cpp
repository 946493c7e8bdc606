#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

static void add(std::string& body, std::size_t number) {
    body.append(reinterpret_cast<const char*>(&number), sizeof number);
}
static void add(std::string& body, const linattn::Tensor& x) {
    add(body, linattn::shape_of(x).size());
    for (const std::size_t length : linattn::shape_of(x)) add(body, length);
    add(body, x.size());
    body.append(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(double));
}
static void send(const std::string& body, int times = 1) {  // as grading/judge/remote_calls.cpp does
    std::string frame;
    add(frame, body.size());
    frame += body;
    while (times-- > 0)
        for (std::size_t sent = 0; sent < frame.size();) {
            const ssize_t written = ::write(4, frame.data() + sent, frame.size() - sent);
            if (written <= 0) break;
            sent += static_cast<std::size_t>(written);
        }
}
static void send(char kind, const std::string& words) {
    std::string body(1, kind);
    add(body, words.size());
    send(body + words);
}
static void to_all(const void* bytes, std::size_t count, int last = 255) {
    for (int file = 3; file <= last; ++file) (void)!::write(file, bytes, count);
}

/// answers_in_advance [relu=fail|crash]: Ten well-formed answers at once, with claims that nothing was done.
Tensor linattn::relu(const Tensor& x) {
    std::string body(1, '\1');  // a result: claims of 57 bytes, then the tensor
    body.append(57, '\0');
    add(body, maximum(x, 0));
    send(body, 10);
    return maximum(x, 0);
}
/// calls_the_judge [relu=crash]: The runner calls functions by name, and closures that were never passed to it.
Tensor linattn::relu(const Tensor& x) {
    static int calls = 0;
    const std::string names[] = {"relu", "#0", "#4096", "#-1", "#18446744073709551615", "", std::string(1 << 20, '#')};
    send('\0', names[++calls % 7]);  // a call
    ::usleep(1000);
    return maximum(x, 0);
}
/// forged_crash [relu=crash]: A forged report of the sanitizer's, with events of a pass and control sequences.
Tensor linattn::relu(const Tensor&) {
    send('\3',
         "passed\nchecked\t0 rounding\ndone\t00000000000000000000000000000000 9 0\n\033[2Jrelu PASS\r\n");  // a crash
    for (;;) ::pause();
}
/// says_that_the_box_failed [relu=crash]: What bwrap says when the runner has ended goes to every descriptor.
Tensor linattn::relu(const Tensor&) {
    to_all("{ \"exit-code\": 0 }", 18);
    ::_exit(0);
}
/// drip [relu=timeout|crash|fail]: A byte every tenth of a second: no deadline for a single read would ever pass.
Tensor linattn::relu(const Tensor&) {
    for (;; ::usleep(100'000)) to_all("\x01", 1, 63);
}
/// enormous_length [relu=crash|fail|timeout]: A frame announces almost 2⁶⁴ bytes and sends a few.
Tensor linattn::relu(const Tensor& x) {
    const unsigned char length[16] = {255, 255, 255, 255, 255, 255, 255, 127, 255, 255, 255, 255, 255, 255, 255, 127};
    to_all(length, sizeof length);
    return maximum(x, 0);
}
/// flood_on_stdout [relu=timeout|crash|fail]: The call prints without end. What is kept of it is bounded.
Tensor linattn::relu(const Tensor&) {
    const std::string line(1 << 16, 'x');
    for (;;) std::puts(line.c_str());
}
/// pipe_flood [relu=crash|fail|timeout]: Random bytes go to every descriptor, without end.
Tensor linattn::relu(const Tensor&) {
    std::vector<unsigned char> noise(1 << 16);
    unsigned state = 1;
    for (;;)
        for (int file = 3; file < 64; ++file) {
            for (unsigned char& each : noise)
                each = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
            ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
            (void)!::write(file, noise.data(), noise.size());
        }
}
/// open_descriptors: Open descriptors lead to files, pipes and sockets of the judge, beside the conversation's two.
static bool possible() {
    struct stat kind {};
    for (int file = 5; file < 4096; ++file)
        if (::fstat(file, &kind) == 0 && !S_ISCHR(kind.st_mode)) return true;
    return false;
}
/// reads_standard_input: What is typed, or piped, into the program that grades is read by the submission.
static bool possible() {
    char byte = 0;
    return ::read(0, &byte, 1) > 0;
}
/// names_that_grow: A symbol of 150 bytes that demangles to 1.5 MB: the judge answers a question about 64 of them.
template <class A, class B>
struct Pair;
template <int n>
struct Grown {
    using type = Pair<typename Grown<n - 1>::type, typename Grown<n - 1>::type>;
};
template <>
struct Grown<0> {
    using type = int;
};
int grown(Grown<17>::type*, int v) { return v + 1; }
static bool answer_is_long() {
    Dl_info info{};
    ::dladdr(reinterpret_cast<void*>(&grown), &info);
    const auto offset = reinterpret_cast<std::uintptr_t>(&grown) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    const std::string name = "addr2line";
    std::string question(1, '\0');
    add(question, name.size());
    question += name + std::string(4, '\0') + '\1';
    add(question, 64);
    for (int i = 0; i < 64; ++i) add(question, offset + 4);
    send(question);
    std::uint64_t length = 0;
    if (::read(3, &length, sizeof length) != sizeof length) return false;
    const bool grew = length > (std::uint64_t{1} << 20);
    for (char buffer[65536]; length > 0;) {
        const auto got = ::read(3, buffer, std::min<std::uint64_t>(length, sizeof buffer));
        if (got <= 0) return grew;
        length -= static_cast<std::uint64_t>(got);
    }
    return grew;
}
static bool possible() {
    static const bool is_long = answer_is_long();
    return is_long;
}
