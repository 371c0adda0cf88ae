/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/calls.h"
#include "scratch.h"

static void assert_same_file(const char *a, const char *b, const char *name)
{
    as_bytes left = scratch_read(a, name), right = scratch_read(b, name);
    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, left.size);
    as_bytes_free(&left);
    as_bytes_free(&right);
}

static void freezing_twice_gives_the_same_bytes(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    char *folder = scratch_make();
    char *a = scratch_freeze(folder, "a", ARTICLE "[1]", &options);
    char *b = scratch_freeze(folder, "b", ARTICLE "[1]", &options);
    as_corpus *corpus = scratch_load(a);
    assert_true(corpus->n_regions > 20);
    assert_same_file(a, b, "manifest.json");
    assert_same_file(a, b, "SHA256SUMS");
    for (size_t i = 0; i < corpus->n_regions; i++)
        assert_same_file(a, b, corpus->regions[i].file);
    as_corpus_free(corpus);
    as_free(a);
    as_free(b);
    scratch_remove(folder);
}

static void equal_shapes_become_calls_in_the_order_first_seen(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    char *folder = scratch_make(), *path = scratch_freeze(folder, "c", FORM, &options);
    as_corpus *c = scratch_load(path);
    size_t n_inputs = 0;
    assert_int_equal(c->n_regions, 34);
    for (size_t i = 0; i < c->n_calls; i++) {
        const as_corpus_call *call = &c->calls[i];
        n_inputs += (size_t)call->n;
        assert_in_range(call->n, 1, 16);
        for (int j = 0; j < call->n; j++) {
            const as_corpus_region *r = &c->regions[call->inputs[j]];
            as_network_size size = as_network_size_of(&r->settings, r->h, r->w);
            assert_int_equal(size.h, call->h);
            assert_int_equal(size.w, call->w);
            if (j) assert_true(call->inputs[j] > call->inputs[j - 1]);
        }
    }
    assert_int_equal(n_inputs, c->n_regions);
    /* The title, then the 30 boxes in calls of 16 and 14. */
    assert_int_equal(c->calls[0].n, 1);
    assert_int_equal(c->calls[1].n, 16);
    assert_int_equal(c->calls[2].n, 14);
    assert_string_equal(c->calls[1].id, "form-c002");
    assert_string_equal(c->regions[c->calls[1].inputs[0]].id, "form-p001-r02");
    size_t index;
    assert_true(as_corpus_find_call(c, "form-c003", &index) && index == 2);
    assert_false(as_corpus_find_call(c, "form-c999", &index));
    assert_true(as_corpus_find_document(c, "form", &index) && index == 0);
    assert_true(as_corpus_find_document(c, "form.pdf", &index) && index == 0);
    assert_false(as_corpus_find_document(c, "form.p", &index));
    as_corpus_free(c);
    as_free(path);
    scratch_remove(folder);
}

static void a_smaller_batch_makes_more_calls(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    options.max_batch = 7;
    char *folder = scratch_make(), *path = scratch_freeze(folder, "c", FORM "[1]", &options);
    as_corpus *c = scratch_load(path);
    static const int wanted[] = {1, 7, 7, 7, 7, 2};
    assert_int_equal(c->n_calls, AS_COUNT_OF(wanted));
    for (size_t i = 0; i < c->n_calls; i++)
        assert_int_equal(c->calls[i].n, wanted[i]);
    as_corpus_free(c);
    as_free(path);
    scratch_remove(folder);
}

static void whole_pages_are_the_pages_pixels(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    options.whole_pages = true;
    options.dpi = 72;
    char *folder = scratch_make();
    char *path = scratch_freeze(folder, "c", LOCKED "plain.pdf", &options);
    as_corpus *c = scratch_load(path);
    as_image image;
    assert_int_equal(c->n_regions, 1);
    assert_string_equal(c->method, "whole-pages");
    assert_int_equal(as_corpus_region_pixels(c, 0, &image, NULL), ASSAY_OK);
    assert_int_equal(image.w, 120);
    assert_int_equal(image.h, 200);
    assert_int_equal(image.bgr[(30 * 120 + 50) * 3], 0); /* inside the mark */
    as_image_free(&image);
    as_corpus_free(c);
    as_free(path);
    scratch_remove(folder);
}

static void named_regions_bring_their_own_settings(void **state)
{
    (void)state;
    static const char text[] =
        "{\"regions\": ["
        "{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [0, 0, 100, 100]},"
        "{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [10, 20, 100, 100],"
        " \"settings\": {\"thresh\": 0.25, \"limit_side\": 64}},"
        "{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [5, 5, 100, 100]}]}";
    char *folder = scratch_make(), *file = as_path_join(folder, "regions.json");
    scratch_write(folder, "regions.json", text, sizeof text - 1);
    as_freeze_options options = as_freeze_defaults();
    options.dpi = 72;
    options.regions_path = file;
    options.settings.box_thresh = 0.55;
    char *path = scratch_freeze(folder, "c", LOCKED "plain.pdf", &options);
    as_corpus *c = scratch_load(path);
    assert_int_equal(c->n_regions, 3);
    assert_int_equal(c->n_calls, 2);
    assert_int_equal(c->calls[0].n, 2);
    assert_int_equal(c->calls[0].inputs[1], 2);
    assert_int_equal(c->regions[1].net_h, 64);
    assert_true(c->regions[1].settings.thresh == 0.25f);
    assert_true(c->regions[1].settings.box_thresh == 0.55);
    assert_true(c->regions[0].settings.thresh == 0.3f);
    assert_true(c->regions[0].settings.box_thresh == 0.55);
    as_corpus_free(c);
    as_free(path);
    as_free(file);
    scratch_remove(folder);
}

static void bad_regions_files_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{", "is not JSON"},
        {"{}", "\"regions\" is missing, an array is needed"},
        {"{\"regions\": [3]}", "it is no JSON object"},
        {"{\"regions\": [{\"document\": \"plain.pdf\", \"page\": 0, \"xywh\": [0,0,1,1]}]}",
         "\"page\" is 0, it has to be in 1.."},
        {"{\"regions\": [{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [0,0,1]}]}",
         "\"xywh\" has 3 values, 4 are needed"},
        {"{\"regions\": [{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [0,0,0,1]}]}",
         "it is 0x1 pixels"},
        {"{\"regions\": [{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [100,0,21,1]}]}",
         "reaches to 121,1, page 1 of plain.pdf has 120x200 pixels"},
        {"{\"regions\": [{\"document\": \"other.pdf\", \"page\": 1, \"xywh\": [0,0,1,1]}]}",
         "is on page 1 of other.pdf, which is not frozen"},
        {"{\"regions\": [{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [0,0,9,9],"
         "\"settings\": {\"thrash\": 1}}]}",
         "1 unknown keys"},
        {"{\"regions\": [{\"document\": \"plain.pdf\", \"page\": 1, \"xywh\": [0,0,9,9],"
         "\"settings\": {\"unclip\": 0}}]}",
         "unclip is 0"},
    };
    char *folder = scratch_make(), *file = as_path_join(folder, "regions.json");
    char *path = as_path_join(folder, "c");
    const char *source = LOCKED "plain.pdf";
    as_freeze_options options = as_freeze_defaults();
    options.dpi = 72;
    options.regions_path = file;
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_freeze_summary summary;
        assay_error err = {0};
        scratch_write(folder, "regions.json", cases[i].text, strlen(cases[i].text));
        assert_int_equal(as_corpus_freeze(&source, 1, path, &options, &summary, &err),
                         ASSAY_E_FORMAT);
        if (!strstr(err.message, cases[i].words)) fail_msg("%zu: %s", i, err.message);
        assert_false(as_file_exists(path));
    }
    as_free(path);
    as_free(file);
    scratch_remove(folder);
}

static void what_cannot_be_read_is_listed_and_the_rest_frozen(void **state)
{
    (void)state;
    static const char *const sources[] = {
        LOCKED "aes256_user_secret.pdf", LOCKED "plain.pdf", "data/make_images.py",
        "cases/B20-pdf-extreme-page-sizes/mediabox_14400.pdf",
        "cases/B16-exif-orientation-and-mislabelled-files/truncated.png"};
    static const struct {
        const char *name, *kind;
        int page;
    } wanted[] = {{"aes256_user_secret.pdf", "encrypted", 0},
                  {"make_images.py", "unsupported", 0},
                  {"mediabox_14400.pdf", "too-large", 1},
                  {"truncated.png", "damaged", 0}};
    as_freeze_options options = as_freeze_defaults();
    as_freeze_summary summary;
    options.whole_pages = true;
    char *folder = scratch_make(), *path = as_path_join(folder, "c");
    assert_int_equal(as_corpus_freeze(sources, 5, path, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.n_skipped, 4);
    assert_int_equal(summary.n_regions, 1);
    as_corpus *c = scratch_load(path);
    assert_int_equal(c->n_sources, 5);
    assert_int_equal(c->n_skipped, AS_COUNT_OF(wanted));
    for (size_t i = 0; i < c->n_skipped; i++) {
        assert_string_equal(c->skipped[i].name, wanted[i].name);
        assert_string_equal(c->skipped[i].kind, wanted[i].kind);
        assert_int_equal(c->skipped[i].page, wanted[i].page);
        /* By base name: the same documents elsewhere give the same manifest. */
        assert_int_equal(strncmp(c->skipped[i].reason, wanted[i].name, strlen(wanted[i].name)),
                         0);
        assert_null(strchr(c->skipped[i].reason, '/'));
    }
    as_corpus_free(c);
    as_free(path);
    scratch_remove(folder);
}

static void odd_names_are_listed_as_sha256sum_lists_them(void **state)
{
    (void)state;
    static const char *const names[] = {"back\\slash.png", "new\nline.png", "bad\xff.png"};
    as_freeze_options options = as_freeze_defaults();
    options.whole_pages = true;
    char *folder = scratch_make(), *in = as_path_join(folder, "in");
    assert_int_equal(as_folder_make(in, NULL), ASSAY_OK);
    as_bytes png = scratch_read("data/images", "rgb8.png");
    for (size_t i = 0; i < AS_COUNT_OF(names); i++)
        scratch_write(in, names[i], png.data, png.size);
    char *path = scratch_freeze(folder, "c", in, &options);
    as_bytes sums = scratch_read(path, "SHA256SUMS");
    char hex[AS_SHA256_HEX];
    assert_int_equal(as_sha256_bytes(png.data, png.size, hex, NULL), ASSAY_OK);
    char *wanted = as_format("\\%s  back\\\\slash.png\n%s  bad\xff.png\n\\%s  new\\nline.png\n",
                             hex, hex, hex);
    assert_string_equal((char *)sums.data, wanted);
    as_corpus *c = scratch_load(path);
    assert_string_equal(c->documents[1].name, "bad\\xff.png");
    as_corpus_free(c);
    as_free(wanted);
    as_bytes_free(&sums);
    as_bytes_free(&png);
    as_free(path);
    as_free(in);
    scratch_remove(folder);
}

static void documents_of_one_name_get_ids_of_their_own(void **state)
{
    (void)state;
    static const char *const sources[] = {FORM "[2]", FORM "[2]", "data/images/rgb8.png"};
    as_freeze_options options = as_freeze_defaults();
    as_freeze_summary summary;
    options.whole_pages = true;
    options.dpi = 30;
    char *folder = scratch_make(), *path = as_path_join(folder, "c");
    assert_int_equal(as_corpus_freeze(sources, 3, path, &options, &summary, NULL), ASSAY_OK);
    as_corpus *c = scratch_load(path);
    assert_int_equal(c->n_sources, 2);
    assert_string_equal(c->documents[0].id, "form");
    assert_string_equal(c->documents[1].id, "form-2");
    assert_string_equal(c->regions[1].id, "form-2-p002-r01");
    assert_string_equal(c->documents[2].format, "PNG");
    as_corpus_free(c);
    as_free(path);
    scratch_remove(folder);
}

static void assert_refused(const char *source, const char *path,
                           const as_freeze_options *options, assay_code code, const char *words)
{
    as_freeze_summary summary;
    assay_error err = {0};
    assert_int_equal(as_corpus_freeze(&source, 1, path, options, &summary, &err), code);
    if (!strstr(err.message, words)) fail_msg("%s, not %s", err.message, words);
}

static void wrong_usage_is_told_before_any_work(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    char *folder = scratch_make(), *path = as_path_join(folder, "c");
    assert_refused(FORM "[3]", path, &options, ASSAY_E_ARGUMENT,
                   "has 2 pages, page 3 is asked for");
    assert_refused(FORM "[1-3]", path, &options, ASSAY_E_ARGUMENT, "has 2 pages, page 3");
    assert_refused("none.pdf", path, &options, ASSAY_E_NOT_FOUND, "none.pdf does not exist");
    options.max_batch = 0;
    assert_refused(FORM, path, &options, ASSAY_E_ARGUMENT, "max-batch is 0");
    options = as_freeze_defaults();
    options.dpi = 9;
    assert_refused(FORM, path, &options, ASSAY_E_ARGUMENT, "dpi is 9");
    options = as_freeze_defaults();
    options.settings.limit_side = 0;
    assert_refused(FORM, path, &options, ASSAY_E_ARGUMENT, "limit-side is 0");
    options = as_freeze_defaults();
    options.regions_path = "none.json";
    assert_refused(FORM, path, &options, ASSAY_E_NOT_FOUND, "none.json does not exist");
    options.whole_pages = true;
    assert_refused(FORM, path, &options, ASSAY_E_ARGUMENT, "exclude each other");
    as_names names;
    assert_int_equal(as_folder_list(folder, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 0);
    as_names_free(&names);
    as_free(path);
    scratch_remove(folder);
}

static void only_force_replaces_and_only_a_corpus(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    options.whole_pages = true;
    options.dpi = 30;
    char *folder = scratch_make();
    char *path = scratch_freeze(folder, "c", FORM "[1]", &options);
    assert_refused(FORM "[2]", path, &options, ASSAY_E_ARGUMENT, "exists, --force replaces it");
    options.force = true;
    char *again = scratch_freeze(folder, "c", FORM "[2]", &options);
    as_corpus *c = scratch_load(again);
    assert_int_equal(c->regions[0].page, 2);
    as_corpus_free(c);
    scratch_write(folder, "precious", "x", 1);
    assert_refused(FORM, folder, &options, ASSAY_E_ARGUMENT, "so it is not a corpus");
    as_names names;
    assert_int_equal(as_folder_list(folder, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 2); /* c, precious; nothing is left beside */
    as_names_free(&names);
    as_free(again);
    as_free(path);
    scratch_remove(folder);
}

static bool stop_at_once(void *context) { return context == NULL; }

static void an_interruption_leaves_nothing(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    options.watch.stop = stop_at_once;
    char *folder = scratch_make(), *path = as_path_join(folder, "c");
    assert_refused("data/images/rgb8.png", path, &options, ASSAY_E_INTERRUPTED,
                   "interrupted after 0 of 1 pages");
    options = as_freeze_defaults();
    options.limits.stop = stop_at_once;
    assert_refused(FORM, path, &options, ASSAY_E_INTERRUPTED,
                   "interrupted while pdfinfo was running");
    as_names names;
    assert_int_equal(as_folder_list(folder, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 0);
    as_names_free(&names);
    as_free(path);
    scratch_remove(folder);
}

static void no_memory_leaves_nothing(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    const char *source = "data/images/rgb8.png";
    char *folder = scratch_make(), *path = as_path_join(folder, "c");
    options.whole_pages = true;
    size_t n_failed = 0;
    for (size_t n = 1; n < 1000; n++) {
        as_freeze_summary summary;
        as_memory_fail_at(n);
        assay_code code = as_corpus_freeze(&source, 1, path, &options, &summary, NULL);
        as_memory_fail_at(0);
        if (!code) break;
        assert_int_equal(code, ASSAY_E_MEMORY);
        assert_false(as_file_exists(path));
        n_failed++;
    }
    assert_in_range(n_failed, 20, 500);
    as_free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freezing_twice_gives_the_same_bytes),
        cmocka_unit_test(equal_shapes_become_calls_in_the_order_first_seen),
        cmocka_unit_test(a_smaller_batch_makes_more_calls),
        cmocka_unit_test(whole_pages_are_the_pages_pixels),
        cmocka_unit_test(named_regions_bring_their_own_settings),
        cmocka_unit_test(bad_regions_files_are_told_with_their_place),
        cmocka_unit_test(what_cannot_be_read_is_listed_and_the_rest_frozen),
        cmocka_unit_test(odd_names_are_listed_as_sha256sum_lists_them),
        cmocka_unit_test(documents_of_one_name_get_ids_of_their_own),
        cmocka_unit_test(wrong_usage_is_told_before_any_work),
        cmocka_unit_test(only_force_replaces_and_only_a_corpus),
        cmocka_unit_test(an_interruption_leaves_nothing),
        cmocka_unit_test(no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
