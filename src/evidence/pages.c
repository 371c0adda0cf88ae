/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer is a "VFS" of SQLite's: its own one with another way to open files, and files whose
 * write puts the sum in.  It belongs to one connection.  What SQLite asks of a file that is not the
 * database itself (journals, temporary files) goes straight to the system's.
 */
#include "evidence/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"

/* A layer and the name under which SQLite knows it. */
typedef struct layer {
    sqlite3_vfs vfs; /* first: SQLite sees this; pAppData is the system's */
    char name[32];
} layer;

/* A database file; the system's own file object lies behind it. */
typedef struct page_file {
    sqlite3_file seen; /* first: SQLite sees this */
    bool has_sums;     /* as the header says */
} page_file;

/* Where page 1 says how many bytes SQLite leaves at the end of every page (file format, 1.3). */
enum { RESERVED_AT = 20 };

static sqlite3_file *inner(sqlite3_file *file)
{
    return (sqlite3_file *)((page_file *)file + 1);
}

static sqlite3_vfs *system_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

/*
 * FNV-1a over words of eight bytes (Fowler, Noll and Vo's offset basis and prime of 64 bits).  Each
 * step maps different values to different ones, so one word that changed always changes the sum.
 */
static uint64_t sum_of(const unsigned char *page, int64_t number)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)number;
    for (size_t at = 0; at < AS_PAGE_BYTES - AS_PAGE_SUM_BYTES; at += 8) {
        uint64_t word = 0;
        for (int i = 7; i >= 0; i--)
            word = word << 8 | page[at + (size_t)i];
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
    }
    return sum;
}

static void put_sum(unsigned char *page, int64_t number)
{
    uint64_t sum = sum_of(page, number);
    for (int i = 0; i < AS_PAGE_SUM_BYTES; i++)
        page[AS_PAGE_BYTES - AS_PAGE_SUM_BYTES + i] = (unsigned char)(sum >> (8 * i));
}

static bool has_sum(const unsigned char *page, int64_t number)
{
    unsigned char whole[AS_PAGE_BYTES];
    memcpy(whole, page, sizeof whole);
    put_sum(whole, number);
    return memcmp(whole, page, sizeof whole) == 0;
}

/* Page 1 passes by: note what it says of the others. */
static void look_at_header(page_file *file, const unsigned char *bytes, int n, sqlite3_int64 at)
{
    if (at == 0 && n > RESERVED_AT) file->has_sums = bytes[RESERVED_AT] == AS_PAGE_SUM_BYTES;
}

static int read_bytes(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    int status = inner(file)->pMethods->xRead(inner(file), bytes, n, at);
    if (status == SQLITE_OK) look_at_header((page_file *)file, bytes, n, at);
    return status;
}

static int write_bytes(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    unsigned char page[AS_PAGE_BYTES];
    look_at_header((page_file *)file, bytes, n, at);
    if (((page_file *)file)->has_sums && n == AS_PAGE_BYTES && at % AS_PAGE_BYTES == 0) {
        memcpy(page, bytes, sizeof page);
        put_sum(page, at / AS_PAGE_BYTES + 1);
        bytes = page;
    }
    return inner(file)->pMethods->xWrite(inner(file), bytes, n, at);
}

static int close_file(sqlite3_file *file) { return inner(file)->pMethods->xClose(inner(file)); }

static int cut(sqlite3_file *file, sqlite3_int64 size)
{
    return inner(file)->pMethods->xTruncate(inner(file), size);
}

static int sync_file(sqlite3_file *file, int flags)
{
    return inner(file)->pMethods->xSync(inner(file), flags);
}

static int size_of(sqlite3_file *file, sqlite3_int64 *size)
{
    return inner(file)->pMethods->xFileSize(inner(file), size);
}

static int lock(sqlite3_file *file, int level)
{
    return inner(file)->pMethods->xLock(inner(file), level);
}

static int unlock(sqlite3_file *file, int level)
{
    return inner(file)->pMethods->xUnlock(inner(file), level);
}

static int is_reserved(sqlite3_file *file, int *out)
{
    return inner(file)->pMethods->xCheckReservedLock(inner(file), out);
}

static int control(sqlite3_file *file, int what, void *value)
{
    return inner(file)->pMethods->xFileControl(inner(file), what, value);
}

static int sector_bytes(sqlite3_file *file)
{
    return inner(file)->pMethods->xSectorSize(inner(file));
}

static int traits(sqlite3_file *file)
{
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

/* Version 1: neither shared memory nor mapped pages, which would go past the sums. */
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_bytes,
    .xWrite = write_bytes,
    .xTruncate = cut,
    .xSync = sync_file,
    .xFileSize = size_of,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = is_reserved,
    .xFileControl = control,
    .xSectorSize = sector_bytes,
    .xDeviceCharacteristics = traits,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *how)
{
    sqlite3_vfs *system = system_of(vfs);
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return system->xOpen(system, name, file, flags, how);
    *(page_file *)file = (page_file){0};
    int status = system->xOpen(system, name, inner(file), flags, how);
    if (inner(file)->pMethods) file->pMethods = &methods;
    return status;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    return system_of(vfs)->xDelete(system_of(vfs), name, sync);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    return system_of(vfs)->xAccess(system_of(vfs), name, flags, out);
}

static int full_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
    return system_of(vfs)->xFullPathname(system_of(vfs), name, room, out);
}

static int randomness(sqlite3_vfs *vfs, int n, char *out)
{
    return system_of(vfs)->xRandomness(system_of(vfs), n, out);
}

static int wait_us(sqlite3_vfs *vfs, int microseconds)
{
    return system_of(vfs)->xSleep(system_of(vfs), microseconds);
}

static int last_error(sqlite3_vfs *vfs, int room, char *out)
{
    return system_of(vfs)->xGetLastError(system_of(vfs), room, out);
}

static int time_now(sqlite3_vfs *vfs, double *out)
{
    return system_of(vfs)->xCurrentTime(system_of(vfs), out);
}

static layer *new_layer(void)
{
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    layer *l = system ? as_alloc(sizeof *l) : NULL;
    if (!l) return NULL;
    snprintf(l->name, sizeof l->name, "assay-%p", (void *)l);
    l->vfs = (sqlite3_vfs){.iVersion = 1,
                           .szOsFile = (int)sizeof(page_file) + system->szOsFile,
                           .mxPathname = system->mxPathname,
                           .zName = l->name,
                           .pAppData = system,
                           .xOpen = open_file,
                           .xDelete = delete_file,
                           .xAccess = access_file,
                           .xFullPathname = full_name,
                           .xRandomness = randomness,
                           .xSleep = wait_us,
                           .xCurrentTime = time_now,
                           .xGetLastError = last_error};
    return l;
}

static void free_layer(layer *l)
{
    sqlite3_vfs_unregister(&l->vfs);
    as_free(l);
}

int as_pages_open(const char *path, int flags, sqlite3 **out)
{
    *out = NULL;
    int status = sqlite3_initialize();
    layer *l = status == SQLITE_OK ? new_layer() : NULL;
    if (!l) return SQLITE_NOMEM;
    status = sqlite3_vfs_register(&l->vfs, 0);
    if (status == SQLITE_OK) status = sqlite3_open_v2(path, out, flags, l->name);
    if (!*out) free_layer(l);
    return status;
}

int as_pages_close(sqlite3 *database)
{
    sqlite3_vfs *vfs = NULL;
    if (!database) return SQLITE_OK;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
    int status = sqlite3_close(database);
    if (status == SQLITE_OK && vfs) free_layer((layer *)vfs);
    return status;
}

int as_pages_prepare(sqlite3 *database)
{
    int n = AS_PAGE_SUM_BYTES;
    int status = sqlite3_exec(database, "PRAGMA page_size = 4096", NULL, NULL, NULL);
    return status != SQLITE_OK
               ? status
               : sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &n);
}

static assay_code damaged(const char *path, int64_t page, int64_t n_pages, assay_error *err)
{
    return as_fail(err, ASSAY_E_FORMAT,
                   "%s is damaged: page %lld of %lld is not as it was written", path,
                   (long long)page, (long long)n_pages);
}

/* Pages that are read at a time. */
enum { AT_ONCE = 64 };

static assay_code check_pages(sqlite3_file *file, const char *path, unsigned char *bytes,
                              assay_error *err)
{
    sqlite3_int64 size = 0;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK)
        return as_fail(err, ASSAY_E_IO, "%s cannot be read", path);
    int64_t n_pages = (size + AS_PAGE_BYTES - 1) / AS_PAGE_BYTES;
    if (size % AS_PAGE_BYTES != 0) return damaged(path, n_pages, n_pages, err);
    for (int64_t first = 0; first < n_pages; first += AT_ONCE) {
        int64_t n = n_pages - first < AT_ONCE ? n_pages - first : AT_ONCE;
        int status =
            file->pMethods->xRead(file, bytes, (int)n * AS_PAGE_BYTES, first * AS_PAGE_BYTES);
        if (status != SQLITE_OK) return as_fail(err, ASSAY_E_IO, "%s cannot be read", path);
        if (!((page_file *)file)->has_sums) return damaged(path, 1, n_pages, err);
        for (int64_t i = 0; i < n; i++)
            if (!has_sum(bytes + i * AS_PAGE_BYTES, first + i + 1))
                return damaged(path, first + i + 1, n_pages, err);
    }
    return ASSAY_OK;
}

assay_code as_pages_check(sqlite3 *database, const char *path, assay_error *err)
{
    sqlite3_file *file = NULL;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    unsigned char *bytes = as_alloc_array(AT_ONCE, AS_PAGE_BYTES);
    if (!bytes) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", path);
    assay_code code = check_pages(file, path, bytes, err);
    as_free(bytes);
    return code;
}
