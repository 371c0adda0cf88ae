/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H
/*
 * An arena: many small blocks with one life.  A graph or a plan takes all its memory from one and
 * is freed whole; nothing inside is freed singly.
 *
 *     chunk -> chunk -> chunk      each [ header | block | block | ...free... ]
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

typedef struct as_arena as_arena;

/** A new, empty arena; NULL when there is no memory. */
as_arena *as_arena_new(void) AS_CHECKED;

/** As as_arena_new, for large blocks: its chunks have at least `chunk_bytes`. */
as_arena *as_arena_new_of(size_t chunk_bytes) AS_CHECKED;

/** Free the arena and all its blocks; takes NULL. */
void as_arena_free(as_arena *arena);

/** Free all its blocks; the arena stays and is empty. */
void as_arena_clear(as_arena *arena);

/** `bytes` zeroed bytes aligned to AS_ALIGNMENT, owned by the arena; NULL without memory. */
void *as_arena_alloc(as_arena *arena, size_t bytes) AS_CHECKED;

/** As as_arena_alloc for `n` elements; NULL also when n * element_bytes does not fit. */
void *as_arena_array(as_arena *arena, size_t n, size_t element_bytes) AS_CHECKED;

/**
 * Let the next `bytes` of blocks lie in one chunk; what they do not touch takes no memory.
 * @return false without memory.
 */
bool as_arena_reserve(as_arena *arena, size_t bytes) AS_CHECKED;

/** A copy of a string in the arena. */
char *as_arena_strdup(as_arena *arena, const char *text) AS_CHECKED;

/** Bytes that the arena holds from the system. */
size_t as_arena_bytes(const as_arena *arena);

#endif
