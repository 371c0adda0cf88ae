/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Reduce operators.  Source: the ONNX operator specification.  An item is one element of the
 * output, a chain of additions in double (integers: in int64, which wraps) in C order of the input.
 *
 *     input    strides of the kept dims -> where an item begins
 *              strides of the reduced dims -> what it goes over, the last of them in one run
 *
 * Over no elements a sum is 0, a product 1, a maximum the least and a minimum the largest number.
 * NaN is the result of Max and Min where there is one.
 */
#include <math.h>

#include "operators/convert.h"

/* What an item has of its elements so far. */
typedef struct total {
    double real;   /* of floats: sum, product, greatest or least; LogSumExp: sum, scaled */
    double scale;  /* LogSumExp: the greatest so far; the sum is of exp(x - scale) */
    int64_t whole; /* of integers and bools, where the operator keeps to them */
} total;

/* n elements, `step` apart, on top of what is there. */
typedef void add_function(total *t, const void *x, size_t step, size_t n);

#define RUN(name, type, T, statement)                                                          \
    static void name##_##type(total *t, const void *from, size_t step, size_t n)               \
    {                                                                                          \
        const T *elements = from;                                                              \
        for (size_t i = 0; i < n; i++) {                                                       \
            const T x = elements[i * step];                                                    \
            statement;                                                                         \
        }                                                                                      \
    }
/* One statement for floats, one for integers as the int64 `w`. */
#define REDUCTION(name, of_float, of_integer)                                                  \
    RUN(name, f32, float, of_float)                                                            \
    RUN(name, i64, int64_t, const int64_t w = x; of_integer)                                   \
    RUN(name, i32, int32_t, const int64_t w = x; of_integer)
#define PLUS(a, b)  ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define TIMES(a, b) ((int64_t)((uint64_t)(a) * (uint64_t)(b)))

/* Online, so that one pass does: the sum is scaled again whenever a greater x comes. */
static void add_exponential(total *t, double x)
{
    if (x > t->scale) {
        t->real = t->real * exp(t->scale - x) + 1;
        t->scale = x;
    } else if (x == t->scale && isinf(x)) {
        t->real += x > 0; /* exp(-inf) is 0 */
    } else {
        t->real += exp(x - t->scale);
    }
}

REDUCTION(sum, t->real += (double)x, t->whole = PLUS(t->whole, w))
REDUCTION(prod, t->real *= (double)x, t->whole = TIMES(t->whole, w))
REDUCTION(l1, t->real += fabs((double)x), t->whole = PLUS(t->whole, w < 0 ? TIMES(w, -1) : w))
REDUCTION(square, t->real += (double)x * (double)x, t->whole = PLUS(t->whole, TIMES(w, w)))
REDUCTION(exponential, add_exponential(t, (double)x), add_exponential(t, (double)w))
REDUCTION(max, if (!((double)x <= t->real)) t->real = isnan(t->real) ? t->real : (double)x,
          if (w > t->whole) t->whole = w)
REDUCTION(min, if (!((double)x >= t->real)) t->real = isnan(t->real) ? t->real : (double)x,
          if (w < t->whole) t->whole = w)
RUN(max, bool, unsigned char, if (x) t->whole = 1)
RUN(min, bool, unsigned char, if (!x) t->whole = 0)

/* What comes of a total of n elements; integers take `whole`, or `real` where there is no other. */
static void finish_plain(total *t, size_t n) { (void)t, (void)n; }
static void finish_mean(total *t, size_t n)
{
    t->real /= (double)n;
    if (n) t->whole /= (int64_t)n;
}
static void finish_root(total *t, size_t n)
{
    (void)n;
    t->real = sqrt(t->real);
    t->whole = as_integer_of(sqrt((double)t->whole), AS_I64);
}
static void finish_log(total *t, size_t n)
{
    (void)n;
    t->real = log(t->real);
    t->whole = as_integer_of(log((double)t->whole), AS_I64);
}
static void finish_exponential(total *t, size_t n)
{
    (void)n;
    t->real = t->real == 0 ? -HUGE_VAL : t->scale + log(t->real);
    t->whole = as_integer_of(t->real, AS_I64);
}

/* One operator. */
typedef struct reduction {
    add_function *add[AS_BOOL + 1]; /* by type */
    void (*finish)(total *t, size_t n);
    double real_start;
    int64_t whole_start[AS_BOOL + 1]; /* by type */
} reduction;

#define OF(name) .add = {[AS_F32] = name##_f32, [AS_I64] = name##_i64, [AS_I32] = name##_i32}

static const reduction reductions[] = {
    [AS_OP_REDUCE_SUM] = {OF(sum), finish_plain},
    [AS_OP_REDUCE_MEAN] = {OF(sum), finish_mean},
    [AS_OP_REDUCE_PROD] = {OF(prod), finish_plain, 1, {1, 1, 1, 1}},
    [AS_OP_REDUCE_L1] = {OF(l1), finish_plain},
    [AS_OP_REDUCE_L2] = {OF(square), finish_root},
    [AS_OP_REDUCE_SUM_SQUARE] = {OF(square), finish_plain},
    [AS_OP_REDUCE_LOG_SUM] = {OF(sum), finish_log},
    [AS_OP_REDUCE_LOG_SUM_EXP] = {OF(exponential), finish_exponential},
    [AS_OP_REDUCE_MAX] = {{max_f32, max_i64, max_i32, max_bool},
                          finish_plain,
                          -HUGE_VAL,
                          {[AS_I64] = INT64_MIN, [AS_I32] = INT32_MIN}},
    [AS_OP_REDUCE_MIN] = {{min_f32, min_i64, min_i32, min_bool},
                          finish_plain,
                          HUGE_VAL,
                          {[AS_I64] = INT64_MAX, [AS_I32] = INT32_MAX, [AS_BOOL] = 1}},
};

/* A dim of the input and the elements that a step along it goes on by. */
typedef struct extent {
    size_t n, step;
} extent;

/* The input's dims apart, each list from the first to the last. */
typedef struct walk {
    extent kept[AS_MAX_RANK], reduced[AS_MAX_RANK];
    int n_kept, n_reduced;
    size_t n_elements; /* that go into one item */
} walk;

/* Append a dim, or join it with the one before where the two lie tight. */
static void append(extent *list, int *n, extent one)
{
    if (*n > 0 && list[*n - 1].step == one.n * one.step) {
        list[*n - 1].n *= one.n;
        list[*n - 1].step = one.step;
    } else {
        list[(*n)++] = one;
    }
}

static walk walk_of(const as_shape *x, const bool is_reduced[AS_MAX_RANK])
{
    walk w = {.n_elements = 1};
    size_t step[AS_MAX_RANK], tight = 1;
    for (int i = x->rank - 1; i >= 0; i--) {
        step[i] = tight;
        tight *= (size_t)x->dims[i];
    }
    for (int i = 0; i < x->rank; i++) {
        const extent one = {(size_t)x->dims[i], step[i]};
        if (is_reduced[i]) {
            append(w.reduced, &w.n_reduced, one);
            w.n_elements *= one.n;
        } else {
            append(w.kept, &w.n_kept, one);
        }
    }
    return w;
}

/* Where the `at`-th element of these dims lies. */
static size_t place(const extent *list, int n, size_t at)
{
    size_t index = 0;
    for (int i = n - 1; i >= 0; i--) {
        index += at % list[i].n * list[i].step;
        at /= list[i].n;
    }
    return index;
}

static total reduce_one(const reduction *r, const walk *w, const as_array *x, size_t item)
{
    total t = {.real = r->real_start, .scale = -HUGE_VAL, .whole = r->whole_start[x->dtype]};
    const size_t from = place(w->kept, w->n_kept, item), bytes = as_dtype_bytes(x->dtype);
    const extent last = w->n_reduced ? w->reduced[w->n_reduced - 1] : (extent){1, 1};
    for (size_t at = 0; at < w->n_elements; at += last.n) {
        const size_t index = from + place(w->reduced, w->n_reduced, at);
        r->add[x->dtype](&t, (const char *)x->data + index * bytes, last.step, last.n);
    }
    r->finish(&t, w->n_elements);
    return t;
}

static void find_reduced(const as_op_call *call, bool is_reduced[AS_MAX_RANK])
{
    const as_reduce_attributes *r = &call->node->attributes.reduce;
    const int rank = call->in[0]->shape.rank;
    for (int i = 0; i < rank; i++)
        is_reduced[i] = r->n_axes == 0 && !r->is_noop_when_empty;
    for (int i = 0; i < r->n_axes; i++)
        is_reduced[r->axes[i] < 0 ? r->axes[i] + rank : r->axes[i]] = true;
}

void as_plain_reduce(const as_op_call *call, size_t begin, size_t end)
{
    const reduction *r = &reductions[call->node->op];
    const as_array *x = call->in[0];
    void *y = call->out[0]->data;
    bool is_reduced[AS_MAX_RANK] = {false};
    find_reduced(call, is_reduced);
    const walk w = walk_of(&x->shape, is_reduced);
    for (size_t i = begin; i < end; i++) {
        const total t = reduce_one(r, &w, x, i);
        if (x->dtype == AS_F32)
            ((float *)y)[i] = (float)t.real;
        else if (x->dtype == AS_I64)
            ((int64_t *)y)[i] = t.whole;
        else if (x->dtype == AS_I32)
            ((int32_t *)y)[i] = (int32_t)t.whole;
        else
            ((unsigned char *)y)[i] = (unsigned char)t.whole;
    }
}
