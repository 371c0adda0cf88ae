/* SPDX-License-Identifier: Apache-2.0 */
/* A whole search of three small structures on the digits: whole, stopped, killed and spoilt. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "evidence/writer.h"
#include "report/search_files.h"
#include "search/structures.h"
#include "search/test_part.h"

/* %s: the file of the digits, %d: epochs. */
static const char space_text[] =
    "{\"schema\": 1, \"name\": \"few\", \"seed\": 7, \"seeds\": 2, \"baseline\": \"plain\","
    " \"data\": {\"format\": \"csv\", \"file\": \"%s\", \"shape\": [1, 8, 8], \"classes\": 10,"
    " \"scale\": 16}, \"split\": [0.6, 0.2, 0.2],"
    " \"training\": {\"optimiser\": \"adam\", \"rate\": 0.003, \"epochs\": %d, \"batch\": 64},"
    " \"structures\": ["
    "{\"name\": \"plain\", \"layers\": [{\"layer\": \"standard\", \"width\": 4},"
    " {\"layer\": \"relu\"}, {\"layer\": \"average_pool\", \"size\": 4}, {\"layer\": "
    "\"linear\"}]},"
    "{\"name\": \"split\", \"kind\": \"dw_pw\", \"layers\": [{\"layer\": \"standard\", "
    "\"width\": 4},"
    " {\"layer\": \"relu\"}, {\"layer\": \"dw_pw\", \"width\": 8, \"batchnorm\": true},"
    " {\"layer\": \"relu\"}, {\"layer\": \"max_pool\", \"size\": 4}, {\"layer\": \"linear\"}]},"
    "{\"name\": \"wild\", \"seeds\": 1, \"training\": {\"optimiser\": \"sgd\", \"rate\": "
    "1000000, \"weight_decay\": 1000},"
    " \"layers\": [{\"layer\": \"linear\", \"width\": 32}, {\"layer\": \"relu\"},"
    " {\"layer\": \"linear\"}]}]}";
enum { N_STRUCTURES = 3, N_TRAININGS = 5 };

/* Files that hold no time; those of a search that was stopped are those of one that was not. */
static const char *const timeless[] = {"plain.onnx", "split.onnx", "split-manifest.json",
                                       "training-epochs.csv"};

static char root[] = P_tmpdir "/assay-structures-XXXXXX";
static char *space_path, *whole;

static char *join(const char *name)
{
    char *path = as_path_join(root, name);
    assert_non_null(path);
    return path;
}

static as_search_options options_of(const char *folder)
{
    as_search_options o = as_search_defaults();
    o.space = space_path;
    o.folder = folder;
    o.n_slots = 0; /* they would start this test's own program */
    o.protocol.n_warm_up = 1;
    o.protocol.n_rounds = 2;
    o.protocol.n_repeats = 6;
    return o;
}

static void create(const as_search_options *o)
{
    assay_error err = {0};
    if (as_search_create(o, &err)) fail_msg("%s: %s", err.where, err.message);
}

static void go(const as_search_options *o)
{
    assay_error err = {0};
    if (as_search_run(o, &err)) fail_msg("%s: %s", err.where, err.message);
}

static as_search_report *report_of(const char *folder)
{
    as_search_report *r;
    assay_error err = {0};
    if (as_search_report_open(folder, &r, &err)) fail_msg("%s: %s", err.where, err.message);
    return r;
}

static as_bytes file_of(const char *folder, const char *name)
{
    as_bytes bytes;
    char *path = as_path_join(folder, name);
    if (as_file_read(path, 0, &bytes, NULL)) fail_msg("%s cannot be read", path);
    as_free(path);
    return bytes;
}

static void assert_same_file(const char *folder, const char *name)
{
    as_bytes here = file_of(folder, name), there = file_of(whole, name);
    if (here.size != there.size || memcmp(here.data, there.data, here.size) != 0)
        fail_msg("%s of %s is not that of the whole search", name, folder);
    as_bytes_free(&here);
    as_bytes_free(&there);
}

/* All that a search that ended has, whatever happened on its way. */
static void assert_whole(const char *folder)
{
    as_search_report *r = report_of(folder);
    assert_int_equal(r->n_structures, N_STRUCTURES);
    assert_int_equal(r->n_trainings, N_TRAININGS);
    assert_int_equal(r->n_scores, N_TRAININGS - 1); /* all but the wild one */
    assert_int_equal(r->candidates.n_samples, (N_STRUCTURES - 1) * 2 * 6);
    assert_true(r->operators.n_ops > 0 && r->has_selection);
    as_search_report_close(r);
    for (size_t i = 0; i < AS_COUNT_OF(timeless); i++)
        assert_same_file(folder, timeless[i]);
}

static int setup(void **state)
{
    char text[sizeof space_text + 4096];
    char *digits = realpath("../data/digits.csv", NULL);
    (void)state;
    assert_non_null(mkdtemp(root));
    assert_non_null(digits);
    snprintf(text, sizeof text, space_text, digits, 2);
    free(digits);
    space_path = join("few.json");
    assert_int_equal(as_file_write(space_path, text, strlen(text), NULL), ASSAY_OK);
    whole = join("whole");
    const as_search_options o = options_of(whole);
    create(&o);
    go(&o);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    as_free(space_path);
    as_free(whole);
    return as_path_remove(root, NULL) ? -1 : 0;
}

static void every_structure_is_trained_timed_and_tested(void **state)
{
    (void)state;
    as_search_report *r = report_of(whole);
    assert_whole(whole);
    assert_true(r->rows[0].validation_accuracy > 0.15); /* of ten classes, after two epochs */
    assert_true(r->rows[1].validation_accuracy > 0.15);
    assert_true(r->rows[0].test_accuracy > 0.15 && r->rows[1].test_accuracy > 0.15);
    assert_true(r->rows[1].is_separable && !r->rows[0].is_separable);
    assert_true(r->trainings[0].seed == 7 && r->trainings[1].seed == 8);
    as_search_report_close(r);
}

static void what_diverges_is_never_chosen_and_ends_nothing_else(void **state)
{
    (void)state;
    as_search_report *r = report_of(whole);
    const as_training_row *wild = &r->trainings[N_TRAININGS - 1];
    char *model = as_path_join(whole, "wild.onnx");
    assert_int_equal(wild->structure, 2);
    assert_true(wild->diverged_epoch > 0);
    assert_true(!r->choice->scored[2].trained && !r->choice->is_front[2]);
    assert_int_not_equal(access(model, F_OK), 0);
    as_free(model);
    as_search_report_close(r);
}

static void a_search_writes_its_files_again_to_the_byte(void **state)
{
    static const char *const files[] = {
        "candidate-results.csv",   "candidate-latency-samples.csv",
        "selection.json",          "environment.json",
        "benchmark-protocol.json", "operator-costs.csv",
        "operator-timings.csv",    "training-epochs.csv"};
    as_bytes before[AS_COUNT_OF(files)];
    assay_error err = {0};
    (void)state;
    for (size_t i = 0; i < AS_COUNT_OF(files); i++) {
        char *path = as_path_join(whole, files[i]);
        before[i] = file_of(whole, files[i]);
        assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
        as_free(path);
    }
    as_search_report *r = report_of(whole);
    if (as_search_files_write(r, &err)) fail_msg("%s", err.message);
    as_search_report_close(r);
    for (size_t i = 0; i < AS_COUNT_OF(files); i++) {
        as_bytes after = file_of(whole, files[i]);
        assert_int_equal(before[i].size, after.size);
        assert_memory_equal(before[i].data, after.data, after.size);
        as_bytes_free(&before[i]);
        as_bytes_free(&after);
    }
}

static void threads_change_no_bit(void **state)
{
    char *folder = join("threads");
    (void)state;
    as_search_options o = options_of(folder);
    o.n_threads = 3;
    create(&o);
    go(&o);
    assert_whole(folder);
    as_free(folder);
}

/* ---- test samples stay closed ---- */

static void the_test_part_opens_for_the_selection_alone(void **state)
{
    static const char text[] = "{}\n";
    size_t *ids = as_alloc_array(2, sizeof *ids);
    as_split split = {.test = ids, .n_test = 2};
    char *path = join("a-selection.json"), sha256[AS_SHA256_HEX];
    const size_t *opened;
    size_t n;
    assay_error err = {0};
    (void)state;
    as_test_part *part = as_test_part_take(&split);
    assert_non_null(part);
    assert_true(split.test == NULL && split.n_test == 0);
    assert_int_equal(as_test_part_open(part, path, NULL, &opened, &n, &err), ASSAY_E_ARGUMENT);
    assert_int_equal(as_test_part_open(part, path, "", &opened, &n, &err), ASSAY_E_ARGUMENT);
    assert_int_equal(as_sha256_bytes(text, sizeof text - 1, sha256, NULL), ASSAY_OK);
    assert_int_equal(as_test_part_open(part, path, sha256, &opened, &n, &err),
                     ASSAY_E_NOT_FOUND);
    assert_int_equal(as_file_write(path, "[]\n", 3, NULL), ASSAY_OK);
    assert_int_equal(as_test_part_open(part, path, sha256, &opened, &n, &err), ASSAY_E_CHANGED);
    assert_null(opened);
    assert_int_equal(as_file_write(path, text, sizeof text - 1, NULL), ASSAY_OK);
    assert_int_equal(as_test_part_open(part, path, sha256, &opened, &n, &err), ASSAY_OK);
    assert_int_equal(n, 2);
    as_test_part_free(part);
    as_free(path);
}

/* Asks until the search stops, and how often it was asked. */
typedef struct asking {
    size_t n_asked, at;
} asking;

static bool stop_at(void *context)
{
    asking *a = context;
    return ++a->n_asked >= a->at;
}

static assay_code run_until(as_search_options *o, asking *a)
{
    assay_error err = {0};
    o->stop = stop_at;
    o->stop_context = a;
    return as_search_run(o, &err);
}

/* Stops behind the first training. */
static void note_step(void *context, size_t n_done, const char *detail)
{
    (void)detail;
    if (n_done > 0) ((asking *)context)->at = 0;
}

static void before_the_selection_the_database_takes_no_score(void **state)
{
    const as_test_score_row score = {.training = 0, .loss = 1, .accuracy = 1};
    const as_row_batch batch = {AS_TABLE_TEST_SCORES, &score, 1};
    as_evidence_writer *writer;
    asking soon = {0, SIZE_MAX};
    char *folder = join("closed");
    (void)state;
    as_search_options o = options_of(folder);
    o.watch = (as_search_watch){.context = &soon, .step = note_step};
    create(&o);
    assert_int_equal(run_until(&o, &soon), ASSAY_E_INTERRUPTED);
    as_search_report *r = report_of(folder);
    assert_true(r->n_trainings > 0 && !r->has_selection && r->n_scores == 0);
    as_search_report_close(r);
    char *path = as_path_join(folder, AS_EVIDENCE_FILE);
    assert_int_equal(as_evidence_continue(path, &writer, NULL), ASSAY_OK);
    assert_int_not_equal(as_evidence_add_rows(writer, &batch, 1, NULL), ASSAY_OK);
    as_evidence_writer_close(writer, NULL);
    as_free(path);
    as_free(folder);
}

static bool stop_behind_selection(void *context) { return access(context, F_OK) == 0; }

static void a_selection_that_was_changed_keeps_the_test_samples_closed(void **state)
{
    char *folder = join("changed"), *selection = as_path_join(folder, "selection.json");
    assay_error err = {0};
    (void)state;
    as_search_options o = options_of(folder);
    o.stop = stop_behind_selection;
    o.stop_context = selection;
    create(&o);
    assert_int_equal(as_search_run(&o, &err), ASSAY_E_INTERRUPTED);
    assert_int_equal(as_file_write(selection, "{}\n", 3, NULL), ASSAY_OK);
    o.stop = NULL;
    if (as_search_run(&o, &err) != ASSAY_E_CHANGED) fail_msg("%s: %s", err.where, err.message);
    as_search_report *r = report_of(folder);
    assert_true(r->has_selection && r->n_scores == 0);
    as_search_report_close(r);
    as_free(selection);
    as_free(folder);
}

/* ---- stopped and killed ---- */

static void a_search_that_is_stopped_anywhere_goes_on_to_the_same_end(void **state)
{
    asking count = {0, SIZE_MAX};
    char *folder = join("counted");
    (void)state;
    as_search_options o = options_of(folder);
    create(&o);
    assert_int_equal(run_until(&o, &count), ASSAY_OK);
    as_free(folder);
    for (size_t at = 1; at <= count.n_asked; at += 1 + count.n_asked / 8) {
        asking a = {0, at};
        folder = join("stopped");
        o = options_of(folder);
        create(&o);
        assert_int_equal(run_until(&o, &a), ASSAY_E_INTERRUPTED);
        o.stop = NULL;
        go(&o);
        assert_whole(folder);
        assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
        as_free(folder);
    }
}

static bool go_and_kill(const as_search_options *o, long after_ms)
{
    int status;
    const struct timespec wait = {after_ms / 1000, after_ms % 1000 * 1000000L};
    const pid_t child = fork();
    if (child == 0) _exit(as_search_run(o, NULL) ? 1 : 0);
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static void a_search_that_is_killed_goes_on_to_the_same_end(void **state)
{
    uint64_t random = 3;
    size_t n_killed = 0;
    (void)state;
    for (int run = 0; run < 4; run++) {
        char *folder = join("killed");
        const as_search_options o = options_of(folder);
        create(&o);
        for (int i = 0; i < 3; i++)
            n_killed += go_and_kill(&o, (long)(as_random_next(&random) % 150));
        go(&o);
        assert_whole(folder);
        assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
        as_free(folder);
    }
    assert_true(n_killed > 0);
}

/* ---- spoilt ---- */

static void a_folder_with_a_search_is_not_taken_for_another(void **state)
{
    const as_search_options o = options_of(whole);
    assay_error err = {0};
    (void)state;
    assert_int_not_equal(as_search_create(&o, &err), ASSAY_OK);
    assert_non_null(strstr(err.message, "holds a run"));
    assert_whole(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_structure_is_trained_timed_and_tested),
        cmocka_unit_test(what_diverges_is_never_chosen_and_ends_nothing_else),
        cmocka_unit_test(a_search_writes_its_files_again_to_the_byte),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(the_test_part_opens_for_the_selection_alone),
        cmocka_unit_test(before_the_selection_the_database_takes_no_score),
        cmocka_unit_test(a_selection_that_was_changed_keeps_the_test_samples_closed),
        cmocka_unit_test(a_search_that_is_stopped_anywhere_goes_on_to_the_same_end),
        cmocka_unit_test(a_search_that_is_killed_goes_on_to_the_same_end),
        cmocka_unit_test(a_folder_with_a_search_is_not_taken_for_another),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
