/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_KERNELS_HARNESS_H
#define ASSAY_TESTS_KERNELS_HARNESS_H
/*
 * Checking a kernel against its reference, as dav1d's checkasm does: hostile shapes and values,
 * and everything around an output watched.
 *
 * An output buffer is filled with one NaN pattern, in the gaps between pixels and around the
 * tensor too.  Reference and kernel write one such buffer each and all bytes of both must then
 * agree, so a store too many, or one left out, shows.  Inputs end exactly with their last
 * element (ASan sees a read behind it) and their gaps hold NaNs, which would spread into the
 * answer.
 */
#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* ---- one case ------------------------------------------------------------------------- */

/**
 * What a case consists of, as its text spells it: "n1_ic17_ih13_iw29_oc23_kh3_kw3_sh2_sw2_...".
 */
#define CASE_FIELDS(F)                                                                         \
    F(n)                                                                                       \
    F(ic)                                                                                      \
    F(ih)                                                                                      \
    F(iw)                                                                                      \
    F(oc)                                                                                      \
    F(kh) F(kw) F(sh) F(sw) F(dh) F(dw) F(pt) F(pl) F(pb) F(pr) F(g) F(xs) F(ys) F(ep) F(kind)

typedef struct kernel_case {
#define FIELD(name) size_t name;
    CASE_FIELDS(FIELD)
#undef FIELD
    uint64_t seed;
} kernel_case;

void case_print(const kernel_case *c, char *text, size_t room);

/**
 * Fields that the text leaves out keep their value. @return false for a field that is unknown.
 */
bool case_parse(const char *text, kernel_case *c);

/** All ones, no padding. */
kernel_case case_default(uint64_t seed);

/** Output extent of a window along one axis; 0 where the window does not fit. */
size_t case_extent(size_t in, size_t k, size_t stride, size_t dilation, size_t pad0,
                   size_t pad1);

/* ---- random numbers ------------------------------------------------------------------- */

typedef struct rng {
    uint64_t state;
} rng;

uint64_t rng_next(rng *r);
size_t rng_below(rng *r, size_t n);
#define rng_pick(r, list) ((list)[rng_below((r), sizeof(list) / sizeof *(list))])

/* ---- buffers -------------------------------------------------------------------------- */

/**
 * Values by seed: small whole numbers, -1..1, wide exponents with denormals, or with inf and
 * NaN.
 */
void fill_values(float *data, size_t n, rng *r, uint64_t seed);

/** All memory of one case, freed together. */
typedef struct buffers {
    void *items[64];
    size_t n;
} buffers;

void buffers_free(buffers *b);
float *buffer_values(buffers *b, size_t n, rng *r, uint64_t seed);

/** A view to read: ends with its last element, gaps are NaN. */
as_view buffer_input(buffers *b, size_t n, size_t h, size_t w, size_t c, size_t stride, rng *r,
                     uint64_t seed);

/** A view to write, twice: for the reference and for the kernel. */
typedef struct output_pair {
    as_view want, got;
    float *want_memory, *got_memory;
    size_t n_floats;
} output_pair;

output_pair buffer_outputs(buffers *b, size_t n, size_t h, size_t w, size_t c, size_t stride);

/** Whether all bytes agree, NaNs counting as equal; else says where in `text`. */
bool outputs_agree(const output_pair *o, char *text, size_t room);

/** Steps of variant `ep` for an output of these extents; operands go to `b`. */
#define N_EPILOGUES     10
/**
 * From here on: one step, kind (ep - EPILOGUE_SINGLE) / 5 with operand (ep - EPILOGUE_SINGLE) %
 * 5.
 */
#define EPILOGUE_SINGLE 100
as_epilogue make_epilogue(buffers *b, size_t ep, const as_view *out, rng *r, uint64_t seed);

/** Cut [0, n) at random places: calls run(context, begin, end) for the parts, not in order. */
void run_split(size_t n, rng *r, void (*run)(void *context, size_t begin, size_t end),
               void *context);

#endif
