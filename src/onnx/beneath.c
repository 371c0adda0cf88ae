/* SPDX-License-Identifier: Apache-2.0 */
/* Source: openat2(2) and path_resolution(7) of the Linux manual pages. */
#include "onnx/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A pipe or a device must not be waited for, a terminal not be taken. */
#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static bool has_dot_dot(const char *name)
{
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) return true;
    }
    return false;
}

static assay_code check_name(const char *name, assay_error *err)
{
    if (!name[0]) return as_fail(err, ASSAY_E_FORMAT, "the name of its external data is empty");
    if (name[0] == '/')
        return as_fail(err, ASSAY_E_FORMAT,
                       "absolute external data path '%s', it must lie beside the model", name);
    if (has_dot_dot(name))
        return as_fail(err, ASSAY_E_FORMAT,
                       "external data path '%s' leaves the model directory by '..'", name);
    if (strlen(name) >= PATH_MAX)
        return as_fail(err, ASSAY_E_FORMAT, "external data path has %zu bytes, %d is the most",
                       strlen(name), PATH_MAX - 1);
    return ASSAY_OK;
}

/* What errno says of opening `name`. */
static assay_code open_failed(const char *name, assay_error *err)
{
    switch (errno) {
    case ELOOP:
    case EXDEV:
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "external data '%s' is reached by a symbolic link, files alone are read",
                       name);
    case ENXIO:
        return as_fail(err, ASSAY_E_UNSUPPORTED, "external data '%s' is not a regular file",
                       name);
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
        return as_fail(err, ASSAY_E_NOT_FOUND, "external data '%s' cannot be opened: %s", name,
                       strerror(errno));
    default:
        return as_fail(err, ASSAY_E_IO, "external data '%s' cannot be opened: %s", name,
                       strerror(errno));
    }
}

/* The file at `fd`, which is closed when it is refused. */
static assay_code accept_file(int fd, const char *name, as_beneath *out, assay_error *err)
{
    struct stat info;
    assay_code code = ASSAY_OK;
    if (fstat(fd, &info) != 0)
        code = as_fail(err, ASSAY_E_IO, "external data '%s' cannot be read: %s", name,
                       strerror(errno));
    else if (!S_ISREG(info.st_mode))
        code =
            as_fail(err, ASSAY_E_UNSUPPORTED, "external data '%s' is not a regular file", name);
    else if (info.st_nlink != 1)
        code =
            as_fail(err, ASSAY_E_UNSUPPORTED,
                    "external data '%s' is a hard link, one of %ju to its file, it must be the "
                    "only one",
                    name, (uintmax_t)info.st_nlink);
    if (code) {
        close(fd);
        return code;
    }
    *out = (as_beneath){.fd = fd,
                        .size_bytes = (uint64_t)info.st_size,
                        .device = info.st_dev,
                        .inode = info.st_ino};
    return ASSAY_OK;
}

static assay_code open_folder(const char *folder, int *fd, assay_error *err)
{
    *fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return *fd < 0 ? as_fail(err, ASSAY_E_IO, "the folder %s cannot be opened: %s", folder,
                             strerror(errno))
                   : ASSAY_OK;
}

/*
 * Open the component of `length` bytes at `name` in `folder`.  @return -1, with errno ELOOP where it
 * is a symbolic link.
 */
static int open_component(int folder, const char *name, size_t length, int flags)
{
    char component[NAME_MAX + 1];
    if (length >= sizeof component) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(component, name, length);
    component[length] = '\0';
    int fd = openat(folder, component, flags | O_NOFOLLOW | O_CLOEXEC);
    int why = errno;
    struct stat info;
    if (fd < 0 && why == ENOTDIR &&
        fstatat(folder, component, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
        why = ELOOP;
    errno = why;
    return fd;
}

/* Down from `folder`, which is closed; the file, or -1 with errno. */
static int walk_down(int folder, const char *name)
{
    while (folder >= 0) {
        size_t length = strcspn(name, "/");
        size_t gap = strspn(name + length, "/");
        bool is_last = name[length + gap] == '\0';
        int flags = is_last && gap == 0 ? FLAGS : O_PATH | O_DIRECTORY;
        int next = open_component(folder, name, length, flags);
        int why = errno;
        close(folder);
        errno = why;
        if (is_last) return next;
        folder = next;
        name += length + gap;
    }
    return -1;
}

assay_code as_beneath_walk(const char *folder, const char *name, as_beneath *out,
                           assay_error *err)
{
    int at;
    assay_code code = check_name(name, err);
    if (!code) code = open_folder(folder, &at, err);
    if (code) return code;
    int fd = walk_down(at, name);
    return fd < 0 ? open_failed(name, err) : accept_file(fd, name, out, err);
}

assay_code as_beneath_open(const char *folder, const char *name, as_beneath *out,
                           assay_error *err)
{
    int at;
    assay_code code = check_name(name, err);
    if (!code) code = open_folder(folder, &at, err);
    if (code) return code;
    struct open_how how = {.flags = FLAGS,
                           .resolve =
                               RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    long fd = syscall(SYS_openat2, at, name, &how, sizeof how);
    int why = errno;
    close(at);
    errno = why;
    if (fd >= 0) return accept_file((int)fd, name, out, err);
    /* Old kernels do not know it, and old sandboxes forbid what they do not know. */
    bool is_missing = why == ENOSYS || why == EPERM || why == EINVAL || why == EAGAIN;
    return is_missing ? as_beneath_walk(folder, name, out, err) : open_failed(name, err);
}
