/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"

/* Small enough that an empty graph costs little, large enough that chunks are few. */
#define CHUNK_BYTES ((size_t)64 * 1024)

/* From here on a chunk is pages of its own. */
#define LARGE_BYTES ((size_t)1 << 20)

typedef struct chunk {
    struct chunk *next;
    size_t capacity; /* bytes behind the header */
    size_t used;
} chunk;

#define HEADER_BYTES ((sizeof(chunk) + AS_ALIGNMENT - 1) / AS_ALIGNMENT * AS_ALIGNMENT)

struct as_arena {
    chunk *newest; /* owns the list */
    size_t chunk_bytes;
    size_t bytes;
};

as_arena *as_arena_new(void) { return as_arena_new_of(CHUNK_BYTES); }

as_arena *as_arena_new_of(size_t chunk_bytes)
{
    as_arena *arena = as_alloc(sizeof *arena);
    if (arena) arena->chunk_bytes = chunk_bytes;
    return arena;
}

static bool is_large(size_t chunk_bytes) { return chunk_bytes >= LARGE_BYTES; }

static void free_chunk(chunk *c)
{
    size_t bytes = c->capacity + HEADER_BYTES;
    if (is_large(bytes))
        as_free_pages(c, bytes);
    else
        as_free(c);
}

void as_arena_clear(as_arena *arena)
{
    for (chunk *c = arena->newest; c;) {
        chunk *next = c->next;
        free_chunk(c);
        c = next;
    }
    arena->newest = NULL;
    arena->bytes = 0;
}

void as_arena_free(as_arena *arena)
{
    if (!arena) return;
    as_arena_clear(arena);
    as_free(arena);
}

static size_t free_bytes(const chunk *c) { return c->capacity - c->used; }

/* A chunk of at least `bytes`, of which `needed` are for now. */
static chunk *add_chunk(as_arena *arena, size_t bytes, size_t needed)
{
    size_t total = 0;
    if (!as_add(bytes, HEADER_BYTES, &total)) return NULL;
    total = as_max(total, arena->chunk_bytes);
    size_t capacity = total - HEADER_BYTES;
    chunk *c = is_large(total) ? as_alloc_pages(total) : as_alloc(total);
    if (!c) return NULL;
    c->capacity = capacity;
    arena->bytes += total;
    /* The chunk with more room stays in front. */
    if (arena->newest && free_bytes(arena->newest) > capacity - needed) {
        c->next = arena->newest->next;
        arena->newest->next = c;
    } else {
        c->next = arena->newest;
        arena->newest = c;
    }
    return c;
}

bool as_arena_reserve(as_arena *arena, size_t bytes)
{
    return (arena->newest && free_bytes(arena->newest) >= bytes) || add_chunk(arena, bytes, 0);
}

void *as_arena_alloc(as_arena *arena, size_t bytes)
{
    if (as_memory_fails_now() || bytes > SIZE_MAX - AS_ALIGNMENT) return NULL;
    size_t rounded = as_round_up(as_max(bytes, 1), AS_ALIGNMENT);
    chunk *c = arena->newest;
    if (!c || free_bytes(c) < rounded) c = add_chunk(arena, rounded, rounded);
    if (!c) return NULL;
    unsigned char *block = (unsigned char *)c + HEADER_BYTES + c->used;
    c->used += rounded;
    return block; /* zeroed: chunks come zeroed and no block is handed out twice */
}

void *as_arena_array(as_arena *arena, size_t n, size_t element_bytes)
{
    size_t bytes = 0;
    return as_mul(n, element_bytes, &bytes) ? as_arena_alloc(arena, bytes) : NULL;
}

char *as_arena_strdup(as_arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = as_arena_alloc(arena, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

size_t as_arena_bytes(const as_arena *arena) { return arena->bytes; }
