/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "corpus/freeze_tensors.h"

/* A fresh folder with arrays for a network of two inputs, and the corpus' place in it. */
typedef struct place {
    char folder[64], corpus[80];
    char x[96], ids[96]; /* as --tensors has them */
} place;

static void write_array(const place *p, const char *name, as_npy_type type, int64_t first)
{
    char path[128];
    int64_t data[2] = {first, first + 1};
    as_npy array = {.type = type, .rank = 2, .dims = {1, 2}, .data = data, .n_elements = 2};
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    assert_int_equal(as_npy_write(path, &array, NULL), ASSAY_OK);
}

static int setup(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p) return -1;
    strcpy(p->folder, P_tmpdir "/assay-tensors-XXXXXX");
    if (!mkdtemp(p->folder)) return -1;
    snprintf(p->corpus, sizeof p->corpus, "%s/corpus", p->folder);
    snprintf(p->x, sizeof p->x, "x=%s/x*.npy", p->folder);
    snprintf(p->ids, sizeof p->ids, "ids=%s/ids*.npy", p->folder);
    for (int i = 2; i >= 0; i--) { /* written in another order than they are read */
        char name[16];
        snprintf(name, sizeof name, "x%d.npy", i);
        write_array(p, name, AS_NPY_F4, i);
        snprintf(name, sizeof name, "ids%d.npy", i);
        write_array(p, name, AS_NPY_I8, 10 * i);
    }
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    place *p = *state;
    int status = as_path_remove(p->folder, NULL);
    free(p);
    return status;
}

static assay_code freeze(const place *p, const char *a, const char *b, assay_error *err)
{
    const char *given[] = {a, b};
    as_freeze_summary summary;
    return as_corpus_freeze_tensors(given, b ? 2 : 1, p->corpus, false, NULL, &summary, err);
}

static void the_kth_files_of_all_inputs_are_one_call(void **state)
{
    const place *p = *state;
    as_corpus *corpus;
    as_npy array;
    assay_error err = {0};
    if (freeze(p, p->x, p->ids, &err)) fail_msg("%s", err.message);
    assert_int_equal(as_corpus_load(p->corpus, &corpus, &err), ASSAY_OK);
    assert_true(as_corpus_is_tensors(corpus));
    assert_int_equal(corpus->n_calls, 3);
    const as_corpus_call *call = &corpus->calls[1];
    assert_true(call->n == 2 && call->c == 1 && call->h == 1 && call->w == 1);
    assert_string_equal(corpus->regions[call->inputs[0]].tensor, "x");
    assert_string_equal(corpus->regions[call->inputs[1]].tensor, "ids");
    assert_int_equal(as_corpus_region_array(corpus, call->inputs[1], &array, &err), ASSAY_OK);
    assert_true(array.type == AS_NPY_I8 && ((const int64_t *)array.data)[0] == 10);
    as_npy_free(&array);
    as_corpus_free(corpus);
    assert_int_equal(as_corpus_verify(p->corpus, NULL, NULL, NULL, &err), ASSAY_OK);
}

static void one_flipped_bit_is_found(void **state)
{
    const place *p = *state;
    char path[160];
    assay_error err = {0};
    assert_int_equal(freeze(p, p->x, NULL, &err), ASSAY_OK);
    snprintf(path, sizeof path, "%s/regions/x0-p002-r01.npy", p->corpus);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    fputc(byte ^ 1, file);
    fclose(file);
    assert_int_equal(as_corpus_verify(p->corpus, NULL, NULL, NULL, &err), ASSAY_E_CHANGED);
    assert_non_null(strstr(err.message, "x0-p002-r01.npy is changed"));
}

static void what_is_no_input_is_told(void **state)
{
    const place *p = *state;
    char pattern[128];
    assay_error err = {0};
    assert_int_equal(freeze(p, "x", NULL, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "is not NAME=FOLDER/PATTERN"));
    assert_int_equal(freeze(p, p->x, p->x, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "input 'x' twice"));
    snprintf(pattern, sizeof pattern, "ids=%s/ids[01].npy", p->folder);
    assert_int_equal(freeze(p, p->x, pattern, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "'x' has 3 files and 'ids' 2"));
    snprintf(pattern, sizeof pattern, "x=%s/none*", p->folder);
    assert_int_equal(freeze(p, pattern, NULL, &err), ASSAY_E_NOT_FOUND);
    write_array(p, "x3.npy", AS_NPY_F8, 1);
    assert_int_equal(freeze(p, p->x, NULL, &err), ASSAY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "holds <f8, <f4, <i8, <i4 or |b1 is needed"));
    assert_false(as_file_exists(p->corpus));
}

static void failed_allocations_are_reported_and_leave_nothing(void **state)
{
    const place *p = *state;
    size_t n_failed = 0;
    for (size_t i = 1; i < 160; i++) {
        as_memory_fail_at(i);
        assay_code code = freeze(p, p->x, p->ids, NULL);
        as_memory_fail_at(0);
        if (!code) { /* one that could be done without, or none any more */
            assert_int_equal(as_path_remove(p->corpus, NULL), ASSAY_OK);
            continue;
        }
        if (code != ASSAY_E_MEMORY) fail_msg("allocation %zu: code %d", i, code);
        assert_false(as_file_exists(p->corpus));
        n_failed++;
    }
    assert_in_range(n_failed, 100, 159);
}

int main(void)
{
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_kth_files_of_all_inputs_are_one_call),
        TEST(one_flipped_bit_is_found),
        TEST(what_is_no_input_is_told),
        TEST(failed_allocations_are_reported_and_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
