/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_COMPILER_H
#define ASSAY_BASE_COMPILER_H
/* Every compiler extension that assay uses; the rest of the code is C11. */

/** Let the compiler check a printf-like function: format is argument `f`, values from `a`. */
#define AS_PRINTF(f, a) __attribute__((format(printf, f, a)))
/** A printf format goes in as argument `f` and one for the same values comes out. */
#define AS_FORMAT_OF(f) __attribute__((format_arg(f)))
/** The caller must look at the result. */
#define AS_CHECKED      __attribute__((warn_unused_result))
#define AS_ALIGNED(n)   __attribute__((aligned(n)))
#define AS_INLINE       static inline __attribute__((always_inline))
#define AS_UNUSED       __attribute__((unused))

/**
 * Before a pointer is read at several fixed distances: the compiler keeps it whole in a register, and
 * not each distance from its base in one of its own.
 */
#define AS_WHOLE(pointer) __asm__("" : "+r"(pointer))

/** The compiler knows nothing of `integer` from here on, so what led to it has to be computed. */
#define AS_OPAQUE(integer) __asm__ volatile("" : "+r"(integer))

/** Let the cache line at `pointer` come near; harmless for any address. */
#define AS_PREFETCH(pointer) __builtin_prefetch(pointer)

#if defined(__SANITIZE_ADDRESS__)
#define AS_HAS_CHECKED_LOADS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AS_HAS_CHECKED_LOADS 1
#endif
#endif

/**
 * Before a loop whose count is a constant: unroll it wholly.  Not where a sanitizer checks each load and
 * store: a kernel of thousands of them takes minutes to compile.
 */
#if defined(AS_HAS_CHECKED_LOADS)
#define AS_UNROLL
#elif defined(__clang__)
#define AS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define AS_UNROLL _Pragma("GCC unroll 64")
#endif

#if defined(__x86_64__)
/** Register XCR0: which vector state the system saves.  Only where CPUID says OSXSAVE. */
AS_INLINE unsigned as_read_xcr0(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}
/** In a loop that waits for another thread. */
AS_INLINE void as_relax(void) { __asm__ volatile("pause"); }
#elif defined(__aarch64__)
/** Register FPCR: the floating-point modes of this thread; its upper half is reserved. */
AS_INLINE unsigned as_read_fpcr(void)
{
    unsigned long fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (unsigned)fpcr;
}
AS_INLINE void as_write_fpcr(unsigned fpcr)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((unsigned long)fpcr) : "memory");
}
AS_INLINE void as_relax(void) { __asm__ volatile("yield"); }
#endif

/** Bytes of alignment of every tensor: one cache line, one AVX-512 vector. */
#define AS_ALIGNMENT 64

#define AS_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
