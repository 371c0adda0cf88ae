/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/kernels.h"

/* Tiles of F(4x4) in one image: the batch must not choose the route, or it would change bits. */
static size_t tiles4(const as_conv_shape *s) { return ((s->oh + 3) / 4) * ((s->ow + 3) / 4); }

static bool pays4(const as_conv_shape *s)
{
    /* Trial bench/results/winograd-weights.txt: 36 floats for each pair of channels leave the cache
     * when they are more than 2 MB, and few tiles read them for next to nothing. */
    const bool is_light = s->ic * s->oc <= ((size_t)2 << 20) / (36 * sizeof(float));
    return s->ic >= 8 && tiles4(s) >= (is_light ? 4 : 32);
}

/* Trial bench/results/chains.txt: up to 24 outputs gain on AVX-512 and cost AVX2 at most a sixth,
 * unless sums are so short that adding the chains at the end weighs. */
static bool pays_chains(const as_conv_shape *s)
{
    return s->oc / s->group <= 24 && s->kh * s->kw * (s->ic / s->group) >= 96;
}

/*
 * Trial bench/results/winograd-routes.txt (2026-11-30, AVX2 and AVX-512): winograd4 takes 0.35 to
 * 0.75 of direct's time, but for a few input channels, where its transforms weigh as much as the
 * products, and for maps of one tile, where its weights are read for next to nothing.  winograd2 is
 * behind it or behind direct.  The rule is one for all ISAs, so that a model's bits are, too.
 */
bool as_route_suits(const as_route *route, const as_conv_shape *shape)
{
    if (strcmp(route->name, "winograd4") == 0) return pays4(shape);
    if (strcmp(route->name, "chains") == 0) return pays_chains(shape);
    return strcmp(route->name, "winograd2") != 0;
}
