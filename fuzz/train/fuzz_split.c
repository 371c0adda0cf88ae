/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a split manifest of nine samples.  What is taken has every id at most once, and is the same when
 * it was written and read again.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "fuzz.h"
#include "train/split.h"

enum { N = 9 };

static void check(const as_split *s)
{
    bool seen[N] = {false};
    const size_t *parts[] = {s->train, s->validation, s->test};
    const size_t counts[] = {s->n_train, s->n_validation, s->n_test};
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < counts[p]; i++) {
            if (parts[p][i] >= N || seen[parts[p][i]]) abort();
            seen[parts[p][i]] = true;
        }
}

static char *text_of(const void *data, size_t size, const as_dataset *dataset)
{
    as_split split;
    assay_error err = {0};
    if (as_split_parse(data, size, "split.json", dataset, &split, &err)) {
        if (split.train || !err.message[0]) abort();
        return NULL;
    }
    check(&split);
    json_t *root = as_split_json(&split, dataset);
    char *text = as_json_dump(root, JSON_COMPACT);
    json_decref(root);
    as_split_free(&split);
    if (!text) abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int32_t labels[N] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    static char name[] = "toy";
    const as_dataset dataset = {.name = name,
                                .n = N,
                                .n_classes = 3,
                                .labels = labels,
                                .input_sha256 = "aa",
                                .labels_sha256 = "bb"};
    char *first = text_of(data, size, &dataset);
    if (!first) return 0;
    char *second = text_of(first, strlen(first), &dataset);
    if (!second || strcmp(first, second) != 0) abort();
    as_free(first);
    as_free(second);
    return 0;
}
