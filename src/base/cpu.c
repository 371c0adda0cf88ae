/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processor facts.  libcpuinfo knows CPUID; whether the operating system saves the wide
 * registers is asked here again through XCR0, since an ISA is only usable where both agree.
 */
#include "base/cpu.h"

#include <cpuinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const isa_names[AS_ISA_N] = {"scalar", "avx2", "avx512"};

const char *as_isa_name(as_isa isa) { return isa_names[isa]; }

#if defined(__x86_64__)
#define XCR0_AVX    0x06 /* XMM and YMM state; Intel SDM vol. 1, 13.3 */
#define XCR0_AVX512 0xe6 /* those, opmasks, upper ZMM and high ZMM registers */

/* XCR0, or 0 where XGETBV may not be used. */
static unsigned read_xcr0(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
    return as_read_xcr0();
}

static bool has_avx2(void)
{
    return (read_xcr0() & XCR0_AVX) == XCR0_AVX && cpuinfo_initialize() &&
           cpuinfo_has_x86_avx2() && cpuinfo_has_x86_fma3();
}

static bool has_avx512(void)
{
    return (read_xcr0() & XCR0_AVX512) == XCR0_AVX512 && has_avx2() &&
           cpuinfo_has_x86_avx512f() && cpuinfo_has_x86_avx512bw() &&
           cpuinfo_has_x86_avx512dq() && cpuinfo_has_x86_avx512vl();
}

static void read_signature(as_cpu_info *info)
{
    unsigned a, b, c, d;
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(info->vendor, &b, 4);
        memcpy(info->vendor + 4, &d, 4);
        memcpy(info->vendor + 8, &c, 4);
    }
    if (!__get_cpuid(1, &a, &b, &c, &d)) return;
    /* Extended family and model: Intel SDM vol. 2, CPUID, figure 3-6. */
    unsigned family = a >> 8 & 15, model = a >> 4 & 15;
    if (family == 6 || family == 15) model |= (a >> 16 & 15) << 4;
    if (family == 15) family += a >> 20 & 255;
    info->family = (int)family;
    info->model_number = (int)model;
    info->stepping = (int)(a & 15);
}

/* The brand string of leaves 0x80000002 to 4, blanks around it removed. */
static void read_brand(as_cpu_info *info)
{
    unsigned words[13] = {0};
    for (unsigned i = 0; i < 3; i++) {
        unsigned *w = words + 4 * i;
        if (!__get_cpuid(0x80000002U + i, w, w + 1, w + 2, w + 3)) return;
    }
    char text[sizeof words];
    memcpy(text, words, sizeof words);
    const char *start = text + strspn(text, " ");
    snprintf(info->model, sizeof info->model, "%s", start);
    for (size_t end = strlen(info->model); end > 0 && info->model[end - 1] == ' '; end--)
        info->model[end - 1] = '\0';
}
#else
static bool has_avx2(void) { return false; }
static bool has_avx512(void) { return false; }
static void read_signature(as_cpu_info *info)
{
    snprintf(info->vendor, sizeof info->vendor, "unknown");
}
static void read_brand(as_cpu_info *info)
{
    snprintf(info->model, sizeof info->model, "unknown");
}
#endif

bool as_isa_available(as_isa isa)
{
    switch (isa) {
    case AS_ISA_SCALAR:
        return true;
    case AS_ISA_AVX2:
        return has_avx2();
    case AS_ISA_AVX512:
        return has_avx512();
    default:
        return false;
    }
}

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
                           "ASSAY_ISA is '%s', which this machine does not have", wanted);
    }
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "ASSAY_ISA is '%.32s', scalar, avx2 or avx512 is needed",
                   wanted ? wanted : "");
}

void as_cpu_info_get(as_cpu_info *info)
{
    *info = (as_cpu_info){0};
    read_signature(info);
    read_brand(info);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    info->n_online = online > 0 ? (size_t)online : 0;
    if (!cpuinfo_initialize()) return;
    if (cpuinfo_get_l1d_caches_count()) info->l1d_bytes = cpuinfo_get_l1d_cache(0)->size;
    if (cpuinfo_get_l2_caches_count()) info->l2_bytes = cpuinfo_get_l2_cache(0)->size;
    if (cpuinfo_get_l3_caches_count()) info->l3_bytes = cpuinfo_get_l3_cache(0)->size;
}
