/* SPDX-License-Identifier: Apache-2.0 */
/* The derived files: the same bytes each time, self-contained, nothing stale left. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "image/image.h"
#include "report/report.h"
#include "synthetic.h"

static const synthetic four = {.n_policies = 4,
                               .n_rounds = 3,
                               .n_rounds_done = 3,
                               .state = AS_RUN_FINISHED,
                               .has_snapshots = true};

static void derive(const char *folder)
{
    assay_error err = {0};
    if (as_report_write(folder, &err)) fail_msg("%s", err.message);
}

/** A file's content; free with as_bytes_free. */
static as_bytes content(const char *folder, const char *name)
{
    as_bytes bytes;
    assay_error err = {0};
    char *path = as_path_join(folder, name);
    if (as_file_read(path, 0, &bytes, &err)) fail_msg("%s", err.message);
    as_free(path);
    return bytes;
}

/** Add the path and SHA-256 of every file below `folder` to `hash`, but evidence.db's. */
static void hash_folder(as_sha256 *hash, const char *folder, size_t *n_files)
{
    as_names names;
    assert_int_equal(as_folder_list(folder, &names, NULL), ASSAY_OK);
    for (size_t i = 0; i < names.n; i++) {
        char *path = as_path_join(folder, names.items[i]);
        assert_true(as_sha256_add(hash, names.items[i], strlen(names.items[i]) + 1));
        if (as_file_is_folder(path)) {
            hash_folder(hash, path, n_files);
        } else if (strcmp(names.items[i], AS_EVIDENCE_FILE) != 0) {
            char hex[AS_SHA256_HEX];
            assert_int_equal(as_sha256_file(path, hex, NULL), ASSAY_OK);
            assert_true(as_sha256_add(hash, hex, sizeof hex));
            ++*n_files;
        }
        as_free(path);
    }
    as_names_free(&names);
}

static size_t fingerprint(const char *folder, char hex[AS_SHA256_HEX])
{
    size_t n_files = 0;
    as_sha256 *hash = as_sha256_new();
    assert_non_null(hash);
    hash_folder(hash, folder, &n_files);
    assert_true(as_sha256_finish(hash, hex));
    as_sha256_free(hash);
    return n_files;
}

static void two_calls_give_the_same_bytes_wherever_the_run_lies(void **state)
{
    (void)state;
    char *one = synthetic_folder(), *two = synthetic_folder();
    char first[AS_SHA256_HEX], again[AS_SHA256_HEX], other[AS_SHA256_HEX];
    char before[AS_SHA256_HEX], after[AS_SHA256_HEX];
    synthetic_write(&four, one);
    synthetic_write(&four, two);
    char *evidence = as_path_join(one, AS_EVIDENCE_FILE);
    assert_int_equal(as_sha256_file(evidence, before, NULL), ASSAY_OK);
    derive(one);
    size_t n_files = fingerprint(one, first);
    derive(one);
    assert_int_equal(fingerprint(one, again), n_files);
    derive(two);
    fingerprint(two, other);
    assert_string_equal(first, again);
    assert_string_equal(first, other);
    assert_int_equal(as_sha256_file(evidence, after, NULL), ASSAY_OK);
    assert_string_equal(before, after); /* the evidence is only read */
    assert_true(n_files >= 6 + 3 + 3 * 4);
    as_free(evidence);
    synthetic_remove(one);
    synthetic_remove(two);
}

/** Take the bytes of embedded pictures out of a page; every src= has to be one.  @return how many. */
static size_t drop_pictures(char *html)
{
    static const char embedded[] = "src=\"data:image/png;base64,";
    size_t n = 0;
    for (char *at = html; (at = strstr(at, "src=")); n++) {
        if (strncmp(at, embedded, strlen(embedded)) != 0) fail_msg("%.60s", at);
        char *end = strchr(at + strlen(embedded), '"');
        assert_non_null(end);
        memmove(at, end + 1, strlen(end + 1) + 1);
    }
    return n;
}

static void the_html_needs_nothing_from_elsewhere(void **state)
{
    (void)state;
    static const char *const refused[] = {"http:", "https:", "//",      "<script",    "@import",
                                          "url(",  "<link",  "<iframe", "javascript:"};
    char *folder = synthetic_folder();
    synthetic what = four;
    what.has_hostile_names = true;
    synthetic_write(&what, folder);
    derive(folder);
    as_bytes html = content(folder, "report.html");
    assert_int_equal(drop_pictures((char *)html.data), 3); /* bucket's three differing inputs */
    for (size_t i = 0; i < AS_COUNT_OF(refused); i++)
        if (strstr((char *)html.data, refused[i])) fail_msg("the page holds %s", refused[i]);
    assert_non_null(strstr((char *)html.data, "<style>"));
    assert_non_null(strstr((char *)html.data, "&lt;script&gt;|a*b_&quot;`.pdf"));
    assert_non_null(strstr((char *)html.data, "caf\\xE9\\x1B[31m,"));
    assert_non_null(strstr((char *)html.data, "</html>"));
    as_bytes_free(&html);
    as_bytes md = content(folder, "report.md");
    assert_non_null(strstr((char *)md.data, "| &lt;script&gt;\\|a\\*b\\_\"\\`.pdf |"));
    assert_null(strchr((char *)md.data, '\x1b'));
    as_bytes_free(&md);
    synthetic_remove(folder);
}

static size_t occurrences(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static void plots_are_drawn_twice_by_gnuplot_or_their_absence_said(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&four, folder);
    derive(folder);
    as_bytes html = content(folder, "report.html");
    as_bytes rounds = content(folder, "plots/rounds.tsv");
    assert_int_equal(strncmp((char *)rounds.data, "# row\tchange_percent", 20), 0);
    char *picture = as_path_join(folder, "plots/policies.svg");
    if (as_file_exists(picture)) {
        assert_int_equal(occurrences((char *)html.data, "<svg"), 4 * 2); /* wide and narrow */
        assert_int_equal(occurrences((char *)html.data, " id='stages-wide-gpPt6'"), 1);
        assert_int_equal(occurrences((char *)html.data, ">forward</text>"), 2);
        assert_int_equal(occurrences((char *)html.data, "against base, % (left is faster)"), 2);
    } else {
        assert_non_null(strstr((char *)html.data, "No plot: gnuplot"));
    }
    as_free(picture);
    as_bytes_free(&rounds);
    as_bytes_free(&html);
    synthetic_remove(folder);
}

static void without_gnuplot_all_the_rest_is_written(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    char *path = as_strdup(getenv("PATH") ? getenv("PATH") : "");
    synthetic_write(&four, folder);
    setenv("PATH", folder, 1);
    derive(folder);
    setenv("PATH", path, 1);
    as_bytes html = content(folder, "report.html");
    assert_non_null(strstr((char *)html.data, "No plot: gnuplot is not installed"));
    assert_null(strstr((char *)html.data, "<svg"));
    as_bytes md = content(folder, "report.md");
    assert_non_null(strstr((char *)md.data, "\n    split   "));
    assert_non_null(strstr((char *)md.data, "o            ")); /* the estimate in characters */
    assert_null(strstr((char *)md.data, "](plots/"));
    as_bytes_free(&md);
    as_bytes script = content(folder, "plots/policies.gp");
    assert_non_null(strstr((char *)script.data, "set output 'policies'."));
    as_bytes_free(&script);
    as_bytes_free(&html);
    as_free(path);
    synthetic_remove(folder);
}

static void every_json_file_parses(void **state)
{
    (void)state;
    static const char *const names[] = {"summary.json", "experiment.json"};
    char *folder = synthetic_folder();
    synthetic what = four;
    what.has_hostile_names = what.is_wild = true;
    synthetic_write(&what, folder);
    derive(folder);
    for (size_t i = 0; i < AS_COUNT_OF(names); i++) {
        as_bytes bytes = content(folder, names[i]);
        json_t *root = json_loadb((char *)bytes.data, bytes.size, JSON_REJECT_DUPLICATES, NULL);
        assert_true(json_is_object(root));
        json_decref(root);
        as_bytes_free(&bytes);
    }
    as_bytes lines = content(folder, "background-load.jsonl");
    size_t n = 0;
    for (char *line = strtok((char *)lines.data, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *snapshot = json_loads(line, 0, NULL);
        assert_int_equal(json_array_size(json_object_get(snapshot, "processes")), 1);
        json_decref(snapshot);
        n++;
    }
    assert_int_equal(n, 6);
    as_bytes_free(&lines);
    synthetic_remove(folder);
}

/** Fields of a CSV line, quoted ones counted once; *at moves to the next line. */
static size_t count_fields(const char **at)
{
    size_t n = 1;
    bool quoted = false;
    for (; **at && (quoted || **at != '\n'); ++*at) {
        if (**at == '"') quoted = !quoted;
        n += **at == ',' && !quoted;
    }
    if (**at) ++*at;
    return n;
}

static void calls_csv_has_every_call_once_and_equal_columns(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic what = four;
    what.has_hostile_names = true;
    synthetic_write(&what, folder);
    derive(folder);
    as_bytes csv = content(folder, "calls.csv");
    const char *line = (const char *)csv.data;
    size_t n = 0, n_columns = count_fields(&line);
    assert_int_equal(n_columns, 20);
    for (; *line; n++)
        assert_int_equal(count_fields(&line), n_columns);
    assert_int_equal(n, 3 * 4 * 3);
    assert_non_null(strstr((char *)csv.data,
                           "\nformal,1,3,split,0,a1,\"<script>|a*b_\"\"`.pdf\",2,3,128,256,1,"
                           "2x3x128x256,2000000,"));
    as_bytes_free(&csv);
    synthetic_remove(folder);
}

static void review_shows_both_box_sets_in_two_colours(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&four, folder);
    derive(folder);
    as_bytes text = content(folder, "review/00003-p1-r4/bucket.json");
    json_t *root = json_loadb((char *)text.data, text.size, 0, NULL);
    json_t *truth = json_object_get(root, "truth"), *answer = json_object_get(root, "answer");
    assert_int_equal(json_array_size(json_object_get(truth, "boxes")), 3);
    assert_false(json_equal(json_object_get(truth, "boxes"), json_object_get(answer, "boxes")));
    assert_true(
        json_equal(json_object_get(truth, "scores"), json_object_get(answer, "scores")));
    json_decref(root);
    as_bytes_free(&text);
    text = content(folder, "review/00003-p1-r4/parameters.json");
    root = json_loadb((char *)text.data, text.size, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(root, "document")), "notes.pdf");
    json_decref(root);
    as_bytes_free(&text);
    as_bytes png = content(folder, "review/00003-p1-r4/bucket.png");
    as_image image;
    assert_int_equal(as_image_decode(png.data, png.size, "x", &image, NULL), ASSAY_OK);
    const uint8_t *unmoved = &image.bgr[(12 * 240 + 60) * 3]; /* on both upper edges: red */
    assert_true(unmoved[2] > 200 && unmoved[1] < 80);
    const uint8_t *beside = &image.bgr[(10 * 240 + 60) * 3]; /* the wider truth: green */
    assert_true(beside[1] > 120 && beside[2] < 80);
    as_image_free(&image);
    as_bytes_free(&png);
    synthetic_remove(folder);
}

static void what_no_longer_belongs_is_removed(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic what = {
        .n_policies = 3, .n_rounds = 1, .n_rounds_done = 1, .state = AS_RUN_FINISHED};
    synthetic_write(&what, folder);
    char *stale = as_path_join(folder, "review/00009-old");
    char *part = as_path_join(folder, "plots.part");
    char *own = as_path_join(folder, "notes-of-mine.txt");
    assert_int_equal(as_folder_make(stale, NULL), ASSAY_OK);
    assert_int_equal(as_folder_make(part, NULL), ASSAY_OK);
    assert_int_equal(as_file_write(own, "x", 1, NULL), ASSAY_OK);
    derive(folder);
    char *review = as_path_join(folder, "review");
    assert_false(as_file_exists(review)); /* no input differs */
    assert_false(as_file_exists(part));
    assert_true(as_file_exists(own));
    as_names names;
    assert_int_equal(as_folder_list(folder, &names, NULL), ASSAY_OK);
    static const char *const expected[] = {
        "background-load.jsonl", "calls.csv",         "evidence.db",
        "experiment.json",       "notes-of-mine.txt", "plots",
        "report.html",           "report.md",         "summary.json"};
    assert_int_equal(names.n, AS_COUNT_OF(expected));
    for (size_t i = 0; i < names.n; i++)
        assert_string_equal(names.items[i], expected[i]);
    as_names_free(&names);
    as_free(review);
    as_free(stale);
    as_free(part);
    as_free(own);
    synthetic_remove(folder);
}

static void a_place_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&four, folder);
    char *blocked = as_path_join(folder, "summary.json.part");
    assert_int_equal(as_folder_make(blocked, NULL), ASSAY_OK);
    assay_error err = {0};
    assert_int_equal(as_report_write(folder, &err), ASSAY_E_IO);
    assert_non_null(strstr(err.message, "summary.json cannot be written: Is a directory"));
    as_free(blocked);
    synthetic_remove(folder);
}

static void a_traced_call_shows_its_operators_and_a_missed_route(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic what = four;
    what.has_profiles = true;
    synthetic_write(&what, folder);
    derive(folder);
    as_bytes md = content(folder, "report.md");
    const char *text = (const char *)md.data;
    assert_non_null(strstr(text, "| gemm | conv=gemm | gemm | ran | 0 | **broken** |\n"));
    assert_non_null(strstr(text, "<summary>base: call b0, 3x3x128x256</summary>"));
    assert_non_null(
        strstr(text, "| Conv | direct | 3x3x128x256 -&gt; 3x8x64x128 | 1 | 3.000 | 60.0 |"));
    assert_non_null(strstr(text, "| Relu | map | – | 1 | 1.000 | 20.0 |"));
    assert_non_null(
        strstr(text, "| outside of them, waits included | – | – | 1 | 1.000 | 20.0 |"));
    as_bytes_free(&md);
    synthetic_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_calls_give_the_same_bytes_wherever_the_run_lies),
        cmocka_unit_test(the_html_needs_nothing_from_elsewhere),
        cmocka_unit_test(plots_are_drawn_twice_by_gnuplot_or_their_absence_said),
        cmocka_unit_test(without_gnuplot_all_the_rest_is_written),
        cmocka_unit_test(every_json_file_parses),
        cmocka_unit_test(calls_csv_has_every_call_once_and_equal_columns),
        cmocka_unit_test(review_shows_both_box_sets_in_two_colours),
        cmocka_unit_test(a_traced_call_shows_its_operators_and_a_missed_route),
        cmocka_unit_test(what_no_longer_belongs_is_removed),
        cmocka_unit_test(a_place_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
