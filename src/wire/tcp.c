/*
 * tcp.c - what the kernel knows of a connection's way to the peer.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

#include "wire/wire_private.h"

/* An older kernel fills less of the struct. */
static bool has(socklen_t size, size_t offset)
{
    return size >= offset + sizeof(__u32);
}

bool wire_tcp(const struct wire *wire, struct wire_tcp *tcp)
{
    struct tcp_info info = { 0 };
    socklen_t size = sizeof info;

    if (getsockopt(wire->fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        !has(size, offsetof(struct tcp_info, tcpi_total_retrans)))
        return false;
    tcp->rtt_us = info.tcpi_rtt;
    tcp->retransmits = info.tcpi_total_retrans;
    tcp->min_rtt_us =
        has(size, offsetof(struct tcp_info, tcpi_min_rtt)) ? (int64_t)info.tcpi_min_rtt : -1;
    return true;
}
