/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"

/* Small enough that an empty graph costs little, large enough that chunks are few. */
#define CHUNK_BYTES ((size_t)64 * 1024)

typedef struct chunk {
    struct chunk *next;
    size_t capacity; /* bytes behind the header */
    size_t used;
} chunk;

#define HEADER_BYTES ((sizeof(chunk) + AS_ALIGNMENT - 1) / AS_ALIGNMENT * AS_ALIGNMENT)

struct as_arena {
    chunk *newest; /* owns the list */
    size_t bytes;
};

as_arena *as_arena_new(void) { return as_alloc(sizeof(as_arena)); }

void as_arena_free(as_arena *arena)
{
    if (!arena) return;
    for (chunk *c = arena->newest; c;) {
        chunk *next = c->next;
        as_free(c);
        c = next;
    }
    as_free(arena);
}

static chunk *add_chunk(as_arena *arena, size_t bytes)
{
    size_t capacity = as_max(bytes, CHUNK_BYTES), total = 0;
    if (!as_add(capacity, HEADER_BYTES, &total)) return NULL;
    chunk *c = as_alloc(total);
    if (!c) return NULL;
    c->capacity = capacity;
    c->next = arena->newest;
    arena->newest = c;
    arena->bytes += total;
    return c;
}

void *as_arena_alloc(as_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - AS_ALIGNMENT) return NULL;
    size_t rounded = as_round_up(as_max(bytes, 1), AS_ALIGNMENT);
    chunk *c = arena->newest;
    if (!c || c->capacity - c->used < rounded) c = add_chunk(arena, rounded);
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
