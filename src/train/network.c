/* SPDX-License-Identifier: Apache-2.0 */
#include "train/network.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "train/layers.h"
#include "train/streams.h"

const as_layer_kind *as_layer_kind_of(as_unit_kind kind)
{
    static const as_layer_kind *const kinds[AS_UNIT_N] = {
        [AS_UNIT_CONV] = &as_layer_conv,
        [AS_UNIT_LINEAR] = &as_layer_linear,
        [AS_UNIT_RELU] = &as_layer_relu,
        [AS_UNIT_AVERAGE_POOL] = &as_layer_average_pool,
        [AS_UNIT_MAX_POOL] = &as_layer_max_pool,
        [AS_UNIT_BATCHNORM] = &as_layer_batchnorm,
        [AS_UNIT_ADD] = &as_layer_add,
        [AS_UNIT_FLATTEN] = &as_layer_flatten,
    };
    return kinds[kind];
}

const char *as_unit_name(as_unit_kind kind) { return as_layer_kind_of(kind)->name; }

const char *as_layer_slide(as_layer *l, size_t n_channels)
{
    const as_unit *u = &l->unit;
    if (u->pad >= u->kernel) return "its pad is not below its kernel";
    if (l->in.h + 2 * u->pad < u->kernel || l->in.w + 2 * u->pad < u->kernel)
        return "its kernel is larger than its padded input";
    l->out = (as_extent){(l->in.h + 2 * u->pad - u->kernel) / u->stride + 1,
                         (l->in.w + 2 * u->pad - u->kernel) / u->stride + 1, n_channels};
    return NULL;
}

static bool is_convolution(const as_layer *l)
{
    return l->unit.kind == AS_UNIT_CONV || l->unit.kind == AS_UNIT_LINEAR;
}

/* ---- create ----------------------------------------------------------------------------- */

static bool is_same(as_extent a, as_extent b) { return a.h == b.h && a.w == b.w && a.c == b.c; }

/* What does not fit of unit i behind the ones before it; NULL when it does. */
static const char *fit_unit(as_network *net, size_t i)
{
    as_layer *l = &net->layers[i];
    l->in = i ? net->layers[i - 1].out : net->input;
    const char *why = as_layer_kind_of(l->unit.kind)->fit(l);
    if (why || l->unit.kind != AS_UNIT_ADD) return why;
    if (l->unit.from < -1 || l->unit.from >= (int)i) return "it adds no unit before it";
    const as_extent other = l->unit.from < 0 ? net->input : net->layers[l->unit.from].out;
    return is_same(other, l->in) ? NULL : "it adds an output of other extents";
}

static assay_code fit_units(as_network *net, assay_error *err)
{
    for (size_t i = 0; i < net->n_layers; i++) {
        as_layer *l = &net->layers[i];
        if ((unsigned)l->unit.kind >= AS_UNIT_N)
            return as_fail(err, ASSAY_E_ARGUMENT, "unit %zu is of no kind", i);
        const char *why = fit_unit(net, i);
        if (why)
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "unit %zu (%s) of a %zux%zux%zu input (c, h, w): %s", i,
                           as_unit_name(l->unit.kind), l->in.c, l->in.h, l->in.w, why);
        l->parameters = net->n_parameters;
        l->state = net->n_state;
        net->n_parameters += l->n_weights + l->n_biases;
        net->n_state += l->n_state;
    }
    return ASSAY_OK;
}

/* The first exact route that suits: the order of the table. */
static const as_route *pick_route(const as_route *routes, size_t n, const as_conv_shape *s)
{
    for (size_t i = 0; i < n; i++)
        if (routes[i].exactness == AS_EXACT && !routes[i].reads_planes &&
            routes[i].proposes(s) && as_route_suits(&routes[i], s))
            return &routes[i];
    return NULL; /* never: direct and gather propose themselves for every shape */
}

static bool make_layer(const as_network *net, as_layer *l)
{
    if (l->unit.kind == AS_UNIT_BATCHNORM)
        return (l->batch = as_alloc_array(4 * l->in.c, sizeof *l->batch)) != NULL;
    if (!is_convolution(l)) return true;
    const as_conv_shape s = as_layer_shape(l, 1), back = as_layer_back_shape(l, 1);
    l->route = pick_route(net->kernels->conv, net->kernels->n_conv, &s);
    const bool is_conv = as_layer_back_is_conv(l);
    l->back = is_conv ? pick_route(net->kernels->conv, net->kernels->n_conv, &back)
                      : pick_route(net->kernels->deconv, net->kernels->n_deconv, &back);
    l->turned = is_conv ? as_alloc_array(l->n_weights, sizeof(float)) : NULL;
    l->packed = as_alloc_array(l->route->packed_floats(&s), sizeof(float));
    l->packed_back = as_alloc_array(l->back->packed_floats(&back), sizeof(float));
    return l->packed && l->packed_back && (l->turned || !is_conv);
}

static float uniform(uint64_t *state, double bound)
{
    const double unit = (double)(as_random_next(state) >> 11) * 0x1p-53;
    return (float)((2 * unit - 1) * bound);
}

static void initialise(as_network *net, uint64_t seed)
{
    uint64_t random = as_random_stream(seed, AS_STREAM_WEIGHTS);
    for (size_t i = 0; i < net->n_layers; i++) {
        const as_layer *l = &net->layers[i];
        float *p = net->parameters + l->parameters;
        for (size_t j = 0; j < l->n_weights + l->n_biases; j++)
            p[j] = l->fan_in ? uniform(&random, 1 / sqrt((double)l->fan_in))
                             : (float)(j < l->n_weights); /* BATCHNORM: scale 1, shift 0 */
        for (size_t j = 0; j < l->n_state; j++)
            net->state[l->state + j] = (float)(j >= l->n_state / 2); /* mean 0, variance 1 */
    }
    net->version = 1;
}

/* Layers that fit, without weights. */
static assay_code outline(as_network *net, const as_net_spec *spec, assay_error *err)
{
    if (spec->n_units == 0 || spec->c == 0 || spec->h == 0 || spec->w == 0)
        return as_fail(err, ASSAY_E_ARGUMENT, "a network needs an input and units");
    net->layers = as_alloc_array(spec->n_units, sizeof *net->layers);
    if (!net->layers) return as_fail(err, ASSAY_E_MEMORY, "no memory for a network");
    net->n_layers = spec->n_units;
    net->input = (as_extent){spec->h, spec->w, spec->c};
    for (size_t i = 0; i < spec->n_units; i++)
        net->layers[i].unit = spec->units[i];
    return fit_units(net, err);
}

static assay_code make(as_network *net, const as_net_spec *spec, assay_error *err)
{
    as_isa isa;
    assay_code code = as_cpu_isa(&isa, err);
    if (!code) code = outline(net, spec, err);
    if (code) return code;
    net->kernels = as_kernels_get(isa);
    net->parameters = as_alloc_array(net->n_parameters + 1, sizeof(float));
    net->gradients = as_alloc_array(net->n_parameters + 1, sizeof(float));
    net->state = as_alloc_array(net->n_state + 1, sizeof(float));
    bool is_made = net->parameters && net->gradients && net->state;
    for (size_t i = 0; i < net->n_layers && is_made; i++)
        is_made = make_layer(net, &net->layers[i]);
    return is_made ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a network");
}

/* A network as `way` makes it. */
static assay_code make_by(assay_code (*way)(as_network *, const as_net_spec *, assay_error *),
                          const as_net_spec *spec, as_network **out, assay_error *err)
{
    *out = NULL;
    as_network *net = as_alloc(sizeof *net);
    if (!net) return as_fail(err, ASSAY_E_MEMORY, "no memory for a network");
    assay_code code = way(net, spec, err);
    if (!code)
        *out = net;
    else
        as_network_free(net);
    return code;
}

assay_code as_network_new(const as_net_spec *spec, uint64_t seed, as_network **out,
                          assay_error *err)
{
    assay_code code = make_by(make, spec, out, err);
    if (!code) initialise(*out, seed);
    return code;
}

assay_code as_network_outline(const as_net_spec *spec, as_network **out, assay_error *err)
{
    return make_by(outline, spec, out, err);
}

static void free_room(as_network *net)
{
    for (size_t i = 0; i < net->n_layers; i++) {
        as_free(net->layers[i].values);
        as_free(net->layers[i].gradient);
        net->layers[i].values = net->layers[i].gradient = NULL;
    }
    as_free(net->scratch);
    net->scratch = NULL;
    net->room = net->n_threads = 0;
    net->has_gradients = false;
}

void as_network_free(as_network *net)
{
    if (!net) return;
    free_room(net);
    for (size_t i = 0; i < net->n_layers; i++) {
        as_free(net->layers[i].packed);
        as_free(net->layers[i].packed_back);
        as_free(net->layers[i].turned);
        as_free(net->layers[i].batch);
    }
    as_free(net->layers);
    as_free(net->parameters);
    as_free(net->gradients);
    as_free(net->state);
    as_free(net->input_gradient);
    as_free(net);
}

/* ---- what it is ------------------------------------------------------------------------- */

size_t as_network_n_parameters(const as_network *net) { return net->n_parameters; }

uint64_t as_network_macs(const as_network *net)
{
    uint64_t macs = 0;
    for (size_t i = 0; i < net->n_layers; i++) {
        if (!is_convolution(&net->layers[i])) continue;
        const as_conv_shape s = as_layer_shape(&net->layers[i], 1);
        macs += as_conv_macs(&s);
    }
    return macs;
}

uint64_t as_network_activation_bytes(const as_network *net)
{
    uint64_t values = as_extent_size(net->input);
    for (size_t i = 0; i < net->n_layers; i++)
        values += as_extent_size(net->layers[i].out);
    return values * sizeof(float);
}

size_t as_network_n_outputs(const as_network *net)
{
    return as_extent_size(net->layers[net->n_layers - 1].out);
}

/* ---- passes ----------------------------------------------------------------------------- */

static size_t scratch_floats(const as_network *net, size_t n)
{
    size_t most = 1;
    for (size_t i = 0; i < net->n_layers; i++) {
        const as_layer *l = &net->layers[i];
        if (!is_convolution(l)) continue;
        const as_conv_shape s = as_layer_shape(l, n), back = as_layer_back_shape(l, n);
        most = as_max(most, l->route->scratch_floats(&s));
        most = as_max(most, l->back->scratch_floats(&back));
    }
    return (most + 15) / 16 * 16; /* each thread's begins at a cache line */
}

assay_code as_network_room(as_network *net, size_t n, bool trains, as_threads *pool,
                           assay_error *err)
{
    const size_t n_threads = as_threads_count(pool);
    if (n <= net->room && (net->has_gradients || !trains) && n_threads <= net->n_threads)
        return ASSAY_OK;
    trains |= net->has_gradients;
    n = as_max(n, net->room);
    free_room(net);
    bool is_made = true;
    for (size_t i = 0; i < net->n_layers && is_made; i++) {
        as_layer *l = &net->layers[i];
        size_t floats;
        is_made = as_mul(n, as_extent_size(l->out), &floats) &&
                  (l->values = as_alloc_array(floats, sizeof(float))) != NULL &&
                  (!trains || (l->gradient = as_alloc_array(floats, sizeof(float))) != NULL);
    }
    net->scratch_floats = scratch_floats(net, n);
    if (is_made) net->scratch = as_alloc_array(net->scratch_floats, n_threads * sizeof(float));
    if (!net->scratch) {
        free_room(net);
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a batch of %zu images", n);
    }
    net->room = n;
    net->n_threads = n_threads;
    net->has_gradients = trains;
    return ASSAY_OK;
}

const float *as_pass_values(const as_pass *pass, int i)
{
    return i < 0 ? pass->images : pass->network->layers[i].values;
}

void as_pass_forward(const as_pass *pass)
{
    as_network *net = pass->network;
    for (size_t i = 0; i < net->n_layers; i++) {
        as_layer *l = &net->layers[i];
        as_layer_kind_of(l->unit.kind)->forward(pass, l, as_pass_values(pass, (int)i - 1));
    }
}

/* Units behind the next one that read the output of unit i (-1 the input) give it their gradient. */
static void add_branches(const as_pass *pass, int i, float *gradient)
{
    const as_network *net = pass->network;
    for (size_t j = (size_t)(i + 1); j < net->n_layers; j++) {
        const as_layer *l = &net->layers[j];
        if (l->unit.kind != AS_UNIT_ADD || l->unit.from != i) continue;
        const size_t n = pass->n * as_extent_size(l->out);
        for (size_t k = 0; k < n; k++)
            gradient[k] += l->gradient[k];
    }
}

void as_pass_backward(const as_pass *pass)
{
    as_network *net = pass->network;
    for (int i = (int)net->n_layers - 1; i >= 0; i--) {
        as_layer *l = &net->layers[i];
        float *dx = i ? net->layers[i - 1].gradient : net->input_gradient;
        as_layer_kind_of(l->unit.kind)->backward(pass, l, as_pass_values(pass, i - 1), dx);
        if (dx) add_branches(pass, i - 1, dx);
    }
}

assay_code as_network_forward(as_network *net, const float *images, size_t n, float *logits,
                              as_threads *pool, assay_error *err)
{
    enum { BATCH = 64 };
    const size_t image = as_extent_size(net->input), answer = as_network_n_outputs(net);
    assay_code code = as_network_room(net, as_min(n, BATCH), false, pool, err);
    for (size_t i = 0; i < n && !code; i += BATCH) {
        const as_pass pass = {.network = net,
                              .images = images + i * image,
                              .n = as_min(n - i, BATCH),
                              .pool = pool};
        as_pass_forward(&pass);
        memcpy(logits + i * answer, net->layers[net->n_layers - 1].values,
               pass.n * answer * sizeof *logits);
    }
    return code;
}
