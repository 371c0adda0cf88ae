/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

assay_code as_shared_new(const char *name, as_shared *out, assay_error *err)
{
    *out = (as_shared){.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (out->fd >= 0 && fcntl(out->fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0) return ASSAY_OK;
    assay_code code =
        as_fail(err, ASSAY_E_IO, "no shared memory for an adapter: %s", strerror(errno));
    as_shared_free(out);
    return code;
}

int as_shared_inherit(const as_shared *shared) { return fcntl(shared->fd, F_DUPFD, 3); }

static assay_code map(as_shared *shared, size_t bytes, assay_error *err)
{
    if (shared->data) munmap(shared->data, shared->bytes);
    shared->data = NULL;
    shared->bytes = 0;
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
    if (data == MAP_FAILED)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to share %zu bytes with an adapter",
                       bytes);
    shared->data = data;
    shared->bytes = bytes;
    return ASSAY_OK;
}

assay_code as_shared_grow(as_shared *shared, size_t bytes, assay_error *err)
{
    if (bytes <= shared->bytes) return ASSAY_OK;
    if (ftruncate(shared->fd, (off_t)bytes) != 0)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to share %zu bytes with an adapter: %s",
                       bytes, strerror(errno));
    return map(shared, bytes, err);
}

assay_code as_shared_map(as_shared *shared, size_t bytes, assay_error *err)
{
    struct stat facts;
    if (bytes <= shared->bytes) return ASSAY_OK;
    if (fstat(shared->fd, &facts) != 0 || facts.st_size < 0 || (size_t)facts.st_size < bytes)
        return as_fail(err, ASSAY_E_CHILD,
                       "the adapter made its output %lld bytes long, its shape needs %zu",
                       (long long)facts.st_size, bytes);
    return map(shared, (size_t)facts.st_size, err);
}

void as_shared_forget(as_shared *shared)
{
    if (shared->bytes)
        fallocate(shared->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  (off_t)shared->bytes);
}

void as_shared_free(as_shared *shared)
{
    if (shared->data) munmap(shared->data, shared->bytes);
    if (shared->fd > 0) close(shared->fd);
    *shared = (as_shared){.fd = -1};
}
