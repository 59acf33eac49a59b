/*
 * checksum.c - the SHA-256 of a file as `sha256sum -c` reads it.
 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "base/text.h"
#include "store/folder.h"

#define CHUNK_BYTES 65536

static bool digest_file(int file, EVP_MD_CTX *context)
{
    char chunk[CHUNK_BYTES];
    ssize_t got;

    while ((got = read(file, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        EVP_DigestUpdate(context, chunk, (size_t)got);
    }
    return true;
}

bool checksum_line(int folder, const char *name, const char *as, struct text *out)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    EVP_MD_CTX *context;
    bool done;

    if (file < 0)
        return false;
    errno = EIO; /* What OpenSSL's own failures are called. */
    context = EVP_MD_CTX_new();
    done = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 &&
           digest_file(file, context) && EVP_DigestFinal_ex(context, digest, &length) == 1;
    for (unsigned int i = 0; done && i < length; i++)
        text_format(out, "%02x", digest[i]);
    if (done)
        text_format(out, "  %s\n", as);
    EVP_MD_CTX_free(context);
    close(file);
    return done;
}
