/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/kernels.h"

/* Tiles of F(4x4) in one image: the batch must not choose the route, or it would change bits. */
static size_t tiles4(const as_conv_shape *s) { return ((s->oh + 3) / 4) * ((s->ow + 3) / 4); }

/*
 * Trial bench/results/winograd-routes.txt (2026-11-30, AVX2 and AVX-512): winograd4 takes 0.35 to
 * 0.75 of direct's time, but for a few input channels, where its transforms weigh as much as the
 * products, and for maps of one tile, where its weights are read for next to nothing.  winograd2 is
 * behind it or behind direct.  The rule is one for all ISAs, so that a model's bits are, too.
 */
bool as_route_suits(const as_route *route, const as_conv_shape *shape)
{
    if (strcmp(route->name, "winograd4") == 0) return shape->ic >= 8 && tiles4(shape) >= 4;
    return strcmp(route->name, "winograd2") != 0;
}
