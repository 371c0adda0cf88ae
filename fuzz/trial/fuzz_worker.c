/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as what stands between an experiment and a worker: as the job on the worker's stdin, and each
 * line as one that the worker tells.  A job that is read can be written and reads as the same; a slot's
 * record holds no row that its job has not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"
#include "trial/yield.h"

static const int inputs_of_call[] = {1, 0};
static const as_input_row inputs[] = {
    {"a", "regions/a.png", "aa", 0, 1, 31, 17, 32, 64, 0.3, 0.6, 1.5, 960, "max", ""},
    {"b", "regions/b.png", "bb", 0, 2, 33, 19, 32, 64, 0.2, 0.1, 2.0, 736, "min", ""}};
static const as_call_row calls[] = {{"c1", 0, {2, 3, 32, 64}, inputs_of_call},
                                    {"c2", 0, {1, 3, 32, 32}, inputs_of_call}};
#define JOB                                                                                    \
    .policy_text = "p=native", .n_cycles = 2, .inputs = inputs, .n_inputs = 2, .calls = calls, \
    .n_calls = 2
static const as_job jobs[] = {{JOB}, {JOB, .is_traced = true}};

static void check_record(const as_slot_record *r)
{
    for (size_t i = 0; i < r->n_samples; i++)
        if (r->samples[i].call < 0 || r->samples[i].call > 1 || r->samples[i].cycle > 1 ||
            r->samples[i].forward_ns < 0)
            abort();
    for (size_t i = 0; i < r->n_answers; i++)
        if (r->answers[i].input < 0 || r->answers[i].input > 1 || !r->answers[i].boxes) abort();
    for (size_t i = 0; i < r->n_cleanups; i++)
        if (r->cleanups[i].document != 0) abort();
    for (size_t i = 0; i < r->n_memory; i++)
        if (r->memory[i].call < -1 || r->memory[i].call > 1 || r->memory[i].document < -1 ||
            r->memory[i].document > 0)
            abort();
    for (size_t i = 0; i < r->n_profiles; i++)
        if (r->profiles[i].call < 0 || r->profiles[i].call > 1 || !r->profiles[i].trace)
            abort();
}

/* Each line of `whole` as told by the job's worker. */
static void tell(const as_job *job, const char *whole)
{
    char *text = strdup(whole);
    if (!text) abort();
    as_yield *yield = as_yield_new(job);
    as_slot_record record = {0};
    assay_error err;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (as_yield_take(yield, line, &err) && !err.message[0]) abort();
    as_yield_record(yield, &record);
    check_record(&record);
    if (as_yield_is_whole(yield) && (record.n_samples != 4 || record.n_answers != 6 ||
                                     record.n_profiles != (job->is_traced ? 4 : 0)))
        abort();
    as_yield_free(yield);
    free(text);
}

/* The job's text again, or NULL where it is none. */
static char *read_job(const char *text, size_t size)
{
    char *again = NULL;
    as_job read;
    as_arena *arena = as_arena_new();
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    if (!file || !arena) abort();
    if (!as_job_read(file, arena, &read, NULL) && as_job_write(&read, &again, NULL)) abort();
    fclose(file);
    as_arena_free(arena);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0; /* fmemopen takes no empty file */
    char *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    char *first = read_job(text, size);
    if (first) {
        char *second = read_job(first, strlen(first));
        if (!second || strcmp(first, second) != 0) abort();
        as_free(second);
    }
    as_free(first);
    for (size_t i = 0; i < 2; i++)
        tell(&jobs[i], text);
    free(text);
    return 0;
}
