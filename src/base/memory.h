/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_MEMORY_H
#define ASSAY_BASE_MEMORY_H
/*
 * Heap memory: aligned blocks, and a growing array's room.  All of assay's allocations go through
 * these or an arena, so that a test can make the n-th one fail.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/** `bytes` zeroed bytes aligned to AS_ALIGNMENT; NULL when there is no memory.  as_free frees. */
void *as_alloc(size_t bytes) AS_CHECKED;

/** As as_alloc for `n` elements; NULL also when n * element_bytes does not fit. */
void *as_alloc_array(size_t n, size_t element_bytes) AS_CHECKED;

/** A copy of a string, owned by the caller (as_free); NULL when there is no memory. */
char *as_strdup(const char *text) AS_CHECKED;

/** "%s/%s" in fresh memory (as_free). */
char *as_path_join(const char *folder, const char *name) AS_CHECKED;

/** printf into fresh memory (as_free); NULL when there is no memory. */
char *as_format(const char *format, ...) AS_PRINTF(1, 2) AS_CHECKED;

/** As as_format, of `values`. */
char *as_format_values(const char *format, va_list values) AS_PRINTF(1, 0) AS_CHECKED;

/**
 * Make room for one more element in a growing array: doubles when n == *room.
 * @return the array, perhaps moved, or NULL with the old one intact when there is no memory.
 */
void *as_grow(void *array, size_t n, size_t *room, size_t element_bytes) AS_CHECKED;

/** Give memory of the above back; takes NULL. */
void as_free(void *memory);

/**
 * `bytes` zeroed bytes in pages of their own, for blocks that may be megabytes: a page takes
 * memory once it is touched and is not written before.
 * @return aligned to a page; NULL when there is no memory.  as_free_pages frees.
 */
void *as_alloc_pages(size_t bytes) AS_CHECKED;

/** Give pages back; `bytes` as they were asked for.  Takes NULL. */
void as_free_pages(void *memory, size_t bytes);

/** Bytes of memory that the machine has; SIZE_MAX where it does not say. */
size_t as_memory_physical(void);

/**
 * Let the pages of `bytes` bytes at `memory` come all at once: half the time that it takes one by one,
 * when each is first written.  What they hold stays.  Harmless where the system cannot.
 */
void as_touch_pages(void *memory, size_t bytes);

/*
 * Test hook: let the n-th allocation from now fail (1 = the next), or it and all that follow; 0
 * switches it off.  Blocks of an arena count like any other.
 */
void as_memory_fail_at(size_t n);
void as_memory_fail_from(size_t n);

/** Count an allocation, and say whether the hook wants it to fail; for allocators alone. */
bool as_memory_fails_now(void);

/** Allocations since the process began, for the hook's loop. */
size_t as_memory_count(void);

/** Blocks that were not given back yet; the same before and after whatever leaks nothing. */
size_t as_memory_held(void);

#endif
