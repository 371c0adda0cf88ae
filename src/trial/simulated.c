/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/simulated.h"

#include <math.h>

#include "base/random.h"

as_simulated as_simulated_new(uint64_t seed)
{
    return (as_simulated){.random = seed, .ratio = 1, .slot_s = 0.1, .sd = 0.01};
}

double as_simulated_uniform(as_simulated *m)
{
    return ldexp((double)(as_random_next(&m->random) >> 11), -53);
}

/* Box and Muller, A note on the generation of random normal deviates, 1958. */
static double normal(as_simulated *m)
{
    double radius = sqrt(-2 * log(1 - as_simulated_uniform(m)));
    return radius * cos(6.283185307179586 * as_simulated_uniform(m));
}

assay_code as_simulated_slot(void *context, int side, as_duel_slot *out, assay_error *err)
{
    as_simulated *m = context;
    (void)err;
    m->walk += m->walk_sd * normal(m);
    double y = log(m->slot_s) + (side ? log(m->ratio) : 0) + m->drift * (double)m->n_slots++ +
               m->walk + m->sd * normal(m);
    if (as_simulated_uniform(m) < m->wild_share) y += 0.4 * as_simulated_uniform(m);
    bool is_dirty = as_simulated_uniform(m) < m->dirty_share;
    if (is_dirty) y += m->dirty_cost;
    out->seconds = out->total_s = exp(y);
    out->noise = (as_noise){.wall_s = out->seconds,
                            .cpu_s = out->seconds,
                            .run_delay_s = is_dirty ? 0.2 * out->seconds : 0,
                            .psi_cpu_s = NAN,
                            .steal_ticks = -1,
                            .total_ticks = -1,
                            .n_throttled = -1};
    return ASSAY_OK;
}
