/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/tensor.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/size.h"

#define LAYOUT_RANK 8
#define LAYOUT_TEXT 8192 /* 64 outputs of that rank */

static const struct element {
    char name[3];
    size_t bytes;
} elements[] = {{"f4", 4}, {"i8", 8}, {"i4", 4}, {"b1", 1}};
enum { FLOATS = 0 };

/* One output of a layout. */
typedef struct output {
    size_t type; /* place in `elements` */
    int rank;
    size_t dims[LAYOUT_RANK];
    size_t n; /* elements */
} output;

/* Read one output at *at and step behind it and its ';'. */
static bool read_output(const char **at, output *out)
{
    const char *c = *at;
    *out = (output){.type = AS_COUNT_OF(elements), .n = 1};
    for (size_t i = 0; i < AS_COUNT_OF(elements); i++)
        if (strncmp(c, elements[i].name, 2) == 0) out->type = i;
    if (out->type == AS_COUNT_OF(elements) || c[2] != '[') return false;
    c += 3;
    while (isdigit((unsigned char)*c) && out->rank < LAYOUT_RANK) {
        char *end;
        out->dims[out->rank] = strtoul(c, &end, 10);
        if (!as_mul(out->n, out->dims[out->rank++], &out->n)) return false;
        c = *end == ',' ? end + 1 : end;
    }
    if (*c++ != ']' || (*c && *c != ';')) return false;
    *at = *c ? c + 1 : c;
    return true;
}

int64_t as_ulp_distance(float a, float b)
{
    int32_t bits[2];
    int64_t place[2];
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : INT64_MAX;
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    /* Negative floats count downwards from -0, which is 0. */
    for (int i = 0; i < 2; i++)
        place[i] = bits[i] < 0 ? (int64_t)INT32_MIN - bits[i] : bits[i];
    return place[0] < place[1] ? place[1] - place[0] : place[0] - place[1];
}

static void note(as_tensor_comparison *c, size_t at, double truth, double answer)
{
    if (c->n_beyond++ > 0) return;
    c->first = at;
    c->truth_value = truth;
    c->answer_value = answer;
}

static void compare_float(float truth, float answer, const as_tensor_bounds *bounds, size_t at,
                          as_tensor_comparison *c)
{
    if (truth == answer || (isnan(truth) && isnan(answer))) return;
    double t = (double)truth, distance = fabs((double)answer - t);
    if (isnan(distance)) distance = INFINITY;
    double relative = t == 0 ? INFINITY : isinf(t) ? INFINITY : distance / fabs(t);
    int64_t ulp = as_ulp_distance(truth, answer);
    c->max_absolute = fmax(c->max_absolute, distance);
    c->max_relative = fmax(c->max_relative, relative);
    if (ulp > c->max_ulp) c->max_ulp = ulp;
    if (distance <= bounds->absolute || relative <= bounds->relative || ulp <= bounds->ulp)
        return;
    note(c, at, t, (double)answer);
}

static double whole_value(const unsigned char *at, size_t bytes)
{
    int64_t wide = 0;
    int32_t narrow = 0;
    if (bytes == 8) {
        memcpy(&wide, at, 8);
        return (double)wide;
    }
    if (bytes == 1) return *at;
    memcpy(&narrow, at, 4);
    return narrow;
}

static void compare_whole(const output *o, const unsigned char *truth,
                          const unsigned char *answer, as_tensor_comparison *c)
{
    size_t bytes = elements[o->type].bytes;
    for (size_t i = 0; i < o->n; i++) {
        if (memcmp(truth + i * bytes, answer + i * bytes, bytes) == 0) continue;
        double t = whole_value(truth + i * bytes, bytes),
               a = whole_value(answer + i * bytes, bytes);
        c->max_absolute = c->max_relative = INFINITY; /* no bound is for whole numbers */
        c->max_ulp = INT64_MAX;
        note(c, c->n + i, t, a);
    }
}

static float float_at(const unsigned char *data, size_t i)
{
    float value;
    memcpy(&value, data + i * sizeof value, sizeof value);
    return value;
}

static void compare_elements(const output *o, const unsigned char *truth,
                             const unsigned char *answer, const as_tensor_bounds *bounds,
                             as_tensor_comparison *c)
{
    if (o->type != FLOATS)
        compare_whole(o, truth, answer, c);
    else
        for (size_t i = 0; i < o->n; i++)
            compare_float(float_at(truth, i), float_at(answer, i), bounds, c->n + i, c);
    c->n += o->n;
}

/* Place of the greatest of n floats, `step` apart; the first of equal ones, NaN never. */
static size_t top_of(const unsigned char *data, size_t begin, size_t n, size_t step)
{
    size_t top = 0;
    float most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        float value = float_at(data, begin + i * step);
        if (!(value > most)) continue;
        most = value;
        top = i;
    }
    return top;
}

static void compare_tops(const output *o, const unsigned char *truth,
                         const unsigned char *answer, as_tensor_comparison *c)
{
    if (o->type != FLOATS || o->n == 0) return;
    size_t classes = o->rank >= 2 ? o->dims[1] : o->n, step = 1;
    for (int d = 2; d < o->rank; d++)
        step *= o->dims[d];
    for (size_t row = 0; row < o->n / classes; row++) {
        size_t begin = row / step * classes * step + row % step;
        size_t t = top_of(truth, begin, classes, step),
               a = top_of(answer, begin, classes, step);
        if (t != a) note(c, c->n + row, (double)t, (double)a);
    }
    c->n += o->n / classes;
}

assay_code as_tensor_compare(const char *layout, const void *truth, const void *answer,
                             size_t bytes, as_compare_kind kind, const as_tensor_bounds *bounds,
                             as_tensor_comparison *out, assay_error *err)
{
    const unsigned char *t = truth, *a = answer;
    const char *at = layout;
    size_t used = 0;
    *out = (as_tensor_comparison){0};
    while (*at) {
        output o;
        size_t o_bytes;
        if (!read_output(&at, &o) || !as_mul(o.n, elements[o.type].bytes, &o_bytes) ||
            o_bytes > bytes - used)
            return as_fail(err, ASSAY_E_FORMAT,
                           "outputs of layout '%.80s' do not fit %zu bytes", layout, bytes);
        if (kind == AS_COMPARE_TOP1)
            compare_tops(&o, t + used, a + used, out);
        else
            compare_elements(&o, t + used, a + used, bounds, out);
        used += o_bytes;
    }
    if (used != bytes)
        return as_fail(err, ASSAY_E_FORMAT, "outputs of layout '%.80s' have %zu bytes, not %zu",
                       layout, used, bytes);
    out->equal = out->n_beyond == 0;
    return ASSAY_OK;
}

/* The bytes behind a content's first line, NULL where there is none; the line itself in *layout. */
static const unsigned char *behind_layout(const as_bytes *content, char layout[LAYOUT_TEXT])
{
    const unsigned char *end =
        content->size ? memchr(content->data, '\n', content->size) : NULL;
    if (!end || end - content->data >= LAYOUT_TEXT) return NULL;
    snprintf(layout, LAYOUT_TEXT, "%.*s", (int)(end - content->data), (char *)content->data);
    return end + 1;
}

/* The dims of an output that has them at four, as adapters tell them: trailing ones are none. */
static bool is_same_layout(const char *a, const char *b)
{
    while (*a && *b) {
        output p, q;
        if (!read_output(&a, &p) || !read_output(&b, &q) || p.type != q.type) return false;
        for (int d = 0; d < LAYOUT_RANK; d++)
            if ((d < p.rank ? p.dims[d] : 1) != (d < q.rank ? q.dims[d] : 1)) return false;
    }
    return !*a && !*b;
}

assay_code as_outputs_compare(const as_bytes *truth, const as_bytes *answer,
                              as_compare_kind kind, const as_tensor_bounds *bounds,
                              as_tensor_comparison *out, assay_error *err)
{
    char layouts[2][LAYOUT_TEXT];
    const unsigned char *t = behind_layout(truth, layouts[0]);
    const unsigned char *a = behind_layout(answer, layouts[1]);
    *out = (as_tensor_comparison){.has_other_layout = true,
                                  .max_absolute = INFINITY,
                                  .max_relative = INFINITY,
                                  .max_ulp = INT64_MAX};
    if (!t || !a) return as_fail(err, ASSAY_E_FORMAT, "stored outputs have no layout");
    size_t bytes = truth->size - (size_t)(t - truth->data);
    if (!is_same_layout(layouts[0], layouts[1]) ||
        bytes != answer->size - (size_t)(a - answer->data))
        return ASSAY_OK;
    return as_tensor_compare(layouts[0], t, a, bytes, kind, bounds, out, err);
}

void as_tensor_describe(const as_tensor_comparison *c, as_compare_kind kind,
                        char text[AS_TENSOR_TEXT])
{
    as_tensor_describe_in(c, kind, as_comparison_say_english, 0, text);
}

void as_tensor_describe_in(const as_tensor_comparison *c, as_compare_kind kind,
                           as_comparison_say *say, int language, char text[AS_TENSOR_TEXT])
{
    if (c->equal)
        snprintf(text, AS_TENSOR_TEXT, "%s", say(language, "equal"));
    else if (c->has_other_layout)
        snprintf(text, AS_TENSOR_TEXT, "%s",
                 say(language, "the outputs have other types or dims than the truth's"));
    else if (kind == AS_COMPARE_TOP1)
        snprintf(text, AS_TENSOR_TEXT,
                 say(language, "row %zu of %zu has class %.0f at the top where the truth has "
                               "%.0f; %zu rows differ"),
                 c->first + 1, c->n, c->answer_value, c->truth_value, c->n_beyond);
    else
        snprintf(text, AS_TENSOR_TEXT,
                 say(language,
                     "element %zu of %zu is %.9g where the truth has %.9g; %zu are beyond the "
                     "bounds; alone would pass: absolute %.3g, relative %.3g, %lld ULP"),
                 c->first + 1, c->n, c->answer_value, c->truth_value, c->n_beyond,
                 c->max_absolute, c->max_relative, (long long)c->max_ulp);
}

static const char *const compare_names[] = {"boxes", "tensor", "top1"};

const char *as_compare_name(as_compare_kind kind) { return compare_names[kind]; }

assay_code as_compare_parse(const char *text, as_compare_kind *out, assay_error *err)
{
    *out = AS_COMPARE_BOXES;
    if (!*text) return ASSAY_OK;
    for (size_t i = 0; i < AS_COUNT_OF(compare_names); i++) {
        *out = (as_compare_kind)i;
        if (strcmp(text, compare_names[i]) == 0) return ASSAY_OK;
    }
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "'%.40s' is no comparison, boxes, tensor or top1 is needed", text);
}
