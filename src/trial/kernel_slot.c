/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/kernel_slot.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "trial/noise_meter.h"
#include "trial/protocol.h"
#include "verdict/steady.h"

/* The kernel: a product of two matrices of 96 x 96, which stay in the first caches. */
enum { SIDE = 96 };
static const double slot_limit_s = 120;

typedef struct matrices {
    float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
} matrices;

static void fill(matrices *m)
{
    uint32_t state = 20260918;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            state = state * 1664525U + 1013904223U; /* Numerical Recipes' constants */
            m->a[i][j] = (float)(state >> 16) / 65536;
            m->b[i][j] = (float)(state & 0xffff) / 65536;
        }
}

static void multiply(matrices *m)
{
    memset(m->c, 0, sizeof m->c);
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                m->c[i][j] += m->a[i][k] * m->b[k][j];
    m->a[0][0] = m->c[0][0] / SIDE; /* each product needs the one before */
}

static double seconds_of(matrices *m, size_t repetitions)
{
    int64_t begin_ns = as_clock_ns();
    for (size_t i = 0; i < repetitions; i++)
        multiply(m);
    return (double)(as_clock_ns() - begin_ns) * 1e-9;
}

static double checksum(const matrices *m)
{
    double sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum += (double)m->c[i][j];
    return sum;
}

assay_code as_kernel_slot_main(size_t repetitions, FILE *out, assay_error *err)
{
    matrices *m = as_alloc(sizeof *m);
    as_noise_meter *meter = NULL;
    as_noise noise;
    as_steady steady = {0};
    assay_code code = m ? as_noise_meter_new("", &meter, err)
                        : as_fail(err, ASSAY_E_MEMORY, "no memory for three matrices");
    if (code) goto done;
    fill(m);
    while (as_steady_goes_on(&steady))
        as_steady_add(&steady, seconds_of(m, 1));
    as_noise_meter_begin(meter, 0);
    double seconds = seconds_of(m, repetitions);
    as_noise_meter_end(meter, &noise);
    fprintf(out, "{\"seconds\":%.9f,\"checksum\":%.17g,\"steady\":%s}\n", seconds, checksum(m),
            steady.is_steady ? "true" : "false");
    code = as_protocol_noise(out, &noise, err);
done:
    as_noise_meter_free(meter);
    as_free(m);
    return code;
}

/* The two lines that the process printed. */
static assay_code take(const char *text, as_duel_slot *out, assay_error *err)
{
    const char *second = strchr(text, '\n');
    json_t *times = NULL, *noise = NULL;
    assay_code code =
        as_json_parse(text, second ? (size_t)(second - text) : strlen(text), 0, &times, err);
    if (!code && second) code = as_json_parse(second, strlen(second), 0, &noise, err);
    out->seconds = as_json_member_number(times, "seconds");
    if (!code && !(out->seconds > 0 && as_json_member_number(times, "checksum") > 0 && noise))
        code = as_fail(err, ASSAY_E_CHILD, "a kernel's process told no time: %.80s", text);
    if (!code) out->noise = as_protocol_take_noise(noise);
    json_decref(times);
    json_decref(noise);
    return code;
}

assay_code as_kernel_slot(void *context, int side, as_duel_slot *out, assay_error *err)
{
    const as_kernel_sides *sides = context;
    char repetitions[24];
    const char *argv[8] = {0};
    size_t n = 0;
    as_process_result result = {0};
    snprintf(repetitions, sizeof repetitions, "%zu", sides->repetitions[side]);
    for (; sides->argv[n] && n < 5; n++)
        argv[n] = sides->argv[n];
    argv[n++] = "--kernel";
    argv[n] = repetitions;
    as_process_options options = as_process_defaults(argv);
    options.wall_s = slot_limit_s;
    assay_code code = as_process_run(&options, &result, err);
    if (!code && (result.end != AS_PROCESS_EXITED || result.status != 0))
        code = as_fail(err, ASSAY_E_CHILD, "a kernel's process broke: %.120s",
                       (const char *)result.err.data);
    if (!code) code = take((const char *)result.out.data, out, err);
    out->total_s = result.wall_s;
    as_process_result_free(&result);
    return code;
}
