/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#define GAMMA UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio, made odd */

uint64_t as_random_next(uint64_t *state)
{
    uint64_t z = (*state += GAMMA);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t as_random_stream(uint64_t seed, uint64_t stream)
{
    uint64_t state = seed + stream * GAMMA;
    return as_random_next(&state);
}

void as_random_shuffle(size_t *items, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        const size_t other = as_random_next(state) % i, kept = items[i - 1];
        items[i - 1] = items[other];
        items[other] = kept;
    }
}
