/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_RANDOM_H
#define ASSAY_BASE_RANDOM_H
/* Pseudorandom orders: the same seed gives the same order on every machine. */
#include <stddef.h>
#include <stdint.h>

/** splitmix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014. */
uint64_t as_random_next(uint64_t *state);

/**
 * Where stream number `stream` of a seed begins: what draws from one stream says nothing of another.
 * Stream i begins at number i + 1 of the seed's own sequence, so streams of a few million numbers
 * overlap with a chance of 2^-40.
 *
 *     uint64_t weights = as_random_stream(seed, 0), orders = as_random_stream(seed, 1);
 */
uint64_t as_random_stream(uint64_t seed, uint64_t stream);

/** Fisher and Yates; the modulus favours small numbers by less than n * 2^-64. */
void as_random_shuffle(size_t *items, size_t n, uint64_t *state);

#endif
