/* SPDX-License-Identifier: Apache-2.0 */
#include "train/split.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "train/streams.h"

#define N_PARTS 3

/* Most bytes of a manifest: ids of tens of millions of samples. */
#define MANIFEST_BYTES_MAX ((size_t)256 << 20)

/* When the labels of the test ids are read; the search holds itself to it. */
static const char *const test_labels = "not read until selection.json is written and synced";

static const char *const part_names[N_PARTS] = {"train", "validation", "test"};
static const char *const part_keys[N_PARTS] = {"train_ids", "validation_ids", "test_ids"};

/* A part's ids with their number, so that what is done to all parts is a loop. */
typedef struct part {
    size_t **ids, *n;
} part;

static part part_of(as_split *s, size_t i)
{
    const part all[N_PARTS] = {
        {&s->train, &s->n_train}, {&s->validation, &s->n_validation}, {&s->test, &s->n_test}};
    return all[i];
}

void as_split_free(as_split *split)
{
    as_free(split->train);
    as_free(split->validation);
    as_free(split->test);
    *split = (as_split){0};
}

static assay_code make_room(as_split *s, size_t i, size_t n, assay_error *err)
{
    *part_of(s, i).ids = as_alloc_array(n + 1, sizeof(size_t));
    return *part_of(s, i).ids ? ASSAY_OK
                              : as_fail(err, ASSAY_E_MEMORY, "no memory for %zu ids", n);
}

static int by_id(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void sort_parts(as_split *s)
{
    for (size_t i = 0; i < N_PARTS; i++)
        qsort(*part_of(s, i).ids, *part_of(s, i).n, sizeof(size_t), by_id);
}

/* n samples of one class into parts: shares rounded down, then one each by greatest remainder. */
static void apportion(size_t n, const double shares[N_PARTS], size_t counts[N_PARTS])
{
    double remainders[N_PARTS];
    size_t left = n;
    for (size_t i = 0; i < N_PARTS; i++) {
        const double exact = (double)n * shares[i];
        /* 5 * 0.6 is 3, not 2.9999999999999996 */
        counts[i] = (size_t)floor(exact + 1e-9);
        remainders[i] = exact - (double)counts[i];
        left -= counts[i];
    }
    for (; left; left--) {
        size_t most = 0;
        for (size_t i = 1; i < N_PARTS; i++)
            if (remainders[i] > remainders[most] + 1e-9) most = i;
        counts[most]++;
        remainders[most] = -1;
    }
}

static assay_code check_shares(const double shares[N_PARTS], assay_error *err)
{
    const double sum = shares[0] + shares[1] + shares[2];
    if (shares[0] > 0 && shares[1] > 0 && shares[2] > 0 && fabs(sum - 1) <= 1e-9)
        return ASSAY_OK;
    return as_fail(
        err, ASSAY_E_ARGUMENT,
        "shares of %g, %g and %g do not split anything, each has to be above 0 and all "
        "together 1",
        shares[0], shares[1], shares[2]);
}

/* Deal the shuffled ids of one class out. */
static assay_code deal(const size_t *ids, size_t n, size_t label, const double shares[N_PARTS],
                       as_split *s, assay_error *err)
{
    size_t counts[N_PARTS], at = 0;
    apportion(n, shares, counts);
    for (size_t i = 0; i < N_PARTS; i++) {
        const part to = part_of(s, i);
        if (!counts[i])
            return as_fail(err, ASSAY_E_FORMAT,
                           "class %zu has %zu samples, too few to split: none is left for %s",
                           label, n, part_names[i]);
        memcpy(*to.ids + *to.n, ids + at, counts[i] * sizeof *ids);
        *to.n += counts[i];
        at += counts[i];
    }
    return ASSAY_OK;
}

assay_code as_split_stratified(const as_dataset *dataset, const double shares[3], uint64_t seed,
                               as_split *out, assay_error *err)
{
    as_split s = {0};
    uint64_t state = as_random_stream(seed, AS_STREAM_SPLIT);
    *out = (as_split){0};
    size_t *ids = NULL;
    assay_code code = check_shares(shares, err);
    for (size_t i = 0; !code && i < N_PARTS; i++)
        code = make_room(&s, i, dataset->n, err);
    if (code) goto done;
    ids = as_alloc_array(dataset->n, sizeof *ids);
    if (!ids) code = as_fail(err, ASSAY_E_MEMORY, "no memory for %zu ids", dataset->n);
    for (size_t label = 0; !code && label < dataset->n_classes; label++) {
        size_t n = 0;
        for (size_t i = 0; i < dataset->n; i++)
            if ((size_t)dataset->labels[i] == label) ids[n++] = i;
        as_random_shuffle(ids, n, &state);
        code = deal(ids, n, label, shares, &s, err);
    }
    if (code) goto done;
    sort_parts(&s);
    snprintf(s.policy, sizeof s.policy,
             "stratified random split by sample (writers are not kept apart), shares %g/%g/%g, "
             "seed %llu",
             shares[0], shares[1], shares[2], (unsigned long long)seed);
    *out = s;
    s = (as_split){0};
done:
    as_split_free(&s);
    as_free(ids);
    return code;
}

/* The hash under `key` has to be the data set's. */
static void check_hash(as_fields *f, const char *key, const char *sha256, const char *what)
{
    const char *text = as_field_text(f, key);
    if (!f->code && strcmp(text, sha256) != 0)
        f->code =
            as_fail(f->err, ASSAY_E_FORMAT,
                    "it splits other %s: their SHA-256 is %.12s..., the data set's %.12s...",
                    what, text, sha256);
}

/* One part's ids; is_taken[n] marks those that stood already. */
static assay_code read_part(as_fields *f, size_t i, size_t n_samples, bool *is_taken,
                            as_split *s)
{
    const json_t *list = as_field_array(f, part_keys[i]);
    if (f->code) return f->code;
    const size_t n = json_array_size(list);
    f->code = n ? make_room(s, i, n, f->err)
                : as_fail(f->err, ASSAY_E_FORMAT, "\"%s\" is empty", part_keys[i]);
    for (size_t k = 0; !f->code && k < n; k++) {
        const json_t *value = json_array_get(list, k);
        const json_int_t id = json_integer_value(value);
        if (!json_is_integer(value) || id < 0 || (uint64_t)id >= n_samples)
            f->code = as_fail(f->err, ASSAY_E_FORMAT,
                              "value %zu of \"%s\" is no sample's id, these are 0..%zu", k + 1,
                              part_keys[i], n_samples - 1);
        else if (is_taken[id])
            f->code =
                as_fail(f->err, ASSAY_E_FORMAT, "sample %lld stands twice, again in \"%s\"",
                        (long long)id, part_keys[i]);
        if (f->code) break;
        is_taken[id] = true;
        (*part_of(s, i).ids)[(*part_of(s, i).n)++] = (size_t)id;
    }
    return f->code;
}

static assay_code read_root(const json_t *root, const as_dataset *dataset, as_split *s,
                            assay_error *err)
{
    as_fields f = {.object = root, .err = err};
    bool *is_taken = as_alloc_array(dataset->n, sizeof *is_taken);
    if (!is_taken) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu ids", dataset->n);
    check_hash(&f, "input_sha256", dataset->input_sha256, "images");
    check_hash(&f, "labels_sha256", dataset->labels_sha256, "labels");
    const char *policy = as_field_text(&f, "split_policy");
    if (!f.code && strlen(policy) >= sizeof s->policy)
        f.code = as_fail(err, ASSAY_E_FORMAT,
                         "\"split_policy\" has %zu bytes, less than %zu are needed",
                         strlen(policy), sizeof s->policy);
    if (!f.code) memcpy(s->policy, policy, strlen(policy) + 1);
    for (size_t i = 0; !f.code && i < N_PARTS; i++)
        read_part(&f, i, dataset->n, is_taken, s);
    if (!f.code) sort_parts(s);
    as_free(is_taken);
    return f.code;
}

assay_code as_split_parse(const void *text, size_t size, const char *name,
                          const as_dataset *dataset, as_split *out, assay_error *err)
{
    as_split s = {0};
    json_t *root = NULL;
    *out = (as_split){0};
    assay_code code = as_json_parse(text, size, 0, &root, err);
    if (!code) code = read_root(root, dataset, &s, err);
    if (code) {
        as_error_where(err, "%s", as_path_base(name));
        as_split_free(&s);
    }
    json_decref(root);
    *out = s;
    return code;
}

assay_code as_split_read(const char *manifest, const as_dataset *dataset, as_split *out,
                         assay_error *err)
{
    as_bytes text = {0};
    *out = (as_split){0};
    assay_code code = as_file_read(manifest, MANIFEST_BYTES_MAX, &text, err);
    if (!code) code = as_split_parse(text.data, text.size, manifest, dataset, out, err);
    as_bytes_free(&text);
    return code;
}

static json_t *ids_json(const size_t *ids, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        as_json_append(&list, json_integer((json_int_t)ids[i]));
    return list;
}

json_t *as_split_json(const as_split *split, const as_dataset *dataset)
{
    as_split s = *split; /* borrows its ids */
    json_t *root = json_object(), *counts = json_object();
    as_json_set(&root, "dataset", json_string(dataset->name));
    for (size_t i = 0; i < N_PARTS; i++)
        as_json_set(&counts, part_names[i], json_integer((json_int_t)*part_of(&s, i).n));
    as_json_set(&root, "counts", counts);
    for (size_t i = 0; i < N_PARTS; i++)
        as_json_set(&root, part_keys[i], ids_json(*part_of(&s, i).ids, *part_of(&s, i).n));
    as_json_set(&root, "input_sha256", json_string(dataset->input_sha256));
    as_json_set(&root, "labels_sha256", json_string(dataset->labels_sha256));
    as_json_set(&root, "split_policy", json_string(s.policy));
    as_json_set(&root, "test_labels", json_string(test_labels));
    return root;
}
