/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_RANDOM_H
#define ASSAY_BASE_RANDOM_H
/* Pseudorandom orders: the same seed gives the same order on every machine. */
#include <stddef.h>
#include <stdint.h>

/** splitmix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014. */
uint64_t as_random_next(uint64_t *state);

/** Fisher and Yates; the modulus favours small numbers by less than n * 2^-64. */
void as_random_shuffle(size_t *items, size_t n, uint64_t *state);

#endif
