/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/route_check.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

/*
 * PyTorch takes NNPACK for batches of at least 16 alone: aten/src/ATen/native/Convolution.cpp,
 * ConvParams::use_nnpack, "ensure large enough batch size to ensure perf".
 */
#define NNPACK_LEAST_N 16

#define NNPACK "_nnpack_spatial_convolution"

/* What a fused layer is, since no name says it. */
static const char *const fused = "several nodes";

/* A setting and what it means for the operators of a call. */
typedef struct rule {
    const char *engine;
    const char *setting; /* "key=value", or "key=" for any value, which is then the pattern */
    const char *pattern; /* looked for in a route's name, or in an operator's without one */
    const char *wanted;  /* "ran" or "absent" */
    size_t least_n, most_n; /* the largest forward has so many inputs; most_n 0: any */
} rule;

static const rule rules[] = {
    {"native", "conv=", NULL, "ran", 0, 0},
    {"native", "winograd=off", "winograd", "absent", 0, 0},
    {"native", "fuse=off", fused, "absent", 0, 0},
    {"torch", "mkldnn=on", "mkldnn_convolution", "ran", 0, 0},
    {"torch", "mkldnn=off", "mkldnn", "absent", 0, 0},
    {"torch", "nnpack=on", NNPACK, "ran", NNPACK_LEAST_N, 0},
    {"torch", "nnpack=on", NNPACK, "absent", 0, NNPACK_LEAST_N - 1},
    {"torch", "nnpack=off", NNPACK, "absent", 0, 0},
};

/* The policy's own words for a setting, "conv=gemm" for "conv="; *n receives their length. */
static const char *find_setting(const as_policy_row *policy, const char *setting, size_t *n)
{
    const size_t length = strlen(setting);
    const bool takes_any = setting[length - 1] == '=';
    for (const char *at = strchr(policy->text, ','); at; at = strchr(at, ',')) {
        at++;
        *n = strcspn(at, ",");
        if (strncmp(at, setting, length) == 0 && (takes_any || *n == length)) return at;
    }
    return NULL;
}

static size_t largest_n(const as_trace *trace)
{
    size_t n = 0;
    for (size_t i = 0; i < trace->n_forwards; i++)
        if (trace->forwards[i].n > n) n = trace->forwards[i].n;
    return n;
}

static bool matches(const as_traced_operator *op, const char *pattern)
{
    if (pattern == fused) return op->n_nodes > 1;
    return strstr(op->route[0] ? op->route : op->op, pattern) != NULL;
}

static int64_t count(const as_trace *trace, const char *pattern)
{
    int64_t n = 0;
    for (size_t i = 0; i < trace->n_operators; i++)
        if (matches(&trace->operators[i], pattern)) n += trace->operators[i].count;
    return trace->tells_operators ? n : -1;
}

void as_route_check_make(const as_policy_row *policy, const as_trace *trace,
                         as_route_check *out)
{
    const size_t n = largest_n(trace);
    *out = (as_route_check){0};
    for (size_t i = 0; i < AS_COUNT_OF(rules) && out->n < AS_ROUTE_CHECKS; i++) {
        const rule *r = &rules[i];
        size_t length = 0;
        const char *setting = find_setting(policy, r->setting, &length);
        if (!setting || strcmp(policy->engine, r->engine) != 0 || n < r->least_n ||
            (r->most_n && n > r->most_n))
            continue;
        char *text = out->settings[out->n];
        snprintf(text, sizeof out->settings[0], "%.*s", (int)length, setting);
        const char *pattern = r->pattern ? r->pattern : text + strlen(r->setting);
        out->rows[out->n++] = (as_route_row){.setting = text,
                                             .pattern = pattern,
                                             .wanted = r->wanted,
                                             .count = count(trace, pattern)};
    }
}

const as_route_row *as_route_check_broken(const as_route_check *check)
{
    for (size_t i = 0; i < check->n; i++)
        if (!as_route_row_holds(&check->rows[i])) return &check->rows[i];
    return NULL;
}

void as_route_row_describe(const as_route_row *row, char *text, size_t room)
{
    if (row->count < 0)
        snprintf(text, room, "%s cannot be shown, since the engine tells no operators",
                 row->setting);
    else
        snprintf(text, room, "%s%s '%s' ran %lld times", row->setting,
                 as_route_row_holds(row) ? ":" : ", but", row->pattern, (long long)row->count);
}
