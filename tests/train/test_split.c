/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"
#include "train/split.h"

enum { N = 103 };

static int32_t labels[N];
static char name[] = "test";
static const double shares[3] = {0.6, 0.2, 0.2};

/* Classes of 50, 33 and 20 samples. */
static as_dataset data(void)
{
    as_dataset d = {.name = name, .n = N, .n_classes = 3, .labels = labels};
    for (size_t i = 0; i < N; i++)
        labels[i] = i < 50 ? 0 : i < 83 ? 1 : 2;
    strcpy(d.input_sha256, "aa");
    strcpy(d.labels_sha256, "bb");
    return d;
}

static as_split split_of(const as_dataset *d, uint64_t seed)
{
    as_split s;
    assay_error err;
    if (as_split_stratified(d, shares, seed, &s, &err)) fail_msg("%s", err.message);
    return s;
}

static void every_sample_is_in_one_part_and_every_class_in_its_share(void **state)
{
    const as_dataset d = data();
    as_split s = split_of(&d, 1);
    size_t seen[N] = {0}, of_class[3][3] = {{0}};
    const size_t *parts[3] = {s.train, s.validation, s.test};
    const size_t counts[3] = {s.n_train, s.n_validation, s.n_test};
    static const size_t want[3][3] = {{30, 10, 10}, {20, 7, 6}, {12, 4, 4}};
    (void)state;
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < counts[p]; i++) {
            seen[parts[p][i]]++;
            of_class[d.labels[parts[p][i]]][p]++;
            assert_true(i == 0 || parts[p][i] > parts[p][i - 1]);
        }
    for (size_t i = 0; i < N; i++)
        assert_int_equal(seen[i], 1);
    assert_memory_equal(of_class, want, sizeof want);
    as_split_free(&s);
}

static void the_seed_alone_decides(void **state)
{
    const as_dataset d = data();
    as_split a = split_of(&d, 1), b = split_of(&d, 1), c = split_of(&d, 2);
    (void)state;
    assert_memory_equal(a.train, b.train, a.n_train * sizeof *a.train);
    assert_memory_not_equal(a.train, c.train, a.n_train * sizeof *a.train);
    as_split_free(&a);
    as_split_free(&b);
    as_split_free(&c);
}

static void a_class_that_is_too_small_is_told(void **state)
{
    as_dataset d = data();
    as_split s;
    assay_error err;
    (void)state;
    for (size_t i = 50; i < 101; i++)
        labels[i] = 0; /* two samples are left of class 2 */
    labels[60] = labels[61] = labels[62] = labels[63] = labels[64] = 1;
    assert_int_equal(as_split_stratified(&d, shares, 1, &s, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "class 2 has 2 samples, too few to split"));
    assert_null(s.train);
}

static void shares_have_to_be_shares(void **state)
{
    const as_dataset d = data();
    static const double bad[][3] = {{0.6, 0.2, 0.1}, {1, 0, 0}, {1.2, -0.1, -0.1}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        as_split s;
        assert_int_equal(as_split_stratified(&d, bad[i], 1, &s, NULL), ASSAY_E_ARGUMENT);
    }
}

static void a_manifest_gives_its_split_back(void **state)
{
    const as_dataset d = data();
    as_split a = split_of(&d, 3), b;
    assay_error err;
    json_t *root = as_split_json(&a, &d);
    char *text = as_json_dump(root, JSON_INDENT(1));
    (void)state;
    assert_non_null(text);
    if (as_split_parse(text, strlen(text), "m.json", &d, &b, &err)) fail_msg("%s", err.message);
    assert_int_equal(a.n_test, b.n_test);
    assert_memory_equal(a.train, b.train, a.n_train * sizeof *a.train);
    assert_memory_equal(a.validation, b.validation, a.n_validation * sizeof *a.validation);
    assert_memory_equal(a.test, b.test, a.n_test * sizeof *a.test);
    assert_string_equal(a.policy, b.policy);
    json_decref(root);
    as_free(text);
    as_split_free(&a);
    as_split_free(&b);
}

static void manifests_that_do_not_fit_are_told(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"{\"input_sha256\": \"cc\"}", "it splits other images"},
        {"{\"input_sha256\": \"aa\", \"labels_sha256\": \"cc\"}", "it splits other labels"},
        {"{\"input_sha256\": \"aa\", \"labels_sha256\": \"bb\", \"split_policy\": \"\", "
         "\"train_ids\": [1, 103]}",
         "value 2 of \"train_ids\" is no sample's id, these are 0..102"},
        {"{\"input_sha256\": \"aa\", \"labels_sha256\": \"bb\", \"split_policy\": \"\", "
         "\"train_ids\": [1, 2], \"validation_ids\": [2]}",
         "sample 2 stands twice, again in \"validation_ids\""},
        {"{\"input_sha256\": \"aa\", \"labels_sha256\": \"bb\", \"split_policy\": \"\", "
         "\"train_ids\": []}",
         "\"train_ids\" is empty"},
        {"[", "end of file"},
    };
    const as_dataset d = data();
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        as_split s;
        assay_error err = {0};
        assert_int_equal(
            as_split_parse(bad[i].text, strlen(bad[i].text), "x/m.json", &d, &s, &err),
            ASSAY_E_FORMAT);
        if (!strstr(err.message, bad[i].message)) fail_msg("%s", err.message);
        assert_non_null(strstr(err.where, "m.json"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_in_one_part_and_every_class_in_its_share),
        cmocka_unit_test(the_seed_alone_decides),
        cmocka_unit_test(a_class_that_is_too_small_is_told),
        cmocka_unit_test(shares_have_to_be_shares),
        cmocka_unit_test(a_manifest_gives_its_split_back),
        cmocka_unit_test(manifests_that_do_not_fit_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
