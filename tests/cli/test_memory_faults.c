/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole commands while memory ends: the n-th allocation fails, once, or it and all that follow.  No
 * command may crash, keep a block, write half a file or say a wrong thing; it says in one sentence that
 * there is no memory and exits 5, or, where it can do without, does as if nothing had been.
 *
 *     test_cli_memory_faults [COMMAND [N once|ever]]      all; one command; one fault of it
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/random.h"
#include "cli/cli.h"
#include "image/image.h"
#include "synthetic.h"

#define MODEL "data/tiny_detector.onnx"
#define EMPTY "cases/B16-exif-orientation-and-mislabelled-files/zero_bytes.png"

/** Every allocation up to this one fails in its turn, and so many beyond it by chance. */
#define N_IN_TURN   2000
#define N_BY_CHANCE 200

/* A command and what it makes in the scratch folder; "@" begins a path in there. */
typedef struct command {
    const char *name;
    const char *words[12];
    const char *makes; /* NULL for nothing but what it prints */
} command;

static const command commands[] = {
    {"inspect", {"inspect", MODEL}, NULL},
    {"inspect_json", {"inspect", MODEL, "--json"}, NULL},
    {"run", {"run", MODEL, "--input", "@x.npy", "--threads", "1", "-o", "@made"}, "made"},
    {"run_pb",
     {"run", "data/digits.onnx", "--input", "data/digits_input.pb", "--threads", "2", "-o",
      "@made"},
     "made"},
    {"freeze_regions",
     {"freeze", "data/images/rgb8.png", "--regions", "@regions.json", "-o", "@made"},
     "made"},
    {"detect",
     {"detect", MODEL, "@bar.png", "data/images/rgb8.png", "no-such.png", "--threads", "2",
      "--overlay", "@made", "--maps", "@made"},
     "made"},
    {"freeze", {"freeze", "@bar.png", "data/images/rgb.ppm", "-o", "@made"}, "made"},
    {"freeze_json",
     {"freeze", "@bar.png", EMPTY, "-o", "@made", "--whole-pages", "--json"},
     "made"},
    {"verify", {"verify", "@corpus", "--json"}, NULL},
    {"summarize", {"summarize", "@evidence"}, "evidence"},
};

/* Nothing here outlives the test, and a thousand runs need no disk. */
int fsync(int fd)
{
    (void)fd;
    return 0;
}

static char *scratch;

/* What stands where, for the handler of a crash. */
static char label[96];

static void say_where(int number)
{
    (void)number;
    if (write(STDERR_FILENO, label, strlen(label)) < 0) _exit(3);
    _exit(4);
}

/*
 * jansson's blocks fail like ours while it writes.  Its reader loses bytes in silence when it has no
 * memory for them (strbuffer_append_byte in 2.14's load.c), so there a reading fails as a whole.
 */
static bool is_reading;

static void *json_alloc(size_t bytes)
{
    return !is_reading && as_memory_fails_now() ? NULL : malloc(bytes);
}

json_t *__real_json_loadb(const char *text, size_t size, size_t flags, json_error_t *why);
json_t *__wrap_json_loadb(const char *text, size_t size, size_t flags, json_error_t *why);

json_t *__wrap_json_loadb(const char *text, size_t size, size_t flags, json_error_t *why)
{
    if (as_memory_fails_now()) return NULL;
    is_reading = true;
    json_t *root = __real_json_loadb(text, size, flags, why);
    is_reading = false;
    return root;
}

/* ---- files ---- */

static char *in_scratch(const char *name) { return as_path_join(scratch, name); }

static as_bytes read_whole(const char *path)
{
    as_bytes bytes;
    assert_int_equal(as_file_read(path, 0, &bytes, NULL), ASSAY_OK);
    return bytes;
}

static bool is_same(const as_bytes *a, const as_bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Files below `made`; *foreign counts those that `whole` has not with the same bytes. */
static size_t count_files(const char *made, const char *whole, size_t *foreign)
{
    if (!as_file_is_folder(made)) {
        if (!as_file_exists(made)) return 0;
        bool is_whole = as_file_exists(whole) && !as_file_is_folder(whole);
        as_bytes seen = read_whole(made), wanted = is_whole ? read_whole(whole) : (as_bytes){0};
        *foreign += !is_whole || !is_same(&seen, &wanted);
        as_bytes_free(&seen);
        as_bytes_free(&wanted);
        return 1;
    }
    as_names names;
    size_t n = 0;
    assert_int_equal(as_folder_list(made, &names, NULL), ASSAY_OK);
    for (size_t i = 0; i < names.n; i++) {
        char *child = as_path_join(made, names.items[i]);
        char *same = as_path_join(whole, names.items[i]);
        n += count_files(child, same, foreign);
        as_free(child);
        as_free(same);
    }
    as_names_free(&names);
    return n;
}

/* All but the evidence that summarize reads. */
static void remove_made(const char *path)
{
    as_names names = {0};
    if (as_file_is_folder(path)) assert_int_equal(as_folder_list(path, &names, NULL), ASSAY_OK);
    bool keeps_evidence = false;
    for (size_t i = 0; i < names.n; i++) {
        char *child = as_path_join(path, names.items[i]);
        if (strcmp(names.items[i], "evidence.db") == 0)
            keeps_evidence = true;
        else
            assert_int_equal(as_path_remove(child, NULL), ASSAY_OK);
        as_free(child);
    }
    as_names_free(&names);
    if (!keeps_evidence) assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
}

/* ---- one run of a command ---- */

typedef struct outcome {
    int status;
    as_bytes out, err; /* own */
    size_t n_files, n_foreign;
    size_t n_allocations;
    bool is_leaky;
} outcome;

static void free_outcome(outcome *o)
{
    as_bytes_free(&o->out);
    as_bytes_free(&o->err);
}

/* Let a stream write into a file of the scratch folder; returns where it wrote before. */
static int redirect(FILE *stream, const char *name)
{
    fflush(stream);
    char *path = in_scratch(name);
    int fd = fileno(stream), before = dup(fd);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(dup2(fileno(file), fd) >= 0);
    fclose(file);
    as_free(path);
    return before;
}

static as_bytes restore(FILE *stream, const char *name, int before)
{
    fflush(stream);
    clearerr(stream);
    assert_true(dup2(before, fileno(stream)) >= 0);
    close(before);
    char *path = in_scratch(name);
    as_bytes bytes = read_whole(path);
    as_free(path);
    return bytes;
}

static void set_fault(size_t n, bool is_for_ever)
{
    if (is_for_ever)
        as_memory_fail_from(n);
    else
        as_memory_fail_at(n);
}

/* Run with the n-th allocation failing; n = 0: none. */
static outcome run(const command *c, size_t n, bool is_for_ever)
{
    char *argv[AS_COUNT_OF(c->words) + 1] = {(char *)(uintptr_t) "assay"};
    int argc = 1;
    for (size_t i = 0; i < AS_COUNT_OF(c->words) && c->words[i]; i++)
        argv[argc++] =
            c->words[i][0] == '@' ? in_scratch(c->words[i] + 1) : as_strdup(c->words[i]);
    char *made = c->makes ? in_scratch(c->makes) : NULL;
    if (made) remove_made(made);
    snprintf(label, sizeof label, "crash: test_cli_memory_faults %s %zu %s\n", c->name, n,
             is_for_ever ? "ever" : "once");
    outcome o = {0};
    as_cli cli = {.argc = argc, .argv = argv};
    int out = redirect(stdout, "out"), err = redirect(stderr, "err");
    size_t held = as_memory_held(), count = as_memory_count();
    set_fault(n, is_for_ever);
    o.status = as_cli_run(&cli);
    set_fault(0, false);
    o.n_allocations = as_memory_count() - count;
    o.is_leaky = as_memory_held() != held;
    o.out = restore(stdout, "out", out);
    o.err = restore(stderr, "err", err);
    char *whole = in_scratch("whole");
    if (made) o.n_files = count_files(made, whole, &o.n_foreign);
    as_free(whole);
    as_free(made);
    for (int i = 1; i < argc; i++)
        as_free(argv[i]);
    return o;
}

/* What is wrong with an outcome beside that of the undisturbed run; NULL for nothing. */
static const char *fault_of(const outcome *o, const outcome *whole)
{
    const char *text = (const char *)o->err.data;
    if (o->is_leaky) return "a block was not given back";
    if (o->n_foreign) return "a file is not what it should be";
    if (o->status == whole->status)
        return !is_same(&o->out, &whole->out) ? "it says something else and no failure"
               : o->n_files != whole->n_files ? "files are missing and it says no failure"
                                              : NULL;
    if (o->status != AS_EXIT_IO) return "the exit status is wrong";
    if (o->out.size > whole->out.size || memcmp(o->out.data, whole->out.data, o->out.size) != 0)
        return "what it printed before is wrong";
    return strstr(text, "no memory") ? NULL : "no sentence says that there is no memory";
}

/* ---- all faults of a command ---- */

typedef struct tally {
    size_t n_tried, n_told, n_wrong;
} tally;

static void try_fault(const command *c, size_t n, bool is_for_ever, const outcome *whole,
                      tally *t)
{
    outcome o = run(c, n, is_for_ever);
    const char *fault = fault_of(&o, whole);
    t->n_tried++;
    t->n_told += o.status != whole->status;
    if (fault)
        print_error("test_cli_memory_faults %s %zu %s: %s\n", c->name, n,
                    is_for_ever ? "ever" : "once", fault);
    t->n_wrong += fault != NULL;
    free_outcome(&o);
}

/* What summarize reads goes back to where it is read. */
static void return_evidence(const char *whole, const char *made)
{
    char *kept = as_path_join(whole, "evidence.db"), *back = as_path_join(made, "evidence.db");
    if (as_file_exists(kept)) {
        as_bytes bytes = read_whole(kept);
        assert_int_equal(as_folder_make(made, NULL), ASSAY_OK);
        assert_int_equal(as_file_write(back, bytes.data, bytes.size, NULL), ASSAY_OK);
        as_bytes_free(&bytes);
    }
    as_free(kept);
    as_free(back);
}

/* The undisturbed run; what it makes is kept beside as "whole". */
static outcome run_whole(const command *c)
{
    outcome o = run(c, 0, false);
    char *made = c->makes ? in_scratch(c->makes) : NULL, *whole = in_scratch("whole");
    assert_int_equal(as_path_remove(whole, NULL), ASSAY_OK);
    if (made) {
        assert_int_equal(rename(made, whole), 0);
        return_evidence(whole, made);
    }
    as_free(made);
    as_free(whole);
    assert_true(o.status == AS_EXIT_DONE || o.status == AS_EXIT_INPUT);
    assert_false(o.is_leaky);
    assert_true(!c->makes || o.n_files > 0);
    return o;
}

static void every_fault_is_told_or_does_no_harm(void **state)
{
    const command *c = *state;
    outcome first = run_whole(c); /* what is made once a process is made now */
    free_outcome(&first);
    outcome whole = run_whole(c);
    tally t = {0};
    const size_t last = whole.n_allocations;
    uint64_t random = 7;
    for (int ever = 0; ever < 2; ever++) {
        for (size_t n = 1; n <= last && n <= N_IN_TURN && t.n_wrong < 10; n++)
            try_fault(c, n, ever, &whole, &t);
        for (size_t k = 0; last > N_IN_TURN && k < N_BY_CHANCE && t.n_wrong < 10; k++)
            try_fault(c, N_IN_TURN + 1 + as_random_next(&random) % (last - N_IN_TURN), ever,
                      &whole, &t);
    }
    print_message("%s: %zu faults in %zu allocations, %zu told, %zu done without\n", c->name,
                  t.n_tried, last, t.n_told, t.n_tried - t.n_told);
    assert_int_equal(t.n_wrong, 0);
    assert_true(t.n_told > 0);
    free_outcome(&whole);
}

/* ---- the inputs ---- */

/* A dark bar on white, which the model finds as one box. */
static void make_picture(void)
{
    enum { WIDTH = 64, HEIGHT = 32 };
    uint8_t bgr[HEIGHT * WIDTH * 3];
    memset(bgr, 255, sizeof bgr);
    for (int y = 12; y < 20; y++)
        memset(bgr + (y * WIDTH + 10) * 3, 0, 40 * 3);
    as_image image = {.w = WIDTH, .h = HEIGHT, .bgr = bgr};
    char *path = in_scratch("bar.png");
    assert_int_equal(as_image_write_png(&image, path, NULL), ASSAY_OK);
    as_free(path);
}

static void make_tensor(void)
{
    static float values[3 * 32 * 32];
    as_npy array = {.type = AS_NPY_F4,
                    .rank = 4,
                    .dims = {1, 3, 32, 32},
                    .data = values,
                    .n_elements = AS_COUNT_OF(values)};
    char *path = in_scratch("x.npy");
    assert_int_equal(as_npy_write(path, &array, NULL), ASSAY_OK);
    as_free(path);
}

static void make_regions(void)
{
    static const char text[] =
        "{\"regions\": [{\"document\": \"rgb8.png\", \"page\": 1, \"xywh\": [0, 0, 5, 4],"
        " \"settings\": {\"thresh\": 0.2, \"limit_type\": \"min\"}}]}";
    char *path = in_scratch("regions.json");
    assert_int_equal(as_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    as_free(path);
}

static void make_evidence(void)
{
    char *folder = in_scratch("evidence");
    synthetic_write(&(synthetic){.n_policies = 2, .n_rounds = 1, .n_rounds_done = 1}, folder);
    as_free(folder);
}

static void make_corpus(void)
{
    static const command freeze = {"", {"freeze", "@bar.png", "-o", "@corpus"}, NULL};
    outcome o = run(&freeze, 0, false);
    assert_int_equal(o.status, AS_EXIT_DONE);
    free_outcome(&o);
}

static int make_inputs(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    scratch = as_format("%s/assay-faults-XXXXXX", parent && parent[0] ? parent : P_tmpdir);
    assert_non_null(mkdtemp(scratch));
    make_picture();
    make_tensor();
    make_regions();
    make_evidence();
    make_corpus();
    return 0;
}

static int remove_inputs(void **state)
{
    (void)state;
    assert_int_equal(as_path_remove(scratch, NULL), ASSAY_OK);
    as_free(scratch);
    return 0;
}

/* One fault, to look at what it says. */
static int show(const command *c, size_t n, bool is_for_ever)
{
    void *none = NULL;
    make_inputs(&none);
    outcome whole = run_whole(c);
    outcome o = run(c, n, is_for_ever);
    const char *fault = fault_of(&o, &whole);
    printf("%.*s%.*sstatus %d, %s\n", (int)o.out.size, (const char *)o.out.data,
           (int)o.err.size, (const char *)o.err.data, o.status,
           fault ? fault : "as it should be");
    free_outcome(&o);
    free_outcome(&whole);
    remove_inputs(&none);
    return fault ? 1 : 0;
}

int main(int argc, char **argv)
{
    json_set_alloc_funcs(json_alloc, free);
    setenv("PATH", "", 1); /* no gnuplot: a child a fault would take minutes */
    signal(SIGSEGV, say_where);
    signal(SIGABRT, say_where);
    struct CMUnitTest tests[AS_COUNT_OF(commands)];
    size_t n = 0;
    for (size_t i = 0; i < AS_COUNT_OF(commands); i++) {
        if (argc > 1 && strcmp(argv[1], commands[i].name) != 0) continue;
        if (argc > 3)
            return show(&commands[i], strtoul(argv[2], NULL, 10), strcmp(argv[3], "ever") == 0);
        tests[n++] = (struct CMUnitTest){.name = commands[i].name,
                                         .test_func = every_fault_is_told_or_does_no_harm,
                                         .initial_state = (void *)(uintptr_t)&commands[i]};
    }
    return _cmocka_run_group_tests("memory_faults", tests, n, make_inputs, remove_inputs);
}
