/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86-64.  libcpuinfo knows CPUID; whether the operating system saves the wide registers is
 * asked here again through XCR0, since an ISA is only usable where both agree.
 */
#include <cpuid.h>
#include <cpuinfo.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/cpu_inner.h"

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

bool as_cpu_has(as_isa isa)
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

void as_cpu_read_identity(as_cpu_info *info)
{
    read_signature(info);
    read_brand(info);
}
