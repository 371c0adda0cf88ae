/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_MACHINE_H
#define ASSAY_TRIAL_MACHINE_H
/* Facts of the machine that stand in every report; what would spoil a measurement is judged in
 * environment.h. */
#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/threads.h"

typedef struct as_machine {
    as_cpu_info cpu;
    as_isa isa; /**< That kernels use. */
    as_thread_limits threads;
    char kernel[128];     /**< "Linux 6.1.0 x86_64" */
    char governor[32];    /**< Of CPU 0; "" where not readable, as the next. */
    char turbo[16];       /**< "on", "off" or "". */
    char smt[16];         /**< "on", "off", "notsupported" ... or "". */
    bool is_virtual;      /**< CPUID says that a hypervisor is below. */
    char hypervisor[32];  /**< Its name, or "". */
    bool is_container;    /**< A file of a container engine is there. */
    int64_t memory_bytes; /**< -1 where not known. */
} as_machine;

/** Read it; `root` as everywhere.  @return what as_cpu_isa says of ASSAY_ISA. */
assay_code as_machine_read(const char *root, as_machine *out, assay_error *err);

#endif
