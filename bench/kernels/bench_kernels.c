/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of convolution routes on the shapes of a text file, against the peak of fused
 * multiply-adds that this program measures itself on the same core.
 *
 *     bench_kernels [--isa avx2] [--repeat 15] [--match 96] bench/kernels/shapes.txt
 *
 * One thread, whose processor time is counted, since other processes' turns say nothing about a
 * kernel; the peak is measured again before each row, since machines have slow phases.  Each
 * row: shape, route, median, least and spread of the repeats, GFLOP/s and % of peak from the
 * median.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/denormals.h"
#include "base/memory.h"
#include "kernels/kernels.h"
#include "kernels/peak.h"

#define MAX_REPEAT 1000

/* One line of the file: kind n ic ih iw oc k stride pad epilogue. */
typedef struct bench_line {
    char kind[16], epilogue[16];
    as_conv_shape shape;
} bench_line;

typedef struct bench_options {
    as_isa isa;
    int repeat;
    const char *match;
    const char *path;
} bench_options;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool parse_line(const char *text, bench_line *out)
{
    size_t n, ic, ih, iw, oc, k, stride, pad;
    *out = (bench_line){0};
    if (sscanf(text, "%15s %zu %zu %zu %zu %zu %zu %zu %zu %15s", out->kind, &n, &ic, &ih, &iw,
               &oc, &k, &stride, &pad, out->epilogue) != 10 ||
        stride == 0)
        return false;
    const bool is_deconv = strcmp(out->kind, "deconv") == 0;
    const bool is_depthwise = strcmp(out->kind, "depthwise") == 0;
    out->shape = (as_conv_shape){.n = n,
                                 .ih = ih,
                                 .iw = iw,
                                 .ic = ic,
                                 .oc = oc,
                                 .kh = k,
                                 .kw = k,
                                 .sh = stride,
                                 .sw = stride,
                                 .dh = 1,
                                 .dw = 1,
                                 .pad_top = pad,
                                 .pad_left = pad,
                                 .group = is_depthwise ? ic : 1,
                                 .is_input = true};
    out->shape.oh = is_deconv ? ih * stride : (ih + 2 * pad - k) / stride + 1;
    out->shape.ow = is_deconv ? iw * stride : (iw + 2 * pad - k) / stride + 1;
    return true;
}

static void fill(float *data, size_t n)
{
    unsigned state = 12345;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525U + 1013904223U;
        data[i] = (float)(int)(state >> 8) / 8388608.0f - 1.0f;
    }
}

static as_epilogue epilogue_of(const char *name)
{
    as_epilogue e = {0};
    for (as_step_kind kind = 0; kind < AS_STEP_N; kind++)
        if (strcmp(as_step_name(kind), name) == 0) e = (as_epilogue){1, {{.kind = kind}}};
    return e;
}

static void report(const bench_line *line, const as_route *route, double *s, int n, double peak)
{
    const as_conv_shape *c = &line->shape;
    const bool is_deconv = strcmp(line->kind, "deconv") == 0;
    const double macs = (double)(is_deconv ? as_deconv_macs(c) : as_conv_macs(c));
    qsort(s, (size_t)n, sizeof *s, compare);
    const double median = s[n / 2], gflops = 2e-9 * macs / median;
    printf("%-9s n%zu %4zu->%-4zu %zux%-4zu k%zu s%zu %-10s %-9s %9.1f us  min %9.1f  iqr "
           "%4.1f%%  %6.1f "
           "GFLOP/s %3.0f%%\n",
           line->kind, c->n, c->ic, c->oc, c->ih, c->iw, c->kh, c->sh, line->epilogue,
           route->name, 1e6 * median, 1e6 * s[0], 100 * (s[3 * n / 4] - s[n / 4]) / median,
           gflops, 100 * gflops / peak);
}

/* Time one route on one line. @return false without memory. */
static bool bench_route(const bench_line *line, const as_route *route,
                        const bench_options *options)
{
    const as_conv_shape *c = &line->shape;
    const size_t n_in = c->n * c->ih * c->iw * c->ic, n_out = c->n * c->oh * c->ow * c->oc;
    const size_t n_weights = c->ic * c->oc * c->kh * c->kw / c->group;
    float *in = as_alloc_array(n_in, sizeof *in), *out = as_alloc_array(n_out, sizeof *out);
    float *weights = as_alloc_array(n_weights, sizeof *weights);
    float *packed = as_alloc_array(route->packed_floats(c), sizeof *packed);
    float *scratch = as_alloc_array(route->scratch_floats(c) + 1, sizeof *scratch);
    const bool is_good = in && out && weights && packed && scratch;
    if (is_good) {
        const as_epilogue epilogue = epilogue_of(line->epilogue);
        const double peak = as_peak_gflops(options->isa);
        double s[MAX_REPEAT];
        fill(in, n_in);
        fill(weights, n_weights);
        route->pack(c, weights, NULL, packed);
        as_conv_args args = {.shape = *c,
                             .packed = packed,
                             .epilogue = &epilogue,
                             .in = as_view_of(in, c->n, c->ih, c->iw, c->ic),
                             .out = as_view_of(out, c->n, c->oh, c->ow, c->oc)};
        for (int i = -2; i < options->repeat; i++) {
            const int64_t start_ns = as_clock_thread_ns();
            route->run(&args, 0, route->n_items(c), scratch);
            if (i >= 0) s[i] = 1e-9 * (double)(as_clock_thread_ns() - start_ns);
        }
        report(line, route, s, options->repeat, peak);
    }
    as_free(in);
    as_free(out);
    as_free(weights);
    as_free(packed);
    as_free(scratch);
    return is_good;
}

static int bench_file(const bench_options *options)
{
    const as_kernels *kernels = as_kernels_get(options->isa);
    FILE *file = fopen(options->path, "re");
    if (!file) {
        fprintf(stderr, "bench_kernels: %s: %s\n", options->path, strerror(errno));
        return 4;
    }
    char text[256];
    int status = 0;
    for (int number = 1; fgets(text, sizeof text, file) && status == 0; number++) {
        bench_line line;
        if (text[0] == '#' || text[0] == '\n') continue;
        if (options->match && !strstr(text, options->match)) continue;
        if (!parse_line(text, &line)) {
            fprintf(stderr,
                    "bench_kernels: %s:%d: a line needs kind, 8 numbers and an epilogue\n",
                    options->path, number);
            status = 4;
            break;
        }
        const bool is_deconv = strcmp(line.kind, "deconv") == 0;
        const as_route *routes = is_deconv ? kernels->deconv : kernels->conv;
        const size_t n_routes = is_deconv ? kernels->n_deconv : kernels->n_conv;
        for (size_t i = 0; i < n_routes && status == 0; i++) {
            if (!routes[i].proposes(&line.shape)) continue;
            if (line.shape.group > 1 && strcmp(routes[i].name, "direct") == 0) continue;
            if (!bench_route(&line, &routes[i], options)) status = 5;
        }
    }
    fclose(file);
    return status;
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_kernels [--isa scalar|avx2|avx512|neon] [--repeat N] "
                    "[--match TEXT] SHAPES\n");
    return 2;
}

int main(int argc, char **argv)
{
    bench_options options = {.repeat = 15};
    assay_error err = {0};
    as_cpu_info cpu;
    as_cpu_info_get(&cpu);
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--isa") == 0 && has_value)
            setenv("ASSAY_ISA", argv[++i], 1);
        else if (strcmp(argv[i], "--repeat") == 0 && has_value)
            options.repeat = atoi(argv[++i]);
        else if (strcmp(argv[i], "--match") == 0 && has_value)
            options.match = argv[++i];
        else if (argv[i][0] != '-')
            options.path = argv[i];
        else
            return usage();
    }
    if (!options.path || options.repeat < 1 || options.repeat > MAX_REPEAT) return usage();
    if (as_cpu_isa(&options.isa, &err)) {
        fprintf(stderr, "bench_kernels: %s\n", err.message);
        return err.code == ASSAY_E_ARGUMENT ? 2 : 3;
    }
    const unsigned saved = as_denormals_flush();
    printf("# %s, %s, 1 thread, %d repeats, FMA peak %.1f GFLOP/s\n", cpu.model,
           as_isa_name(options.isa), options.repeat, as_peak_gflops(options.isa));
    const int status = bench_file(&options);
    as_denormals_restore(saved);
    return status;
}
