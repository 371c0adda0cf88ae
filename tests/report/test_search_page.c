/* SPDX-License-Identifier: Apache-2.0 */
/* report.html and report.md of a search, from evidence that is made here: no network is trained. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"
#include "evidence/writer.h"
#include "report/search_files.h"

enum { N = 3, MOST_SEEDS = 3, MOST_SLOTS = 8, N_SAMPLES = 100, N_EPOCHS = 4 };

/* What differs from test to test: "base" is the baseline, "quick<&|" is faster, "big" slow and accurate. */
typedef struct known {
    int n_seeds;
    double accuracy[N]; /* of the first seed; each further one has a hundredth more */
    double us[N];       /* of calls in one process */
    double other_us[N]; /* of fresh processes by another engine; 0: not by it */
    int diverged;       /* structure of which the last training diverged; -1: none */
    int n_slots;        /* by each engine */
    bool fails;         /* the other engine's processes */
    bool is_unfinished; /* one training is missing, nothing is chosen */
} known;

static known made(void)
{
    return (known){.n_seeds = 1,
                   .accuracy = {0.9, 0.92, 0.97},
                   .us = {4, 2, 8},
                   .other_us = {40, 60, 30},
                   .diverged = -1,
                   .n_slots = 6};
}

static const char *const names[N] = {"base", "quick<&|", "big"};

static bool has_diverged(const known *k, int structure, int seed)
{
    return structure == k->diverged && seed == k->n_seeds - 1;
}

/* The run and its search; `path` is evidence.db. */
static as_evidence_writer *begin(const known *k, const char *path)
{
    static const char split[] =
        "{\"dataset\": \"made\", \"counts\": {\"train\": 60, \"validation\": 100, \"test\": "
        "40}, "
        "\"split_policy\": \"by hand\", \"input_sha256\": \"aa\", \"labels_sha256\": \"bb\"}";
    static const char space[] =
        "{\"training\": {\"optimiser\": \"adam\", \"epochs\": 4}, \"structures\": "
        "[{\"name\": \"big\", \"training\": {\"rate\": 0.5}}]}";
    static const as_policy_row ours = {"ours", "ours=native,threads=1", "native"};
    const as_evidence_plan plan = {.policies = &ours,
                                   .n_policies = 1,
                                   .run = {.assay_version = "0.0.0",
                                           .created = "2026-01-02T03:04:05Z",
                                           .command = "assay search made.json -o run",
                                           .order = "latin",
                                           .machine_json = "{\"isa\":\"scalar\"}",
                                           .findings_json = "[]",
                                           .compare = "boxes",
                                           .state = AS_RUN_FINISHED}};
    const as_search_row search = {.space_name = "made",
                                  .space_path = "/made.json",
                                  .space_sha256 = "cc",
                                  .space_text = space,
                                  .split_json = split,
                                  .seed = 7,
                                  .n_validation = 100,
                                  .c = 1,
                                  .h = 8,
                                  .w = 8,
                                  .n_warm_up = 1,
                                  .n_rounds = 1,
                                  .n_repeats = N_SAMPLES};
    as_structure_row structures[N];
    for (int i = 0; i < N; i++)
        structures[i] = (as_structure_row){.name = names[i],
                                           .is_separable = i == 1,
                                           .params = 10 + i,
                                           .macs = 100 + i,
                                           .n_seeds = k->n_seeds};
    const as_row_batch batches[] = {{AS_TABLE_STRUCTURES, structures, N},
                                    {AS_TABLE_SEARCH, &search, 1}};
    as_evidence_writer *writer;
    assay_error err = {0};
    if (as_evidence_create(path, &plan, &writer, &err)) fail_msg("%s", err.message);
    assert_int_equal(as_evidence_add_rows(writer, batches, 2, NULL), ASSAY_OK);
    return writer;
}

static void add_training(as_evidence_writer *writer, const known *k, int i, int seed, int id)
{
    const bool diverged = has_diverged(k, i, seed);
    as_epoch_row epochs[N_EPOCHS];
    const as_training_row row = {.structure = i,
                                 .seed_index = seed,
                                 .seed = 7 + seed,
                                 .best_epoch = diverged ? 0 : N_EPOCHS - 1,
                                 .diverged_epoch = diverged ? 3 : 0,
                                 .validation_loss = diverged ? NAN : 0.5,
                                 .validation_accuracy =
                                     diverged ? NAN : k->accuracy[i] + 0.01 * seed,
                                 .seconds = 1,
                                 .weights = ""};
    const int n = diverged ? 3 : N_EPOCHS;
    for (int e = 0; e < n; e++) {
        const double loss = diverged && e == 2 ? NAN : 2.0 / (e + 1);
        epochs[e] = (as_epoch_row){id, e + 1, loss, loss, 0.2 * e, 0.1};
    }
    const as_row_batch batches[] = {{AS_TABLE_TRAININGS, &row, 1},
                                    {AS_TABLE_EPOCHS, epochs, (size_t)n}};
    assert_int_equal(as_evidence_add_rows(writer, batches, 2, NULL), ASSAY_OK);
}

static void add_samples(as_evidence_writer *writer, const known *k)
{
    as_candidate_sample_row rows[N * N_SAMPLES];
    size_t n = 0;
    for (int i = 0; i < N; i++)
        for (int s = 0; s < N_SAMPLES && !has_diverged(k, i, 0); s++)
            rows[n++] = (as_candidate_sample_row){i, 0, s, k->us[i] * (1 + 0.001 * s)};
    const as_row_batch batch = {AS_TABLE_STRUCTURE_SAMPLES, rows, n};
    assert_int_equal(as_evidence_add_rows(writer, &batch, 1, NULL), ASSAY_OK);
}

static void add_choice(as_evidence_writer *writer, const known *k)
{
    as_test_score_row scores[N * MOST_SEEDS];
    const as_selection_row selection = {"2026-01-02T03:04:06Z", "0123456789abcdef01"};
    size_t n = 0;
    for (int t = 0; t < N * k->n_seeds; t++)
        if (!has_diverged(k, t / k->n_seeds, t % k->n_seeds))
            scores[n++] = (as_test_score_row){.training = t, .loss = 1, .accuracy = 0.8};
    const as_row_batch batches[] = {{AS_TABLE_SELECTIONS, &selection, 1},
                                    {AS_TABLE_TEST_SCORES, scores, n}};
    assert_int_equal(as_evidence_add_rows(writer, batches, 2, NULL), ASSAY_OK);
}

static void add_slots(as_evidence_writer *writer, const known *k)
{
    as_structure_slot_row rows[2 * N * MOST_SLOTS];
    size_t n = 0;
    for (int r = 0; r < k->n_slots; r++)
        for (int i = 0; i < 2 * N; i++) {
            const bool is_other = i >= N;
            const double us = (is_other ? k->other_us[i - N] : k->us[i]) * (1 + 0.01 * r);
            const bool failed = is_other && k->fails;
            if (us == 0 || has_diverged(k, i % N, 0)) continue;
            rows[n++] = (as_structure_slot_row){.structure = i % N,
                                                .policy = is_other ? "ort=onnxruntime,threads=1"
                                                                   : "ours=native,threads=1",
                                                .engine = failed     ? ""
                                                          : is_other ? "onnxruntime"
                                                                     : "native",
                                                .version = failed ? "" : "1.2",
                                                .repeat = r,
                                                .median_us = failed ? NAN : us,
                                                .least_us = failed ? NAN : us,
                                                .error = failed ? "it is not installed" : ""};
        }
    const as_row_batch batch = {AS_TABLE_STRUCTURE_SLOTS, rows, n};
    if (n > 0) assert_int_equal(as_evidence_add_rows(writer, &batch, 1, NULL), ASSAY_OK);
}

/* A folder with evidence.db; it and what `pages` reads are the test's. */
typedef struct pages {
    char folder[32];
    as_bytes html, md;
} pages;

static as_bytes read_in(const char *folder, const char *name)
{
    as_bytes bytes = {0};
    char *path = as_path_join(folder, name);
    assert_non_null(path);
    assert_int_equal(as_file_read(path, 0, &bytes, NULL), ASSAY_OK);
    as_free(path);
    return bytes;
}

static void write_pages(pages *p, as_language language)
{
    as_search_report *r;
    assay_error err = {0};
    if (as_search_report_open(p->folder, &r, &err)) fail_msg("%s", err.message);
    r->language = language;
    if (as_search_files_write(r, &err)) fail_msg("%s", err.message);
    as_search_report_close(r);
    as_bytes_free(&p->html);
    as_bytes_free(&p->md);
    p->html = read_in(p->folder, "report.html");
    p->md = read_in(p->folder, "report.md");
}

/* No page of a person has a number that is none, or a format that nobody filled. */
static void expect_clean(const pages *p)
{
    static const char *const never[] = {" nan", "-nan",   "|nan", ">nan", "NaN",  " inf ",
                                        ">inf", "(null)", "%zu",  "%s",   "%lld", "%.2f"};
    for (size_t i = 0; i < AS_COUNT_OF(never); i++) {
        const char *md = strstr((const char *)p->md.data, never[i]);
        const char *html = strstr((const char *)p->html.data, never[i]);
        if (md) fail_msg("report.md: %.80s", md);
        if (html) fail_msg("report.html: %.80s", html);
    }
}

/* The pages of evidence as it is made here, clean and in English. */
static pages pages_of(const known *k)
{
    pages p = {.folder = "search_page.XXXXXX"};
    int id = 0;
    assert_non_null(mkdtemp(p.folder));
    char *path = as_path_join(p.folder, AS_EVIDENCE_FILE);
    assert_non_null(path);
    as_evidence_writer *writer = begin(k, path);
    as_free(path);
    for (int i = 0; i < N; i++)
        for (int seed = 0; seed < k->n_seeds; seed++)
            if (!k->is_unfinished || i < N - 1) add_training(writer, k, i, seed, id++);
    if (!k->is_unfinished) {
        add_samples(writer, k);
        add_choice(writer, k);
        add_slots(writer, k);
    }
    assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
    write_pages(&p, AS_ENGLISH);
    expect_clean(&p);
    return p;
}

static void end(pages *p)
{
    as_bytes_free(&p->html);
    as_bytes_free(&p->md);
    assert_int_equal(as_path_remove(p->folder, NULL), ASSAY_OK);
}

static void expect(const pages *p, const char *text)
{
    if (!strstr((const char *)p->md.data, text))
        fail_msg("report.md lacks: %s\n%s", text, (const char *)p->md.data);
}

static void expect_not(const pages *p, const char *text)
{
    if (strstr((const char *)p->md.data, text)) fail_msg("report.md has: %s", text);
}

/* ---- claims ---- */

static void the_choice_comes_first_with_its_reason(void **state)
{
    (void)state;
    const known k = made();
    pages p = pages_of(&k);
    expect(&p,
           "# quick&lt;&amp;\\| takes the place of base: no less accurate on the validation "
           "samples, 50.0 % less latency.\n");
    expect(&p, "The baseline is base, named by the space: 90.00 % on the validation samples");
    expect(&p, "Best validation accuracy: big with 97.00 %");
    expect(&p, "92.00 % against 90.00 %; 1 met both.");
    expect(&p, "before a test sample was read (selection.json, SHA-256 0123456789abcdef).");
    expect(&p, "On the front: quick&lt;&amp;\\|, big.");
    assert_non_null(strstr((const char *)p.html.data, "quick&lt;&amp;|"));
    assert_null(strstr((const char *)p.html.data, "quick<&|"));
    end(&p);
}

static void the_same_evidence_gives_the_same_bytes(void **state)
{
    (void)state;
    const known k = made();
    pages p = pages_of(&k), again = p;
    again.html = again.md = (as_bytes){0};
    write_pages(&again, AS_ENGLISH);
    assert_int_equal(p.html.size, again.html.size);
    assert_memory_equal(p.html.data, again.html.data, p.html.size);
    assert_int_equal(p.md.size, again.md.size);
    assert_memory_equal(p.md.data, again.md.data, p.md.size);
    as_bytes_free(&again.html);
    as_bytes_free(&again.md);
    end(&p);
}

static void one_seed_is_said_to_be_luck_and_several_are_shown(void **state)
{
    (void)state;
    known k = made();
    pages p = pages_of(&k);
    expect(&p, "--seeds 5 says how far");
    expect(&p, "Each structure was trained from one seed.");
    expect_not(&p, "What the seeds do");
    end(&p);
    k.n_seeds = 3;
    p = pages_of(&k);
    expect(&p, "differ in the seed alone lie up to 2.00 points apart");
    expect(&p, "| base | 3 | 91.00 | 0.58 | 90.00–92.00 | 80.00 | 80.00–80.00 |");
    expect_not(&p, "Each structure was trained from one seed.");
    end(&p);
}

static void without_a_feasible_one_the_baseline_stays(void **state)
{
    (void)state;
    known k = made();
    k.accuracy[1] = 0.5;
    pages p = pages_of(&k);
    expect(&p, "# base stays: no other structure is as accurate and as fast.\n");
    expect(&p, "Of the others 1 are less accurate, 1 slower, 0 both, 0 not trained.");
    end(&p);
}

static void what_lies_within_the_noise_is_named_as_a_tie(void **state)
{
    (void)state;
    known k = made();
    k.accuracy[2] = 0.93;
    pages p = pages_of(&k);
    expect(&p, "Within the noise are also: base, quick&lt;&amp;\\|.");
    end(&p);
}

static void a_structure_that_diverged_is_told_and_never_chosen(void **state)
{
    (void)state;
    known k = made();
    k.diverged = 2;
    pages p = pages_of(&k);
    expect(&p, "- big, seed 7: in epoch 3 its loss was no finite number.");
    expect(&p, "Best validation accuracy: quick");
    expect(&p, "| big | **diverged** | – | – | 12 | 102 | – | – |  |");
    end(&p);
    k.diverged = 0;
    p = pages_of(&k);
    expect(&p, "# No choice under constraints: the baseline base is not trained.\n");
    end(&p);
}

static void engines_that_would_choose_otherwise_are_named(void **state)
{
    (void)state;
    known k = made();
    pages p = pages_of(&k);
    expect(&p, "choose otherwise by: ort.");
    expect(&p, "| ours | big | quick&lt;&amp;\\| |");
    expect(&p, "| ort | big | **big** |");
    expect(&p, "| base | ours | 6 | 4.10 | 4.00–4.20 | 4.00–4.20 | – |");
    memcpy(k.other_us, k.us, sizeof k.us);
    end(&p);
    p = pages_of(&k);
    expect(&p, "choose the same by every engine");
    expect_not(&p, "No other engine was asked");
    end(&p);
    memset(k.other_us, 0, sizeof k.other_us);
    p = pages_of(&k);
    expect(&p, "No other engine was asked");
    end(&p);
}

static void too_few_processes_have_no_interval(void **state)
{
    (void)state;
    known k = made();
    k.n_slots = 5;
    pages p = pages_of(&k);
    expect(&p, "fewer than 6 processes, and there are as few as 5: --slots 6 gives them");
    expect(&p, "| base | ours | 5 | 4.08 | – | 4.00–4.16 | – |");
    end(&p);
    k.n_slots = 0;
    p = pages_of(&k);
    expect(&p, "No fresh process timed a structure.  With --slots 6");
    expect_not(&p, "Where the choice would differ");
    end(&p);
}

static void an_engine_that_failed_is_told_and_chooses_nothing(void **state)
{
    (void)state;
    known k = made();
    k.fails = true;
    pages p = pages_of(&k);
    expect(&p,
           "- ort=onnxruntime,threads=1: all 18 processes failed, the first with: it is not "
           "installed");
    expect(&p, "1 of 2 policies timed not every structure and choose nothing.");
    expect_not(&p, "| ort | big |");
    end(&p);
}

static void a_search_without_a_choice_yet_says_so(void **state)
{
    (void)state;
    known k = made();
    k.is_unfinished = true;
    pages p = pages_of(&k);
    expect(&p, "# No choice yet: 2 of 3 trainings have ended.\n");
    expect(&p, "Nothing is chosen before every training has ended");
    end(&p);
}

static void the_page_speaks_chinese(void **state)
{
    (void)state;
    const known k = made();
    pages p = pages_of(&k);
    write_pages(&p, AS_CHINESE);
    expect_clean(&p);
    expect(&p, "取代 base");
    expect(&p, "## 本报告没有说明什么");
    assert_non_null(strstr((const char *)p.html.data, "<html lang=\"zh-CN\">"));
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_choice_comes_first_with_its_reason),
        cmocka_unit_test(the_same_evidence_gives_the_same_bytes),
        cmocka_unit_test(one_seed_is_said_to_be_luck_and_several_are_shown),
        cmocka_unit_test(without_a_feasible_one_the_baseline_stays),
        cmocka_unit_test(what_lies_within_the_noise_is_named_as_a_tie),
        cmocka_unit_test(a_structure_that_diverged_is_told_and_never_chosen),
        cmocka_unit_test(engines_that_would_choose_otherwise_are_named),
        cmocka_unit_test(too_few_processes_have_no_interval),
        cmocka_unit_test(an_engine_that_failed_is_told_and_chooses_nothing),
        cmocka_unit_test(a_search_without_a_choice_yet_says_so),
        cmocka_unit_test(the_page_speaks_chinese),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
