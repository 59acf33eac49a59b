/*
 * here.c - see here.h. A connection to a socket or to loopback ends here, unless a pooler took it
 * and went on to a server elsewhere: then the address that the server tells decides. Without a
 * pooler that address decides nothing, since a container's differs from the one connected to.
 */
#include "collect/here.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

static bool is_empty(const char *text)
{
    return text == NULL || *text == '\0';
}

bool here_is_loopback(const char *address)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, address, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, address, &v6) != 1)
        return false;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

static bool is_same(const struct sockaddr *sockaddr, const char *address)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (sockaddr == NULL)
        return false;
    if (sockaddr->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)sockaddr)->sin_addr, text,
                  sizeof(text));
    else if (sockaddr->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)sockaddr)->sin6_addr, text,
                  sizeof(text));
    return text[0] != '\0' && strcmp(text, address) == 0;
}

bool here_is_own(const char *address)
{
    struct ifaddrs *all = NULL;
    bool own = false;
    if (getifaddrs(&all) != 0)
        return false;
    for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next)
        own = own || is_same(at->ifa_addr, address);
    freeifaddrs(all);
    return own;
}

bool here_judge(const struct here_facts *facts, bool (*is_own)(const char *address))
{
    if (facts->pooled && !is_empty(facts->server_address))
        return here_is_loopback(facts->server_address) || is_own(facts->server_address);
    if (is_empty(facts->address))
        return !is_empty(facts->host) && (facts->host[0] == '/' || facts->host[0] == '@');
    return here_is_loopback(facts->address) || is_own(facts->address);
}
