/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_VECTOR_H
#define ASSAY_BASE_VECTOR_H
/*
 * Four floats as one value with C's arithmetic on each, on every processor: what plain code may use
 * where kernels, which are compiled once per instruction set, are out of its reach.  A compiler
 * extension, as those of compiler.h.
 *
 *     as_float4 sum = {0};
 *     sum += 2.0f * row;
 */
typedef float as_float4 __attribute__((vector_size(16)));

#endif
