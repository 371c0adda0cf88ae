/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>

#include "scratch.h"

/* Put a right self_sha256 into a manifest that ends as one does. */
static void sign(char *text)
{
    size_t size = strlen(text);
    char *digits = text + size - 4 - 64, hex[AS_SHA256_HEX];
    memset(digits, '0', 64);
    assert_int_equal(as_sha256_bytes(text, size, hex, NULL), ASSAY_OK);
    memcpy(digits, hex, 64);
}

/* Write `root` as the signed manifest of `path` and load it. */
static assay_code load_signed(const char *path, json_t *root, assay_error *err)
{
    as_corpus *corpus;
    char *dumped = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    char *text = as_format("%s\n", dumped);
    sign(text);
    scratch_write(path, "manifest.json", text, strlen(text));
    assay_code code = as_corpus_load(path, &corpus, err);
    as_corpus_free(corpus);
    free(dumped);
    as_free(text);
    return code;
}

static char *make_corpus(const char *folder)
{
    as_freeze_options options = as_freeze_defaults();
    options.dpi = 60;
    return scratch_freeze(folder, "c", FORM "[2]", &options);
}

static json_t *read_manifest(const char *path)
{
    as_bytes text = scratch_read(path, "manifest.json");
    json_t *root = json_loads((char *)text.data, 0, NULL);
    as_bytes_free(&text);
    assert_non_null(root);
    return root;
}

static void a_manifest_written_by_somebody_else_is_read(void **state)
{
    (void)state;
    char *folder = scratch_make(), *path = make_corpus(folder);
    json_t *root = read_manifest(path);
    assay_error err = {0};
    if (load_signed(path, root, &err)) fail_msg("%s", err.message);
    json_decref(root);
    as_free(path);
    scratch_remove(folder);
}

/* One change to a good manifest, given as JSON: list and index (or NULL), key, new value. */
typedef struct change {
    const char *list;
    size_t index;
    const char *key, *value;
    assay_code code;
    const char *words;
} change;

static const change changes[] = {
    {NULL, 0, "schema", "\"other\"", ASSAY_E_FORMAT, "assay-corpus is needed"},
    {NULL, 0, "schema_version", "2", ASSAY_E_UNSUPPORTED, "schema version is 2"},
    {NULL, 0, "regions", "null", ASSAY_E_FORMAT, "\"regions\" is null, an array is needed"},
    {NULL, 0, "calls", "[]", ASSAY_E_FORMAT, "0 calls are listed, the regions give 3"},
    {"sources", 0, "name", "\"../form.pdf\"", ASSAY_E_FORMAT, "not a file's base name"},
    {"sources", 0, "name", "\"a\\\\\"", ASSAY_E_FORMAT, "not an escaped file name"},
    {"sources", 0, "bytes", "-1", ASSAY_E_FORMAT, "\"bytes\" is -1"},
    {"documents", 0, "source", "1", ASSAY_E_FORMAT, "\"source\" is 1 of 1 sources"},
    {"documents", 0, "id", "\"../x\"", ASSAY_E_FORMAT, "is not 1 to 200 of the characters"},
    {"documents", 0, "pages", "[2, 1]", ASSAY_E_FORMAT, "\"pages\" are 2 to 1"},
    {"regions", 1, "id", "\"form-p002-r01\"", ASSAY_E_FORMAT, "stands twice"},
    {"regions", 1, "id", "\"form\"", ASSAY_E_FORMAT, "stands twice"},
    {"regions", 1, "document", "\"other\"", ASSAY_E_FORMAT, "is not listed"},
    {"regions", 1, "document", "\"form-p002-r01\"", ASSAY_E_FORMAT, "is not listed"},
    {"regions", 1, "file", "\"../../etc/passwd\"", ASSAY_E_FORMAT,
     "is not \"regions/form-p002-r02.png\""},
    {"regions", 1, "file", "\"/etc/passwd\"", ASSAY_E_FORMAT,
     "is not \"regions/form-p002-r02.png\""},
    {"regions", 1, "page", "0", ASSAY_E_FORMAT, "\"page\" is 0"},
    {"regions", 1, "page", "99", ASSAY_E_FORMAT, "\"page\" is 99, pages"},
    {"regions", 1, "page", "1e3", ASSAY_E_FORMAT, "\"page\" is a number, an integer is needed"},
    {"regions", 1, "xywh", "[0, 0, 0, 5]", ASSAY_E_FORMAT, "the region has 0x5 pixels"},
    {"regions", 1, "xywh", "[0, 0, 70000, 5]", ASSAY_E_FORMAT, "the region has 70000x5 pixels"},
    {"regions", 1, "xywh", "[0, 0, 9999999999, 5]", ASSAY_E_FORMAT, "\"xywh\" is 9999999999"},
    {"regions", 1, "network_hw", "[64, 64]", ASSAY_E_FORMAT, "network_hw is 64, 64"},
    {"regions", 1, "sha256", "\"ABC\"", ASSAY_E_FORMAT, "64 lower-case hexadecimal digits"},
    {"regions", 1, "pixels_sha256", "7", ASSAY_E_FORMAT, "\"pixels_sha256\" is an integer"},
    {"regions", 1, "settings", "{\"unclip\": -1}", ASSAY_E_FORMAT, "unclip is -1"},
    {"regions", 1, "settings", "{\"limit_type\": \"mid\"}", ASSAY_E_FORMAT,
     "max or min is needed"},
    {"regions", 1, "settings", "{\"limit_side\": 5000}", ASSAY_E_FORMAT,
     "\"limit_side\" is 5000"},
    {"calls", 1, "id", "\"form-c009\"", ASSAY_E_FORMAT, "is not the one that the regions give"},
    {"calls", 1, "shape", "[1, 3, 32, 32]", ASSAY_E_FORMAT,
     "is not the one that the regions give"},
    {"calls", 1, "inputs", "[\"form-p002-r01\"]", ASSAY_E_FORMAT,
     "is not the one that the regions give"},
};

static void a_well_signed_lie_is_refused_with_its_place(void **state)
{
    (void)state;
    char *folder = scratch_make(), *path = make_corpus(folder);
    for (size_t i = 0; i < AS_COUNT_OF(changes); i++) {
        const change *c = &changes[i];
        assay_error err = {0};
        json_t *root = read_manifest(path);
        json_t *good = json_deep_copy(root);
        json_t *object =
            c->list ? json_array_get(json_object_get(root, c->list), c->index) : root;
        json_t *value = json_loads(c->value, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        assert_int_equal(json_object_set_new(object, c->key, value), 0);
        assay_code code = load_signed(path, root, &err);
        if (code != c->code || !strstr(err.message, c->words))
            fail_msg("%s %zu %s = %s: code %d, %s: %s", c->list ? c->list : "", c->index,
                     c->key, c->value, (int)code, err.where, err.message);
        assert_non_null(strstr(err.where, "manifest.json"));
        assert_int_equal(load_signed(path, good, NULL), ASSAY_OK);
        json_decref(good);
        json_decref(root);
    }
    as_free(path);
    scratch_remove(folder);
}

static void texts_that_are_no_manifest_are_refused(void **state)
{
    (void)state;
    static const char tail[] =
        "\"self_sha256\": \"0000000000000000000000000000000000000000000000000"
        "000000000000000\"\n}\n";
    static const struct {
        const char *head;
        bool has_tail;
        assay_code code;
    } cases[] = {{"", false, ASSAY_E_CHANGED},
                 {"{}", false, ASSAY_E_CHANGED},
                 {"[", true, ASSAY_E_FORMAT},
                 {"{", true, ASSAY_E_FORMAT},
                 {"{\"a\": 1, \"a\": 2, ", true, ASSAY_E_FORMAT},
                 {"{\"schema\": \"\xff\", ", true, ASSAY_E_FORMAT}};
    char *folder = scratch_make();
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_corpus *corpus;
        char *text = as_format("%s%s", cases[i].head, cases[i].has_tail ? tail : "");
        if (cases[i].has_tail) sign(text);
        scratch_write(folder, "manifest.json", text, strlen(text));
        assert_int_equal(as_corpus_load(folder, &corpus, NULL), cases[i].code);
        assert_null(corpus);
        as_free(text);
    }
    scratch_remove(folder);
}

static void no_memory_loads_nothing(void **state)
{
    (void)state;
    char *folder = scratch_make(), *path = make_corpus(folder);
    size_t n_failed = 0;
    for (size_t n = 1; n < 1000; n++) {
        as_corpus *corpus;
        as_memory_fail_at(n);
        assay_code code = as_corpus_load(path, &corpus, NULL);
        as_memory_fail_at(0);
        as_corpus_free(corpus);
        if (!code) break;
        assert_int_equal(code, ASSAY_E_MEMORY);
        n_failed++;
    }
    assert_in_range(n_failed, 4, 500);
    as_free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_manifest_written_by_somebody_else_is_read),
        cmocka_unit_test(a_well_signed_lie_is_refused_with_its_place),
        cmocka_unit_test(texts_that_are_no_manifest_are_refused),
        cmocka_unit_test(no_memory_loads_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
