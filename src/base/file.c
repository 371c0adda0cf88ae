/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/size.h"

/* Files from here on lie in pages of their own, which need no zeroing before they are read. */
#define LARGE_BYTES ((size_t)1 << 20)

static void free_bytes(unsigned char *data, size_t size, bool is_in_pages)
{
    if (is_in_pages)
        as_free_pages(data, size + 1);
    else
        as_free(data);
}

void as_bytes_free(as_bytes *bytes)
{
    free_bytes(bytes->data, bytes->size, bytes->is_in_pages);
    *bytes = (as_bytes){0};
}

assay_code as_file_open_failed(const char *path, assay_error *err)
{
    if (!path[0]) return as_fail(err, ASSAY_E_NOT_FOUND, "a file's name is empty");
    switch (errno) {
    case ENOENT:
    case ENOTDIR:
        return as_fail(err, ASSAY_E_NOT_FOUND, "%s does not exist", path);
    case EACCES: /* the input's own faults, not the machine's */
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO: /* a socket */
        return as_fail(err, ASSAY_E_NOT_FOUND, "%s cannot be opened: %s", path,
                       strerror(errno));
    default:
        return as_fail(err, ASSAY_E_IO, "%s cannot be opened: %s", path, strerror(errno));
    }
}

static assay_code read_open_file(int fd, const char *path, size_t size, as_bytes *out,
                                 assay_error *err)
{
    bool is_large = size >= LARGE_BYTES;
    unsigned char *data = is_large ? as_alloc_pages(size + 1) : as_alloc(size + 1);
    if (!data) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu bytes of %s", size, path);
    size_t have = 0;
    while (have < size) {
        ssize_t got = read(fd, data + have, size - have);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            free_bytes(data, size, is_large);
            return as_fail(err, ASSAY_E_IO, "%s ended after %zu of %zu bytes: %s", path, have,
                           size, got < 0 ? strerror(errno) : "shortened while it was read");
        }
        have += (size_t)got;
    }
    *out = (as_bytes){.data = data, .size = size, .is_in_pages = is_large};
    return ASSAY_OK;
}

assay_code as_file_read(const char *path, size_t limit_bytes, as_bytes *out, assay_error *err)
{
    *out = (as_bytes){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return as_file_open_failed(path, err);
    assay_code code = ASSAY_OK;
    struct stat info;
    if (fstat(fd, &info) != 0)
        code = as_fail(err, ASSAY_E_IO, "%s cannot be read: %s", path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        code = as_fail(err, ASSAY_E_UNSUPPORTED, "%s is a folder, a file is needed", path);
    else if (!S_ISREG(info.st_mode))
        code = as_fail(err, ASSAY_E_UNSUPPORTED, "%s is not a regular file", path);
    else if (limit_bytes && (size_t)info.st_size > limit_bytes)
        code = as_fail(err, ASSAY_E_FORMAT, "%s has %lld bytes, at most %zu are allowed", path,
                       (long long)info.st_size, limit_bytes);
    else
        code = read_open_file(fd, path, (size_t)info.st_size, out, err);
    close(fd);
    return code;
}

static bool write_all(int fd, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

char *as_path_folder(const char *path)
{
    size_t length = (size_t)(as_path_base(path) - path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *folder = as_strdup(length ? path : ".");
    if (folder && length) folder[length] = '\0';
    return folder;
}

assay_code as_folder_sync(const char *path, assay_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* EINVAL: POSIX, of what cannot be synced */
    bool is_done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    int why = errno;
    if (fd >= 0) close(fd);
    return is_done ? ASSAY_OK
                   : as_fail(err, ASSAY_E_IO, "folder %s cannot be synced: %s", path,
                             strerror(why));
}

/* The rename is durable only once the folder itself is synced. */
static void sync_folder_of(const char *path)
{
    char *folder = as_path_folder(path);
    if (folder) as_folder_sync(folder, NULL);
    as_free(folder);
}

assay_code as_file_write(const char *path, const void *data, size_t size, assay_error *err)
{
    enum {
        NAME_MOST = 200
    }; /* bytes of the name that its neighbour's keeps; systems allow 255 */
    const char *base = as_path_base(path);
    size_t kept = (size_t)(base - path) + as_min(strlen(base), NAME_MOST);
    char *beside = as_format("%.*s.part-%ld", (int)as_min(kept, INT_MAX), path, (long)getpid());
    if (!beside) return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", path);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool done = fd >= 0 && write_all(fd, data, size) && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && done) {
        done = false;
        why = errno;
    }
    if (done && rename(beside, path) != 0) {
        done = false;
        why = errno;
    }
    if (done)
        sync_folder_of(path);
    else if (fd >= 0)
        unlink(beside);
    as_free(beside);
    return done ? ASSAY_OK
                : as_fail(err, ASSAY_E_IO, "%s cannot be written: %s", path, strerror(why));
}

bool as_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool as_file_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static assay_code make_one(const char *path, assay_error *err)
{
    if (mkdir(path, 0777) == 0) return ASSAY_OK;
    if (errno == EEXIST && as_file_is_folder(path)) return ASSAY_OK;
    if (errno == EEXIST) errno = ENOTDIR;
    return as_fail(err, ASSAY_E_IO, "folder %s cannot be made: %s", path, strerror(errno));
}

assay_code as_folder_make(const char *path, assay_error *err)
{
    char *copy = as_strdup(path);
    if (!copy) return as_fail(err, ASSAY_E_MEMORY, "no memory to make folder %s", path);
    assay_code code = ASSAY_OK;
    for (char *at = copy + 1; !code && copy[0] && *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        code = make_one(copy, err);
        *at = '/';
    }
    if (!code) code = make_one(path, err);
    as_free(copy);
    return code;
}

static bool remove_at(int folder, const char *name);

/* Takes `fd`, an open folder, over. */
static bool remove_children(int fd)
{
    DIR *folder = fdopendir(fd);
    if (!folder) close(fd);
    bool is_done = folder != NULL;
    for (struct dirent *entry; is_done && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            is_done = remove_at(fd, entry->d_name);
    if (folder) closedir(folder);
    return is_done;
}

/* Needs no memory of ours, so that what a failure has left can go when there is none. */
static bool remove_at(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT || errno == ENOTDIR) return true;
    if (errno != EISDIR && errno != EPERM) return false; /* EPERM: POSIX, of a folder */
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd >= 0 && remove_children(fd) && unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

assay_code as_path_remove(const char *path, assay_error *err)
{
    if (remove_at(AT_FDCWD, path)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_IO, "%s cannot be removed: %s", path, strerror(errno));
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(as_names *names, size_t *room, const char *name)
{
    char **grown = as_grow(names->items, names->n, room, sizeof *names->items);
    if (!grown) return false;
    names->items = grown;
    names->items[names->n] = as_strdup(name);
    return names->items[names->n++] != NULL;
}

assay_code as_folder_list(const char *path, as_names *out, assay_error *err)
{
    *out = (as_names){0};
    DIR *folder = opendir(path);
    if (!folder) return as_file_open_failed(path, err);
    assay_code code = ASSAY_OK;
    size_t room = 0;
    for (struct dirent *entry; !code && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (!add_name(out, &room, entry->d_name))
            code = as_fail(err, ASSAY_E_MEMORY, "no memory to list %s", path);
    }
    closedir(folder);
    if (code)
        as_names_free(out);
    else if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_bytes);
    return code;
}

void as_names_free(as_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        as_free(names->items[i]);
    as_free(names->items);
    *names = (as_names){0};
}

const char *as_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
