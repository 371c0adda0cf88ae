/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs, run layer by layer on one thread of the scalar kernels, and by bands of every
 * height on any number of threads of every instruction set: the bits are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/size.h"
#include "plan/group.h"
#include "run/execute.h"

#define N_GRAPHS 20
#define N_NODES  14
#define MOST_C   13

/* ---- a random graph ---- */

/* A tensor that nodes may read. */
typedef struct map {
    int id;
    int64_t c, h, w;
} map;

typedef struct maker {
    as_graph *graph;
    uint64_t state;
    int64_t n;
    map maps[N_NODES * 4 + 1];
    size_t n_maps;
} maker;

static unsigned below(maker *m, unsigned n)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->state >> 33) % n;
}

static float value(maker *m) { return (float)(int)(below(m, 2001)) / 1000.0F - 1.0F; }

static int constant(maker *m, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const as_shape shape = {.rank = 4, .dims = {a, b, c, d}};
    const size_t n = (size_t)(a * b * c * d);
    float *data = as_alloc_array(n, sizeof *data);
    for (size_t i = 0; i < n; i++)
        data[i] = value(m);
    int id = as_graph_add_constant(m->graph, "", AS_F32, &shape, data);
    as_free(data);
    assert_true(id >= 0);
    return id;
}

static as_attributes *node(maker *m, as_op op, const int *inputs, int n_inputs, int64_t c,
                           int64_t h, int64_t w)
{
    char name[16];
    snprintf(name, sizeof name, "t%zu", m->n_maps);
    int y = as_graph_add_tensor(m->graph, name, AS_F32, NULL);
    int id = as_graph_add_node(m->graph, op, name, inputs, n_inputs, &y, 1);
    assert_true(y >= 0 && id >= 0);
    m->maps[m->n_maps++] = (map){y, c, h, w};
    return &as_graph_edit_node(m->graph, id)->attributes;
}

/* Mostly the newest, so that chains arise. */
static map pick(maker *m)
{
    size_t back = below(m, 3) ? 0 : below(m, 4);
    return m->maps[m->n_maps - 1 - (back < m->n_maps ? back : 0)];
}

static map newest(const maker *m) { return m->maps[m->n_maps - 1]; }

static void window(as_window *to, int k, int stride, int dilation, int pad)
{
    *to = (as_window){.kernel = {k, k},
                      .strides = {stride, stride},
                      .dilations = {dilation, dilation},
                      .pads = {pad, pad, pad, pad}};
}

static int64_t extent(int64_t in, int k, int stride, int dilation, int pad)
{
    return (in + 2 * pad - (k - 1) * dilation - 1) / stride + 1;
}

static void add_conv(maker *m)
{
    map x = pick(m);
    const bool is_depthwise = below(m, 3) == 0;
    const int k = 1 + (int)below(m, is_depthwise ? 5 : 3), dilation = 1 + (below(m, 6) == 0);
    const int stride = 1 + (below(m, 4) == 0), pad = (int)below(m, (unsigned)k);
    const int64_t h = extent(x.h, k, stride, dilation, pad);
    const int64_t w = extent(x.w, k, stride, dilation, pad);
    if ((k - 1) * dilation >= x.h || (k - 1) * dilation >= x.w || h < 1 || w < 1) return;
    const int64_t c = is_depthwise ? x.c : 1 + below(m, MOST_C);
    int inputs[2] = {x.id, constant(m, c, is_depthwise ? 1 : x.c, k, k)};
    as_attributes *a = node(m, AS_OP_CONV, inputs, 2, c, h, w);
    window(&a->conv.window, k, stride, dilation, pad);
    a->conv.group = is_depthwise ? (int)x.c : 1;
}

static void add_deconv(maker *m)
{
    map x = pick(m);
    if (x.h > 20) return;
    int inputs[2] = {x.id, constant(m, x.c, 3, 2, 2)};
    as_attributes *a = node(m, AS_OP_CONV_TRANSPOSE, inputs, 2, 3, 2 * x.h, 2 * x.w);
    window(&a->conv.window, 2, 2, 1, 0);
    a->conv.group = 1;
}

static void add_pool(maker *m)
{
    map x = pick(m);
    const int k = 2 + (int)below(m, 2), stride = 1 + (int)below(m, 2), pad = (int)below(m, 2);
    const int64_t h = extent(x.h, k, stride, 1, pad), w = extent(x.w, k, stride, 1, pad);
    if (k > x.h || k > x.w) return;
    as_attributes *a =
        node(m, below(m, 2) ? AS_OP_MAX_POOL : AS_OP_AVERAGE_POOL, &x.id, 1, x.c, h, w);
    window(&a->pool.window, k, stride, 1, pad);
    a->pool.count_include_pad = below(m, 3) == 0;
}

static void add_resize(maker *m)
{
    map x = pick(m);
    if (x.h > 20) return;
    const int scale = 2 + (int)below(m, 2);
    as_attributes *a = node(m, AS_OP_RESIZE, &x.id, 1, x.c, x.h * scale, x.w * scale);
    a->resize.mode = AS_RESIZE_NEAREST;
    a->resize.coordinate = below(m, 2) ? AS_COORDINATE_ASYMMETRIC : AS_COORDINATE_HALF_PIXEL;
    a->resize.nearest = AS_NEAREST_FLOOR;
    a->resize.n_scales = 4;
    a->resize.scales[0] = a->resize.scales[1] = 1.0F;
    a->resize.scales[2] = a->resize.scales[3] = (float)scale;
    a->resize.is_resolved = true;
}

static void add_activation(maker *m)
{
    static const as_op ops[] = {AS_OP_RELU, AS_OP_SIGMOID, AS_OP_GELU, AS_OP_HARD_SWISH};
    map x = pick(m);
    node(m, ops[below(m, AS_COUNT_OF(ops))], &x.id, 1, x.c, x.h, x.w);
}

static void add_softmax(maker *m)
{
    map x = pick(m);
    node(m, AS_OP_SOFTMAX, &x.id, 1, x.c, x.h, x.w)->softmax.axis = 1;
}

/* Two maps of the same extents meet, if there are any: a sum, or side by side. */
static void add_meeting(maker *m)
{
    const map x = newest(m);
    for (size_t i = m->n_maps - 1; i-- > 0;) {
        const map y = m->maps[i];
        if (y.h != x.h || y.w != x.w) continue;
        int inputs[2] = {x.id, y.id};
        if (below(m, 2) && y.c + x.c <= 3 * MOST_C) {
            node(m, AS_OP_CONCAT, inputs, 2, x.c + y.c, x.h, x.w)->axis.axis = 1;
            return;
        }
        if (y.c != x.c && y.c != 1) continue;
        node(m, AS_OP_ADD, inputs, 2, x.c, x.h, x.w);
        return;
    }
}

/* Squeeze and excite: the mean of a map scales it. */
static void add_scale(maker *m)
{
    const map x = pick(m);
    node(m, AS_OP_GLOBAL_AVERAGE_POOL, &x.id, 1, x.c, 1, 1);
    const int mean = newest(m).id, inputs[2] = {mean, constant(m, x.c, x.c, 1, 1)};
    as_attributes *a = node(m, AS_OP_CONV, inputs, 2, x.c, 1, 1);
    window(&a->conv.window, 1, 1, 1, 0);
    a->conv.group = 1;
    const int scaled[2] = {x.id, newest(m).id};
    node(m, AS_OP_MUL, scaled, 2, x.c, x.h, x.w);
}

static void add_anything(maker *m)
{
    void (*const makers[])(maker *) = {add_conv,       add_conv,    add_conv,   add_deconv,
                                       add_pool,       add_resize,  add_scale,  add_meeting,
                                       add_activation, add_softmax, add_meeting};
    makers[below(m, AS_COUNT_OF(makers))](m);
}

/* A convolution that alone reads the network's input: later nodes see what it makes instead. */
static void add_first_conv(maker *m)
{
    const map x = m->maps[0];
    const int k = 1 + (int)below(m, 4), stride = 1 + (int)below(m, 3), pad = (int)below(m, 2);
    const int64_t h = extent(x.h, k, stride, 1, pad), w = extent(x.w, k, stride, 1, pad);
    const int64_t c = 1 + below(m, MOST_C);
    int inputs[2] = {x.id, constant(m, c, x.c, k, k)};
    as_attributes *a = node(m, AS_OP_CONV, inputs, 2, c, h, w);
    window(&a->conv.window, k, stride, 1, pad);
    a->conv.group = 1;
    m->maps[0] = newest(m);
}

static as_graph *make_graph(uint64_t seed, bool is_planar, as_shape *input)
{
    maker m = {.graph = as_graph_new(), .state = seed * 7919 + 1};
    m.n = 1 + below(&m, 3);
    const map x = {
        .c = 1 + below(&m, is_planar ? 4 : 6), .h = 5 + below(&m, 30), .w = 4 + below(&m, 16)};
    *input = (as_shape){.rank = 4, .dims = {m.n, x.c, x.h, x.w}};
    m.maps[0] = x;
    m.maps[0].id = as_graph_add_tensor(m.graph, "x", AS_F32, input);
    assert_true(as_graph_add_input(m.graph, m.maps[0].id));
    m.n_maps = 1;
    if (is_planar) add_first_conv(&m);
    for (int i = 0; i < N_NODES; i++)
        add_anything(&m);
    const size_t middle = m.n_maps / 2;
    if (m.n_maps == 1) add_activation(&m);
    assert_true(as_graph_add_output(m.graph, newest(&m).id));
    if (middle > 0 && middle < m.n_maps - 1)
        assert_true(as_graph_add_output(m.graph, m.maps[middle].id));
    assay_error err = {0};
    if (as_graph_sort(m.graph, &err)) fail_msg("%s", err.message);
    return m.graph;
}

/* ---- running it ---- */

/* How a graph is run. */
typedef struct manner {
    as_isa isa;
    size_t threads, band_rows;
    bool groups;
    const char *conv;
    bool is_exact; /* no close routes */
} manner;

/* The outputs one behind the other. */
typedef struct result {
    float *data; /* owns */
    size_t n;
    size_t n_grouped; /* layers in groups of more than one */
    size_t n_planar;  /* layers that read the network's input as planes */
} result;

static size_t elements(const as_shape *shape)
{
    size_t n = 1;
    for (int i = 0; i < shape->rank; i++)
        n *= (size_t)shape->dims[i];
    return n;
}

static result collect(const as_plan *plan)
{
    result r = {0};
    for (int i = 0; i < plan->n_outputs; i++)
        r.n += elements(&plan->outputs[i].array.shape);
    r.data = as_alloc_array(r.n, sizeof *r.data);
    float *to = r.data;
    for (int i = 0; i < plan->n_outputs; i++) {
        const size_t n = elements(&plan->outputs[i].array.shape);
        memcpy(to, plan->outputs[i].array.data, n * sizeof *to);
        to += n;
    }
    for (size_t i = 0; i < plan->n_groups; i++)
        if (plan->groups[i].n_layers > 1) r.n_grouped += plan->groups[i].n_layers;
    for (size_t i = 0; i < plan->n_layers; i++)
        r.n_planar += plan->layers[i].route && plan->layers[i].route->reads_planes;
    return r;
}

static void fill_input(as_plan *plan, const as_shape *input, float *x)
{
    maker numbers = {.state = 3};
    for (size_t i = 0; i < elements(input); i++)
        x[i] = value(&numbers);
    as_plan_bind_input(plan, 0, x);
}

static result run(const as_graph *graph, const as_shape *input, const manner *how)
{
    as_plan_options options = as_plan_options_defaults();
    options.groups = how->groups;
    options.band_rows = how->band_rows;
    options.threads = how->threads;
    options.conv = how->conv;
    options.close_routes = !how->is_exact;
    as_weights *weights = as_weights_new();
    as_plan *plan = NULL;
    as_threads *pool = NULL;
    assay_error err = {0};
    if (as_plan_new(graph, input, 1, as_kernels_get(how->isa), &options, weights, &plan, &err))
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(as_threads_new(how->threads, &pool, &err), ASSAY_OK);
    size_t n_scratch = 0;
    assert_int_equal(as_execute_scratch(plan, how->threads, &n_scratch, &err), ASSAY_OK);
    const size_t room = plan->arena_floats + n_scratch;
    float *arena = as_alloc_array(room + 16, sizeof *arena);
    float *x = as_alloc_array(elements(input), sizeof *x);
    memset(arena, 0xff, room * sizeof *arena); /* NaN: whoever reads what nobody wrote shows */
    as_plan_bind(plan, arena);
    fill_input(plan, input, x);
    assert_int_equal(as_execute(plan, pool, arena + plan->arena_floats, NULL, NULL), ASSAY_OK);
    result r = collect(plan);
    as_free(x);
    as_free(arena);
    as_threads_free(pool);
    as_plan_free(plan);
    as_weights_free(weights);
    return r;
}

static const char *const routes[] = {NULL, "winograd4", "winograd2", "chains", "gemm"};

/* @return what it found, without its data. */
static result expect_bits(const as_graph *graph, const as_shape *input, const result *right,
                          const manner *how, unsigned seed)
{
    result r = run(graph, input, how);
    assert_int_equal(r.n, right->n);
    for (size_t i = 0; i < r.n; i++)
        if (memcmp(&r.data[i], &right->data[i], sizeof(float)) != 0)
            fail_msg("graph %u, %s, route %s, %zu threads, bands of %zu: value %zu of %zu is "
                     "%.9g, %.9g "
                     "is right",
                     seed, as_isa_name(how->isa), how->conv ? how->conv : "default",
                     how->threads, how->band_rows, i, r.n, (double)r.data[i],
                     (double)right->data[i]);
    as_free(r.data);
    r.data = NULL;
    return r;
}

static void bands_of_any_height_have_the_bits_of_whole_layers(void **state)
{
    (void)state;
    static const size_t bands[] = {1, 2, 3, 5, 8, 1000};
    static const size_t threads[] = {1, 2, 1, 3}; /* more than CPUs cost time */
    size_t n_grouped = 0;
    for (unsigned seed = 0; seed < N_GRAPHS; seed++) {
        const char *conv = routes[seed % AS_COUNT_OF(routes)];
        as_shape input;
        as_graph *graph = make_graph(seed, false, &input);
        result right = run(graph, &input, &(manner){AS_ISA_SCALAR, 1, 0, false, conv, false});
        for (int isa = AS_ISA_SCALAR; isa < AS_ISA_N; isa++) {
            if (!as_isa_available((as_isa)isa)) continue;
            for (size_t b = 0; b < AS_COUNT_OF(bands); b++) {
                const manner how = {(as_isa)isa, threads[(seed + b) % AS_COUNT_OF(threads)],
                                    bands[b],    true,
                                    conv,        false};
                n_grouped += expect_bits(graph, &input, &right, &how, seed).n_grouped;
            }
        }
        as_free(right.data);
        as_graph_free(graph);
    }
    print_message("%zu layers went by bands\n", n_grouped);
    assert_true(n_grouped > 300);
}

static void every_thread_count_has_the_same_bits(void **state)
{
    (void)state;
    for (unsigned seed = N_GRAPHS; seed < N_GRAPHS + 4; seed++) {
        const char *conv = routes[seed % AS_COUNT_OF(routes)];
        as_shape input;
        as_graph *graph = make_graph(seed, false, &input);
        result right = run(graph, &input, &(manner){AS_ISA_SCALAR, 1, 0, false, conv, false});
        static const size_t threads[] = {1, 2, 3, 5, 8};
        for (size_t i = 0; i < AS_COUNT_OF(threads); i++)
            expect_bits(graph, &input, &right,
                        &(manner){AS_ISA_SCALAR, threads[i], 2, true, conv, false}, seed);
        as_free(right.data);
        as_graph_free(graph);
    }
}

/* The first convolution alone reads planes where it can; a direct one has a layout layer before it. */
static void an_input_of_planes_has_the_bits_of_one_of_pixels(void **state)
{
    (void)state;
    size_t n_planar = 0, n_grouped = 0;
    for (unsigned seed = 0; seed < N_GRAPHS; seed++) {
        as_shape input;
        as_graph *graph = make_graph(seed, true, &input);
        result right =
            run(graph, &input, &(manner){AS_ISA_SCALAR, 1, 0, false, "direct", true});
        assert_int_equal(right.n_planar, 0);
        for (int isa = AS_ISA_SCALAR; isa < AS_ISA_N; isa++) {
            if (!as_isa_available((as_isa)isa)) continue;
            const manner how = {(as_isa)isa,   1 + seed % 3, 1 + seed % 4,
                                seed % 2 == 0, NULL,         true};
            const result r = expect_bits(graph, &input, &right, &how, seed);
            n_planar += r.n_planar;
            if (r.n_planar) n_grouped += r.n_grouped;
        }
        as_free(right.data);
        as_graph_free(graph);
    }
    print_message("%zu inputs were read as planes, %zu layers went by bands\n", n_planar,
                  n_grouped);
    assert_true(n_planar >= N_GRAPHS && n_grouped > N_GRAPHS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_of_any_height_have_the_bits_of_whole_layers),
        cmocka_unit_test(every_thread_count_has_the_same_bits),
        cmocka_unit_test(an_input_of_planes_has_the_bits_of_one_of_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
