/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_FUZZ_FILE_H
#define ASSAY_FUZZ_FILE_H
/* Bytes as a file that lies in memory, for readers that take a path. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/** A file of these bytes; `path` names it until the descriptor that is returned is closed. */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[64])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
