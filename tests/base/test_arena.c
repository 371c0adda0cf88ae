/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/memory.h"

static void blocks_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    as_arena *arena = as_arena_new();
    unsigned char *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        blocks[i] = as_arena_alloc(arena, i * 7);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % AS_ALIGNMENT, 0);
        for (size_t b = 0; b < i * 7; b++)
            assert_int_equal(blocks[i][b], 0);
        memset(blocks[i], (int)(i % 251) + 1, i * 7);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t b = 0; b < i * 7; b++)
            assert_int_equal(blocks[i][b], i % 251 + 1);
    as_arena_free(arena);
}

static void a_block_larger_than_a_chunk_gets_room(void **state)
{
    (void)state;
    as_arena *arena = as_arena_new();
    unsigned char *large = as_arena_alloc(arena, 1000003);
    assert_non_null(large);
    large[1000002] = 1;
    assert_true(as_arena_bytes(arena) >= 1000003);
    assert_string_equal(as_arena_strdup(arena, "conv1.w"), "conv1.w");
    as_arena_free(arena);
}

static void sizes_beyond_all_memory_are_refused(void **state)
{
    (void)state;
    as_arena *arena = as_arena_new();
    assert_null(as_arena_alloc(arena, SIZE_MAX));
    assert_null(as_arena_array(arena, SIZE_MAX / 2, 3));
    as_arena_free(arena);
    as_arena_free(NULL);
}

static void a_failing_allocation_leaves_the_arena_usable(void **state)
{
    (void)state;
    as_arena *arena = as_arena_new();
    as_memory_fail_at(1);
    assert_null(as_arena_alloc(arena, 100));
    as_memory_fail_at(0);
    assert_non_null(as_arena_alloc(arena, 100));
    as_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_zeroed_and_apart),
        cmocka_unit_test(a_block_larger_than_a_chunk_gets_room),
        cmocka_unit_test(sizes_beyond_all_memory_are_refused),
        cmocka_unit_test(a_failing_allocation_leaves_the_arena_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
