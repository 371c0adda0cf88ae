/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/size.h"

#define PAGE_BYTES ((size_t)4096)

/* The test hook's counters: the one piece of state in here, and no answer depends on it. */
static atomic_size_t n_allocations, n_held;
static atomic_size_t first_failure; /* number of the allocation that fails; 0 = none does */
static atomic_bool fails_ever_after;

static void set_failure(size_t n, bool ever_after)
{
    atomic_store(&first_failure, 0);
    atomic_store(&fails_ever_after, ever_after);
    if (n) atomic_store(&first_failure, atomic_load(&n_allocations) + n);
}

void as_memory_fail_at(size_t n) { set_failure(n, false); }

void as_memory_fail_from(size_t n) { set_failure(n, true); }

bool as_memory_fails_now(void)
{
    size_t number = atomic_fetch_add(&n_allocations, 1) + 1,
           first = atomic_load(&first_failure);
    return first && (number == first || (number > first && atomic_load(&fails_ever_after)));
}

size_t as_memory_count(void) { return atomic_load(&n_allocations); }

size_t as_memory_held(void) { return atomic_load(&n_held); }

void *as_alloc(size_t bytes)
{
    if (as_memory_fails_now() || bytes > SIZE_MAX - AS_ALIGNMENT) return NULL;
    size_t rounded = as_round_up(as_max(bytes, 1), AS_ALIGNMENT);
    void *memory = aligned_alloc(AS_ALIGNMENT, rounded);
    if (!memory) return NULL;
    atomic_fetch_add(&n_held, 1);
    return memset(memory, 0, rounded);
}

void *as_alloc_array(size_t n, size_t element_bytes)
{
    size_t bytes = 0;
    return as_mul(n, element_bytes, &bytes) ? as_alloc(bytes) : NULL;
}

char *as_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = as_alloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *as_path_join(const char *folder, const char *name)
{
    return as_format("%s/%s", folder, name);
}

char *as_format_values(const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    char *text = length < 0 ? NULL : as_alloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *as_format(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = as_format_values(format, values);
    va_end(values);
    return text;
}

void *as_grow(void *array, size_t n, size_t *room, size_t element_bytes)
{
    if (n < *room) return array;
    size_t wanted = *room ? *room : 8;
    if (*room && !as_mul(*room, 2, &wanted)) return NULL;
    void *larger = as_alloc_array(wanted, element_bytes);
    if (!larger) return NULL;
    if (n) memcpy(larger, array, n * element_bytes);
    as_free(array);
    *room = wanted;
    return larger;
}

void as_free(void *memory)
{
    if (memory) atomic_fetch_sub(&n_held, 1);
    free(memory);
}

/* No huge pages: a machine's first use of one costs more than all it saves (bench/results/memory.md). */
void *as_alloc_pages(size_t bytes)
{
    if (as_memory_fails_now() || bytes > SIZE_MAX - PAGE_BYTES) return NULL;
    void *mapped = mmap(NULL, as_round_up(as_max(bytes, 1), PAGE_BYTES), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return NULL;
    atomic_fetch_add(&n_held, 1);
    return mapped;
}

void as_free_pages(void *memory, size_t bytes)
{
    if (!memory) return;
    atomic_fetch_sub(&n_held, 1);
    munmap(memory, as_round_up(as_max(bytes, 1), PAGE_BYTES));
}

void as_touch_pages(void *memory, size_t bytes)
{
    const size_t before = (size_t)((uintptr_t)memory % PAGE_BYTES);
    /* EINVAL before Linux 5.14: then they come one by one. */
    (void)madvise((char *)memory - before, bytes + before, MADV_POPULATE_WRITE);
}

size_t as_memory_physical(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    size_t all = 0;
    if (pages <= 0 || bytes <= 0 || !as_mul((size_t)pages, (size_t)bytes, &all))
        return SIZE_MAX;
    return all;
}
