/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that is full from the n-th write on, for every n: what was stored stays, what was being stored
 * is not there, and when there is room again the same writer goes on.  Between SQLite and the system
 * stands a layer that counts writes to every file, journals and temporary files too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/file.h"
#include "evidence/evidence.h"
#include "evidence/writer.h"

enum { N_CALLS = 40, N_SAMPLES = 2000 };

enum { N_KINDS = 4 };

/* The disk: writes so far, and the first one that fails (0: none).  The system's files are of kinds,
 * by how they are locked; each has its methods, of which `counted` is a copy with another write. */
static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
    const sqlite3_io_methods *kinds[N_KINDS];
    sqlite3_io_methods counted[N_KINDS];
    long n_writes, full_from;
    bool is_broken; /* what is in the files cannot be written over either */
} disk;

static int counted_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    const sqlite3_io_methods *system = disk.kinds[file->pMethods - disk.counted];
    sqlite3_int64 size = 0;
    system->xFileSize(file, &size);
    disk.n_writes++;
    if (disk.full_from > 0 && disk.n_writes >= disk.full_from &&
        (disk.is_broken || at + n > size))
        return SQLITE_FULL;
    return system->xWrite(file, bytes, n, at);
}

static int counted_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *how)
{
    (void)vfs;
    int status = disk.system->xOpen(disk.system, name, file, flags, how);
    if (status != SQLITE_OK || !file->pMethods) return status;
    size_t kind = 0;
    while (kind < N_KINDS && disk.kinds[kind] && disk.kinds[kind] != file->pMethods)
        kind++;
    assert_true(kind < N_KINDS);
    disk.kinds[kind] = file->pMethods;
    disk.counted[kind] = *file->pMethods;
    disk.counted[kind].xWrite = counted_write;
    file->pMethods = &disk.counted[kind];
    return status;
}

static int insert_disk(void **state)
{
    (void)state;
    disk.system = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.system;
    disk.vfs.zName = "counted";
    disk.vfs.pNext = NULL;
    disk.vfs.xOpen = counted_open;
    return sqlite3_vfs_register(&disk.vfs, 1);
}

static const as_policy_row policies[] = {{"base", "base=native", "native"}};
static const as_order_row orders[] = {{0, 0, 0}, {1, 0, 0}};
static const as_document_row documents[] = {{"a.pdf", "aa"}};
static const as_input_row inputs[] = {{.id = "r1",
                                       .file = "r1.png",
                                       .sha256 = "1",
                                       .page = 1,
                                       .width_px = 9,
                                       .height_px = 9,
                                       .network_h = 32,
                                       .network_w = 32,
                                       .limit_type = "max"}};
static const int members[] = {0};

static as_evidence_plan make_plan(as_call_row calls[N_CALLS], char names[N_CALLS][8])
{
    for (int i = 0; i < N_CALLS; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        calls[i] = (as_call_row){names[i], 0, {1, 3, 32, 32}, members};
    }
    return (as_evidence_plan){.run = {.assay_version = "0", .order = "latin", .n_rounds = 2},
                              .policies = policies,
                              .n_policies = 1,
                              .orders = orders,
                              .n_orders = 2,
                              .documents = documents,
                              .n_documents = 1,
                              .inputs = inputs,
                              .n_inputs = 1,
                              .calls = calls,
                              .n_calls = N_CALLS};
}

/* A slot that is larger than SQLite's caches, so that it writes before it commits. */
static assay_code add_slot(as_evidence_writer *writer, int round, assay_error *err)
{
    static const as_evidence_shape piece = {1, 3, 32, 32};
    static as_sample_row samples[N_SAMPLES];
    static char sha256[700];
    memset(sha256, 'f', sizeof sha256 - 1);
    for (int i = 0; i < N_SAMPLES; i++)
        samples[i] = (as_sample_row){.cycle = i / N_CALLS,
                                     .call = i % N_CALLS,
                                     .shape = piece,
                                     .n_pieces = 1,
                                     .pieces = &piece,
                                     .map_sha256 = sha256};
    const as_slot_answer answer = {.cycle = 0, .input = 0};
    as_slot_record record = {.slot = {.phase = AS_PHASE_FORMAL,
                                      .round = round,
                                      .state = AS_SLOT_FINISHED,
                                      .started = "now"},
                             .samples = samples,
                             .n_samples = N_SAMPLES,
                             .answers = &answer,
                             .n_answers = 1};
    return as_evidence_add_slot(writer, &record, err);
}

/* What the evidence holds, by a reader of its own. */
static void assert_slots(const char *path, size_t n_expected)
{
    as_evidence *e;
    const as_slot_row *slots;
    size_t n;
    assay_error err = {0};
    if (as_evidence_open(path, &e, &err)) fail_msg("%s", err.message);
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    assert_int_equal(n, n_expected);
    assert_int_equal(as_evidence_count_samples(e), n_expected * N_SAMPLES);
    as_evidence_close(e);
}

static void assert_said(assay_code code, const assay_error *err, const char *path)
{
    assert_int_equal(code, ASSAY_E_IO);
    if (!strstr(err->message, path) || !strstr(err->message, "full"))
        fail_msg("'%s' names no file or no reason", err->message);
}

/* Fill the disk at the n-th write of the second slot. @return whether it failed there.  Where the disk is
 * broken, SQLite cannot roll back before it can write again. */
static bool fill_at(long n, const char *path)
{
    as_call_row calls[N_CALLS];
    char names[N_CALLS][8];
    as_evidence_plan plan = make_plan(calls, names);
    as_evidence_writer *writer;
    assay_error err = {0};
    disk.full_from = 0;
    assert_int_equal(as_evidence_create(path, &plan, &writer, &err), ASSAY_OK);
    assert_int_equal(add_slot(writer, 0, &err), ASSAY_OK);
    disk.full_from = disk.n_writes + n;
    assay_code code = add_slot(writer, 1, &err);
    bool has_failed = code != ASSAY_OK;
    disk.full_from = 0;
    if (has_failed) {
        assert_said(code, &err, path);
        if (!disk.is_broken) assert_slots(path, 1);
        err = (assay_error){0};
        if (add_slot(writer, 1, &err)) fail_msg("with room again: %s", err.message);
    }
    assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
    assert_slots(path, 2);
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
    return has_failed;
}

/* In memory where there is such a folder, since every slot is synced. */
static void make_folder(char folder[64], char path[96])
{
    snprintf(folder, 64, "%s/assay-full-XXXXXX",
             as_file_is_folder("/dev/shm") ? "/dev/shm" : P_tmpdir);
    assert_non_null(mkdtemp(folder));
    snprintf(path, 96, "%s/%s", folder, AS_EVIDENCE_FILE);
}

/* Fill it at many writes. @return at how many. */
static long fill_everywhere(void)
{
    char folder[64], path[96];
    make_folder(folder, path);
    long n = 1, n_failed = 0;
    for (bool has_failed = true; has_failed; n += n < 40 ? 1 : 23) {
        has_failed = fill_at(n, path);
        n_failed += has_failed;
    }
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
    return n_failed;
}

static void a_disk_full_at_any_write_loses_no_slot(void **state)
{
    (void)state;
    disk.is_broken = false;
    long n = fill_everywhere();
    print_message("the disk was full at %ld writes\n", n);
    assert_true(n > 40);
}

static void a_disk_that_takes_nothing_from_any_write_on_loses_no_slot(void **state)
{
    (void)state;
    disk.is_broken = true;
    long n = fill_everywhere();
    disk.is_broken = false;
    print_message("the disk took nothing from %ld writes on\n", n);
    assert_true(n > 40);
}

static void a_disk_full_at_the_beginning_leaves_no_database(void **state)
{
    (void)state;
    char folder[64], path[96];
    as_call_row calls[N_CALLS];
    char names[N_CALLS][8];
    as_evidence_plan plan = make_plan(calls, names);
    make_folder(folder, path);
    assay_code code = ASSAY_E_IO;
    for (long n = 1; code; n++) {
        as_evidence_writer *writer = NULL;
        assay_error err = {0};
        disk.full_from = disk.n_writes + n;
        code = as_evidence_create(path, &plan, &writer, &err);
        disk.full_from = 0;
        as_names left;
        assert_int_equal(as_folder_list(folder, &left, NULL), ASSAY_OK);
        assert_int_equal(left.n, code ? 0 : 1);
        as_names_free(&left);
        if (code) assert_said(code, &err, path);
        as_evidence_writer_close(writer, NULL);
    }
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_full_at_any_write_loses_no_slot),
        cmocka_unit_test(a_disk_that_takes_nothing_from_any_write_on_loses_no_slot),
        cmocka_unit_test(a_disk_full_at_the_beginning_leaves_no_database),
    };
    return cmocka_run_group_tests_name("full", tests, insert_disk, NULL);
}
