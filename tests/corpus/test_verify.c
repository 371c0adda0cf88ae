/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

/* What verify reports, as names of files. */
typedef struct seen {
    size_t n;
    char file[128];
} seen;

static void take(void *context, const char *file, const assay_error *problem)
{
    seen *s = context;
    assert_true(problem->message[0] != '\0');
    snprintf(s->file, sizeof s->file, "%s", file);
    s->n++;
}

/* verify names `file` and nothing else. */
static void assert_found(const char *path, const char *file)
{
    seen s = {0};
    assay_error err = {0};
    assay_code code = as_corpus_verify(path, NULL, take, &s, &err);
    if (!code || s.n != 1 || strcmp(s.file, file) != 0)
        fail_msg("%s: code %d, %zu problems, %s: %s", file, (int)code, s.n, s.file,
                 err.message);
    assert_non_null(strstr(err.message, file));
}

/* A corpus of three regions of one page. */
static char *make_corpus(const char *folder)
{
    as_freeze_options options = as_freeze_defaults();
    options.dpi = 60;
    return scratch_freeze(folder, "c", FORM "[2]", &options);
}

static void an_unchanged_corpus_has_no_problem(void **state)
{
    (void)state;
    seen s = {0};
    char *folder = scratch_make(), *path = make_corpus(folder);
    assert_int_equal(as_corpus_verify(path, NULL, take, &s, NULL), ASSAY_OK);
    assert_int_equal(s.n, 0);
    as_free(path);
    scratch_remove(folder);
}

static void one_flipped_bit_in_any_file_is_found_and_the_file_named(void **state)
{
    (void)state;
    uint32_t seed = 20260918;
    char *folder = scratch_make(), *path = make_corpus(folder);
    as_corpus *c = scratch_load(path);
    for (size_t i = 0; i < c->n_regions + 2; i++) {
        const char *name = i < c->n_regions    ? c->regions[i].file
                           : i == c->n_regions ? "manifest.json"
                                               : "SHA256SUMS";
        as_bytes file = scratch_read(path, name);
        for (int round = 0; round < 12; round++) {
            seed = seed * 1664525u + 1013904223u;
            size_t place = round == 0   ? 0
                           : round == 1 ? file.size - 1
                                        : (seed >> 8) % file.size;
            unsigned char bit = (unsigned char)(1u << (seed >> 29));
            file.data[place] ^= bit;
            scratch_write(path, name, file.data, file.size);
            assert_found(path, name);
            file.data[place] ^= bit;
        }
        scratch_write(path, name, file.data, file.size);
        as_bytes_free(&file);
    }
    assert_int_equal(as_corpus_verify(path, NULL, NULL, NULL, NULL), ASSAY_OK);
    as_corpus_free(c);
    as_free(path);
    scratch_remove(folder);
}

static void no_bit_of_the_manifest_can_change_unseen(void **state)
{
    (void)state;
    char *folder = scratch_make(), *path = make_corpus(folder);
    as_bytes file = scratch_read(path, "manifest.json");
    for (size_t place = 0; place < file.size; place += 3) {
        as_corpus *corpus;
        unsigned char bit = (unsigned char)(1u << (place % 8));
        file.data[place] ^= bit;
        scratch_write(path, "manifest.json", file.data, file.size);
        file.data[place] ^= bit;
        assert_int_equal(as_corpus_load(path, &corpus, NULL), ASSAY_E_CHANGED);
    }
    as_bytes_free(&file);
    as_free(path);
    scratch_remove(folder);
}

static void missing_cut_and_additional_files_are_found(void **state)
{
    (void)state;
    static const char *const files[] = {"regions/form-p002-r02.png", "SHA256SUMS",
                                        "manifest.json"};
    char *folder = scratch_make(), *path = make_corpus(folder);
    for (size_t i = 0; i < AS_COUNT_OF(files); i++) {
        as_bytes file = scratch_read(path, files[i]);
        char *whole = as_path_join(path, files[i]);
        assert_int_equal(as_path_remove(whole, NULL), ASSAY_OK);
        assert_found(path, files[i]);
        scratch_write(path, files[i], file.data, file.size / 2);
        assert_found(path, files[i]);
        scratch_write(path, files[i], "", 0);
        assert_found(path, files[i]);
        scratch_write(path, files[i], file.data, file.size);
        as_free(whole);
        as_bytes_free(&file);
    }
    scratch_write(path, "regions/form-p002-r04.png", "x", 1);
    assert_found(path, "regions/form-p002-r04.png");
    char *extra = as_path_join(path, "regions/form-p002-r04.png");
    assert_int_equal(as_path_remove(extra, NULL), ASSAY_OK);
    scratch_write(path, "notes.txt", "x", 1);
    assert_found(path, "notes.txt");
    as_free(extra);
    as_free(path);
    scratch_remove(folder);
}

static void a_link_in_the_place_of_a_region_is_found(void **state)
{
    (void)state;
    char *folder = scratch_make(), *path = make_corpus(folder);
    char *region = as_path_join(path, "regions/form-p002-r01.png");
    char *away = as_path_join(folder, "away.png");
    assert_int_equal(rename(region, away), 0);
    assert_int_equal(symlink(away, region), 0);
    assert_found(path, "regions/form-p002-r01.png");
    as_free(region);
    as_free(away);
    as_free(path);
    scratch_remove(folder);
}

static void a_link_in_the_place_of_the_regions_is_found(void **state)
{
    (void)state;
    char *folder = scratch_make(), *path = make_corpus(folder);
    char *regions = as_path_join(path, "regions"), *away = as_path_join(folder, "away");
    assert_int_equal(rename(regions, away), 0);
    assert_int_equal(symlink(away, regions), 0);
    assert_found(path, "regions");
    as_free(regions);
    as_free(away);
    as_free(path);
    scratch_remove(folder);
}

static void a_changed_region_gives_no_pixels(void **state)
{
    (void)state;
    char *folder = scratch_make(), *path = make_corpus(folder);
    as_corpus *c = scratch_load(path);
    as_bytes other = scratch_read(path, c->regions[0].file);
    as_image image;
    assay_error err;
    assert_int_equal(as_corpus_region_pixels(c, 1, &image, NULL), ASSAY_OK);
    as_image_free(&image);
    scratch_write(path, c->regions[1].file, other.data, other.size);
    assert_int_equal(as_corpus_region_pixels(c, 1, &image, &err), ASSAY_E_CHANGED);
    assert_null(image.bgr);
    assert_non_null(strstr(err.message, "regions/form-p002-r02.png is changed"));
    as_bytes_free(&other);
    as_corpus_free(c);
    as_free(path);
    scratch_remove(folder);
}

static void what_is_no_corpus_is_told(void **state)
{
    (void)state;
    as_corpus *corpus;
    assay_error err;
    assert_int_equal(as_corpus_load("cases/none", &corpus, &err), ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message, "corpus cases/none does not exist");
    assert_int_equal(as_corpus_load("cases", &corpus, &err), ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message, "cases is not a corpus: it has no manifest.json");
    assert_int_equal(as_corpus_load(FORM, &corpus, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "is a file, a corpus is a folder"));
    assert_null(corpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_corpus_has_no_problem),
        cmocka_unit_test(one_flipped_bit_in_any_file_is_found_and_the_file_named),
        cmocka_unit_test(no_bit_of_the_manifest_can_change_unseen),
        cmocka_unit_test(missing_cut_and_additional_files_are_found),
        cmocka_unit_test(a_link_in_the_place_of_a_region_is_found),
        cmocka_unit_test(a_link_in_the_place_of_the_regions_is_found),
        cmocka_unit_test(a_changed_region_gives_no_pixels),
        cmocka_unit_test(what_is_no_corpus_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
