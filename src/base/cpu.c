/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for every processor; cpu_<architecture>.c and cpu_caches*.c have the rest. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_inner.h"

static const char *const isa_names[AS_ISA_N] = {"scalar", "avx2", "avx512", "neon"};

const char *as_isa_name(as_isa isa) { return isa_names[isa]; }

#define AS_BUILT(name, id) | 1U << AS_ISA_##id
static const unsigned built = 0 AS_BUILT_ISAS;
#undef AS_BUILT

bool as_isa_available(as_isa isa) { return (built >> isa & 1) != 0 && as_cpu_has(isa); }

assay_code as_cpu_isa(as_isa *out, assay_error *err)
{
    const char *wanted = getenv("ASSAY_ISA");
    as_isa isa = AS_ISA_N;
    while (isa-- > 0) {
        if (wanted && strcmp(wanted, isa_names[isa]) != 0) continue;
        if (as_isa_available(isa)) {
            *out = isa;
            return ASSAY_OK;
        }
        if (wanted)
            return as_fail(err, ASSAY_E_ENVIRONMENT,
                           "ASSAY_ISA is '%s', which this machine or this build does not have",
                           wanted);
    }
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "ASSAY_ISA is '%.32s', scalar, avx2, avx512 or neon is needed",
                   wanted ? wanted : "");
}

void as_cpu_info_get(as_cpu_info *info)
{
    *info = (as_cpu_info){0};
    as_cpu_read_identity(info);
    as_cpu_read_caches(info);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    info->n_online = online > 0 ? (size_t)online : 0;
}
