/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/detector.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/size.h"

#define CHANNELS 3

struct as_detector {
    as_engine *engine;          /* borrows */
    size_t split_at, split_to;  /* 0: never */
    size_t bucket;              /* 0: no padding */
    int64_t resolution_ns;      /* of the clock */
    as_stamp last;              /* where the lap of now began */
    as_detect_scratch *scratch; /* owns */
    float *input;      /* float input[n][3][padded h][padded w]: own_input or engine's */
    float *own_input;  /* owns */
    size_t input_room; /* floats of own_input */
    float *maps;       /* owns; float maps[n][h][w] */
    size_t maps_room;  /* floats */
    as_shape4 maps_shape;
};

assay_code as_detector_new(as_engine *engine, const as_policy *policy, as_detector **out,
                           assay_error *err)
{
    *out = NULL;
    assay_code code = as_engine_check_detector(engine, err);
    if (code) return code;
    as_detector *d = as_alloc(sizeof *d);
    if (!d) return as_fail(err, ASSAY_E_MEMORY, "no memory for a detector");
    d->engine = engine;
    d->split_at = policy->split_at;
    d->split_to = policy->split_to;
    d->bucket = policy->bucket;
    d->resolution_ns = as_clock_resolution_ns();
    d->scratch = as_detect_scratch_new();
    if (!d->scratch) {
        as_detector_free(d);
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a detector");
    }
    *out = d;
    return ASSAY_OK;
}

void as_detector_cleanup(as_detector *detector)
{
    as_free(detector->own_input);
    as_free(detector->maps);
    detector->input = detector->own_input = detector->maps = NULL;
    detector->input_room = detector->maps_room = 0;
    detector->maps_shape = (as_shape4){0};
}

void as_detector_free(as_detector *detector)
{
    if (!detector) return;
    as_detector_cleanup(detector);
    as_detect_scratch_free(detector->scratch);
    as_free(detector);
}

const float *as_detector_maps(const as_detector *detector, as_shape4 *shape)
{
    *shape = detector->maps_shape;
    return detector->maps;
}

static assay_code count_floats(as_shape4 s, size_t *out, assay_error *err)
{
    if (as_mul(s.n, s.c, out) && as_mul(*out, s.h, out) && as_mul(*out, s.w, out))
        return ASSAY_OK;
    return as_fail(err, ASSAY_E_MEMORY, "a call of %zux%zux%zux%zu is too large", s.n, s.c, s.h,
                   s.w);
}

/* Room for n * c * h * w floats; what was there is lost when it grows. */
static assay_code make_room(float **buffer, size_t *room, as_shape4 s, assay_error *err)
{
    size_t wanted = 0;
    assay_code code = count_floats(s, &wanted, err);
    if (code || wanted <= *room) return code;
    as_free(*buffer);
    *room = 0;
    *buffer = as_alloc_array(wanted, sizeof **buffer);
    if (!*buffer) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu floats", wanted);
    *room = wanted;
    return ASSAY_OK;
}

/* Nanoseconds since the last lap.  Each begins where the one before ended, so stages add up to the
 * whole call, and one wrong reading between two stages leaves their sum right. */
static int64_t lap(as_detector *d, as_call_report *report)
{
    as_stamp now = as_clock_stamp();
    int64_t ns = now.raw_ns - d->last.raw_ns;
    if (ns < 0 || now.went_back) report->clock = AS_CLOCK_NEGATIVE;
    d->last = now;
    return ns;
}

/* Where the call's tensor is made: in the engine's memory if it has some, else in our own. */
static assay_code make_input(as_detector *d, as_shape4 padded, assay_error *err)
{
    size_t wanted = 0;
    assay_code code = count_floats(padded, &wanted, err);
    if (!code) code = as_engine_input(d->engine, wanted, &d->input, err);
    if (code || d->input) return code;
    code = make_room(&d->own_input, &d->input_room, padded, err);
    d->input = d->own_input;
    return code;
}

/* The call's shape: every input must give the network the same size. */
static assay_code call_shape(const as_detect_settings *settings,
                             const as_detector_input *inputs, size_t n, as_shape4 *out,
                             assay_error *err)
{
    if (n == 0) return as_fail(err, ASSAY_E_ARGUMENT, "a call has no inputs, it needs one");
    as_network_size first = {0};
    for (size_t i = 0; i < n; i++) {
        const as_detector_input *in = &inputs[i];
        if (in->height < 1 || in->height > AS_IMAGE_SIDE_MAX || in->width < 1 ||
            in->width > AS_IMAGE_SIDE_MAX)
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "input %zu has %zux%zu pixels, sides of 1 to %d are needed", i,
                           in->height, in->width, AS_IMAGE_SIDE_MAX);
        as_network_size size = as_network_size_of(settings, (int)in->height, (int)in->width);
        if (i == 0) first = size;
        if (size.h != first.h || size.w != first.w)
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "input %zu needs a network of %dx%d, the call's first one %dx%d", i,
                           size.h, size.w, first.h, first.w);
    }
    *out = (as_shape4){n, CHANNELS, (size_t)first.h, (size_t)first.w};
    return ASSAY_OK;
}

/* Move one image's planes from net.h x net.w to the top left of padded.h x padded.w, zeros around.
 * The planes grow in place, so the last row moves first. */
static void spread(float *image, as_shape4 net, as_shape4 padded)
{
    for (size_t row = CHANNELS * net.h; row-- > 0;) {
        size_t plane = row / net.h, y = row % net.h;
        float *to = image + (plane * padded.h + y) * padded.w;
        memmove(to, image + row * net.w, net.w * sizeof(float));
        memset(to + net.w, 0, (padded.w - net.w) * sizeof(float));
    }
    for (size_t plane = 0; plane < CHANNELS; plane++)
        memset(image + (plane * padded.h + net.h) * padded.w, 0,
               (padded.h - net.h) * padded.w * sizeof(float));
}

static assay_code preprocess(as_detector *d, const as_detector_input *inputs, as_shape4 net,
                             as_shape4 padded, assay_error *err)
{
    assay_code code = make_input(d, padded, err);
    bool is_padded = padded.h != net.h || padded.w != net.w;
    for (size_t i = 0; !code && i < net.n; i++) {
        float *image = d->input + i * CHANNELS * padded.h * padded.w;
        code = as_preprocess(d->scratch, inputs[i].bgr, (int)inputs[i].height,
                             (int)inputs[i].width, (int)net.h, (int)net.w, image, err);
        if (!code && is_padded) spread(image, net, padded);
    }
    return code;
}

/* An input of a text detector that the network does not take is the network's fault, not the caller's,
 * or that of a policy which pads. */
static assay_code refused(const as_detector *d, const assay_error *why, as_shape4 piece,
                          assay_error *err)
{
    if (why->code == ASSAY_E_ARGUMENT && d->bucket)
        as_fail(
            err, ASSAY_E_UNSUPPORTED,
            "with bucket=%zu the network is given %zux%dx%zux%zu, which it does not take: %s",
            d->bucket, piece.n, CHANNELS, piece.h, piece.w, why->message);
    else if (why->code == ASSAY_E_ARGUMENT)
        as_fail(err, ASSAY_E_UNSUPPORTED,
                "the model is no text detector, it does not take %zux%dx%zux%zu: %s", piece.n,
                CHANNELS, piece.h, piece.w, why->message);
    else if (err)
        *err = *why;
    if (err && why->where[0]) memcpy(err->where, why->where, sizeof err->where);
    return why->code == ASSAY_E_ARGUMENT ? ASSAY_E_UNSUPPORTED : why->code;
}

/* One piece: forward, then its maps cropped behind those of the pieces before. */
static assay_code run_piece(as_detector *d, size_t begin, as_shape4 piece, as_shape4 net,
                            as_call_report *report, assay_error *err)
{
    const float *map = NULL;
    as_shape4 got = {0};
    const float *x = d->input + begin * CHANNELS * piece.h * piece.w;
    assay_error why = {0};
    assay_code code = as_engine_forward(d->engine, x, piece, &map, &got, &why);
    if (code) return refused(d, &why, piece, err);
    report->forward_ns += lap(d, report);
    if (got.n != piece.n || got.c != 1 || got.h != piece.h || got.w != piece.w)
        return as_fail(
            err, ASSAY_E_UNSUPPORTED,
            "the model gives %zux%zux%zux%zu for an input of %zux%d, a text detector "
            "gives %zux1x%zux%zu",
            got.n, got.c, got.h, got.w, piece.n, CHANNELS, piece.n, piece.h, piece.w);
    for (size_t row = 0; row < piece.n * net.h; row++) {
        size_t i = row / net.h, y = row % net.h;
        memcpy(d->maps + (begin * net.h + row) * net.w, map + (i * piece.h + y) * piece.w,
               net.w * sizeof(float));
    }
    report->transfer_ns += lap(d, report);
    if (report->n_pieces < AS_MAX_PIECES) report->pieces[report->n_pieces] = piece;
    report->n_pieces++;
    return ASSAY_OK;
}

static assay_code forward(as_detector *d, as_shape4 net, as_shape4 padded,
                          as_call_report *report, assay_error *err)
{
    bool is_split = d->split_at && net.n >= d->split_at;
    size_t at_most = is_split ? as_min(d->split_to, net.n) : net.n;
    if (as_div_up(net.n, at_most) > AS_MAX_PIECES)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "a call of %zu inputs in pieces of %zu has more than %d pieces", net.n,
                       at_most, AS_MAX_PIECES);
    assay_code code =
        make_room(&d->maps, &d->maps_room, (as_shape4){net.n, 1, net.h, net.w}, err);
    report->transfer_ns = lap(d, report); /* room for what is transferred */
    for (size_t begin = 0; !code && begin < net.n; begin += at_most) {
        as_shape4 piece = padded;
        piece.n = as_min(at_most, net.n - begin);
        code = run_piece(d, begin, piece, net, report, err);
    }
    d->maps_shape = (as_shape4){net.n, 1, net.h, net.w};
    return code;
}

static assay_code postprocess(as_detector *d, const as_detect_settings *settings,
                              const as_detector_input *inputs, as_shape4 net, as_boxes *boxes,
                              assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < net.n; i++)
        code = as_boxes_from_map(d->scratch, settings, d->maps + i * net.h * net.w, (int)net.h,
                                 (int)net.w, (int)inputs[i].height, (int)inputs[i].width,
                                 &boxes[i], err);
    return code;
}

/* What the evidence records of the answers; outside every time in the report. */
static assay_code look_at_maps(const as_detector *d, as_shape4 net, as_call_report *report,
                               assay_error *err)
{
    size_t n = net.n * net.h * net.w;
    for (size_t i = 0; i < n; i++)
        report->n_not_finite += !isfinite(d->maps[i]);
    return as_sha256_bytes(d->maps, n * sizeof *d->maps, report->map_sha256, err);
}

assay_code as_detector_run(as_detector *d, const as_detect_settings *settings,
                           const as_detector_input *inputs, size_t n, as_boxes *boxes,
                           as_call_report *report, assay_error *err)
{
    *report = (as_call_report){0};
    as_shape4 net = {0};
    assay_code code = call_shape(settings, inputs, n, &net, err);
    if (code) return code;
    report->call = net;
    as_shape4 padded = net;
    if (d->bucket) {
        padded.h = as_round_up(net.h, d->bucket);
        padded.w = as_round_up(net.w, d->bucket);
    }
    const as_stamp begin = d->last = as_clock_stamp();
    code = preprocess(d, inputs, net, padded, err);
    report->preprocess_ns = lap(d, report);
    if (!code) code = forward(d, net, padded, report, err);
    if (!code) code = postprocess(d, settings, inputs, net, boxes, err);
    report->postprocess_ns = lap(d, report);
    if (report->clock == AS_CLOCK_GOOD)
        report->clock = as_clock_judge(&begin, &d->last, d->resolution_ns);
    return code ? code : look_at_maps(d, net, report, err);
}
