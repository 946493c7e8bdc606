// class: network
// Sockets of every family, to the outside and to others on this machine.
// expects: lab01 *=todo
#include <sys/socket.h>
#include <unistd.h>

#include "feature_maps.hpp"

static bool possible() {
    for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK})
        for (const int kind : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
            if (::socket(family, kind, 0) >= 0) return true;
    return false;
}
