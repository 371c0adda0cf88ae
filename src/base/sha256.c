/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { DIGEST_BYTES = 32, PIECE_BYTES = 1 << 16 };

struct as_sha256 {
    EVP_MD_CTX *context; /* owns */
};

as_sha256 *as_sha256_new(void)
{
    as_sha256 *hash = as_alloc(sizeof *hash);
    if (!hash) return NULL;
    hash->context = EVP_MD_CTX_new();
    if (hash->context && EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) == 1) return hash;
    as_sha256_free(hash);
    return NULL;
}

bool as_sha256_add(as_sha256 *hash, const void *data, size_t size)
{
    return size == 0 || EVP_DigestUpdate(hash->context, data, size) == 1;
}

bool as_sha256_finish(as_sha256 *hash, char hex[AS_SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[DIGEST_BYTES];
    if (EVP_DigestFinal_ex(hash->context, digest, NULL) != 1) return false;
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * DIGEST_BYTES] = '\0';
    return true;
}

void as_sha256_free(as_sha256 *hash)
{
    if (!hash) return;
    EVP_MD_CTX_free(hash->context);
    as_free(hash);
}

bool as_sha256_is_hex(const char *text)
{
    return strlen(text) == AS_SHA256_HEX - 1 &&
           strspn(text, "0123456789abcdef") == AS_SHA256_HEX - 1;
}

assay_code as_sha256_bytes(const void *data, size_t size, char hex[AS_SHA256_HEX],
                           assay_error *err)
{
    as_sha256 *hash = as_sha256_new();
    bool done = hash && as_sha256_add(hash, data, size) && as_sha256_finish(hash, hex);
    as_sha256_free(hash);
    return done
               ? ASSAY_OK
               : as_fail(err, ASSAY_E_MEMORY, "no memory to hash %zu bytes with SHA-256", size);
}

static assay_code add_open_file(as_sha256 *hash, int fd, const char *path, assay_error *err)
{
    unsigned char piece[PIECE_BYTES];
    for (;;) {
        ssize_t got = read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return as_fail(err, ASSAY_E_IO, "%s cannot be read: %s", path, strerror(errno));
        if (got == 0) return ASSAY_OK;
        if (!as_sha256_add(hash, piece, (size_t)got))
            return as_fail(err, ASSAY_E_MEMORY, "no memory to hash %s with SHA-256", path);
    }
}

assay_code as_sha256_file(const char *path, char hex[AS_SHA256_HEX], assay_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return as_file_open_failed(path, err);
    as_sha256 *hash = as_sha256_new();
    assay_code code;
    struct stat info;
    if (!hash)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to hash %s with SHA-256", path);
    else if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        code = as_fail(err, ASSAY_E_UNSUPPORTED, "%s is not a regular file", path);
    else
        code = add_open_file(hash, fd, path, err);
    if (!code && !as_sha256_finish(hash, hex))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to hash %s with SHA-256", path);
    as_sha256_free(hash);
    close(fd);
    return code;
}
