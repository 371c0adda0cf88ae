/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_CPU_H
#define ASSAY_BASE_CPU_H
/*
 * What processor this is and which instruction set assay uses on it.
 *
 *     as_isa isa;
 *     code = as_cpu_isa(&isa, err);      // honours ASSAY_ISA
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** Instruction sets that kernels are built for; of those that a machine has the last is best. */
typedef enum as_isa {
    AS_ISA_SCALAR,
    AS_ISA_AVX2,   /**< and FMA3 */
    AS_ISA_AVX512, /**< F, BW, DQ and VL */
    AS_ISA_NEON,   /**< AArch64's Advanced SIMD */
    AS_ISA_N
} as_isa;

/** "scalar", "avx2", "avx512", "neon". */
const char *as_isa_name(as_isa isa);

/** Whether this build has kernels for it, and processor and operating system support it. */
bool as_isa_available(as_isa isa);

/**
 * The best available ISA, or the one that the environment variable ASSAY_ISA names.
 * @return ASSAY_E_ARGUMENT when ASSAY_ISA names no ISA, ASSAY_E_ENVIRONMENT when this machine
 * or this build lacks it.
 */
assay_code as_cpu_isa(as_isa *out, assay_error *err);

/** Facts for reports; a size that is not known is 0. */
typedef struct as_cpu_info {
    char model[64];  /**< "Intel(R) Xeon(R) Processor" */
    char vendor[16]; /**< "GenuineIntel"; "0x41", the implementer's code, on AArch64 */
    int family, model_number, stepping;   /**< AArch64: architecture, part and revision */
    size_t l1d_bytes, l2_bytes, l3_bytes; /**< of one core's view */
    size_t n_online;                      /**< processors online */
} as_cpu_info;

/** Fill `info`; never fails. */
void as_cpu_info_get(as_cpu_info *info);

#endif
