/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/memory.h"

static void pages_are_zeroed_aligned_and_can_all_be_written(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, ((size_t)3 << 20) + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *block = as_alloc_pages(sizes[i]);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % AS_ALIGNMENT, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(block[k], 0);
        memset(block, 1, sizes[i]);
        as_free_pages(block, sizes[i]);
    }
    as_free_pages(NULL, 1);
    assert_null(as_alloc_pages(SIZE_MAX));
}

static void an_allocation_of_pages_fails_when_it_is_told_to(void **state)
{
    (void)state;
    as_memory_fail_at(2);
    void *first = as_alloc_pages(1), *second = as_alloc_pages(1), *third = as_alloc_pages(1);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    as_free_pages(first, 1);
    as_free_pages(third, 1);
}

static void from_a_failure_on_all_may_fail(void **state)
{
    (void)state;
    as_arena *arena = as_arena_new();
    as_memory_fail_from(3); /* a block and its chunk are there before */
    void *first = as_arena_alloc(arena, 1), *second = as_arena_alloc(arena, 1);
    void *third = as_alloc(1);
    as_memory_fail_at(0);
    assert_non_null(first);
    assert_null(second);
    assert_null(third);
    assert_non_null(as_arena_alloc(arena, 1));
    as_arena_free(arena);
}

static void what_is_held_is_counted(void **state)
{
    (void)state;
    size_t held = as_memory_held();
    void *block = as_alloc(1), *pages = as_alloc_pages(1);
    as_arena *arena = as_arena_new();
    assert_non_null(as_arena_alloc(arena, 1));
    assert_int_equal(as_memory_held(), held + 4); /* the arena and its chunk */
    as_free(block);
    as_free(NULL);
    as_free_pages(pages, 1);
    as_arena_free(arena);
    assert_int_equal(as_memory_held(), held);
}

static void reserved_blocks_lie_in_one_piece(void **state)
{
    (void)state;
    as_arena *arena = as_arena_new();
    assert_true(as_arena_reserve(arena, (size_t)2 << 20));
    size_t held = as_arena_bytes(arena);
    unsigned char *last = as_arena_alloc(arena, 100000);
    for (int i = 1; i < 20; i++) {
        unsigned char *block = as_arena_alloc(arena, 100000);
        assert_int_equal(block - last, 100032); /* of 64 each */
        last = block;
    }
    assert_int_equal(as_arena_bytes(arena), held);
    assert_true(as_arena_reserve(arena, 64));
    assert_int_equal(as_arena_bytes(arena), held);
    as_arena_free(arena);
}

static void a_large_block_leaves_the_rest_of_a_chunk_to_small_ones(void **state)
{
    (void)state;
    as_arena *arena = as_arena_new();
    assert_non_null(as_arena_alloc(arena, 64));
    size_t one = as_arena_bytes(arena);
    assert_non_null(as_arena_alloc(arena, 10 * one));
    size_t two = as_arena_bytes(arena);
    assert_non_null(as_arena_alloc(arena, one / 2));
    assert_int_equal(as_arena_bytes(arena), two);
    as_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_zeroed_aligned_and_can_all_be_written),
        cmocka_unit_test(an_allocation_of_pages_fails_when_it_is_told_to),
        cmocka_unit_test(from_a_failure_on_all_may_fail),
        cmocka_unit_test(what_is_held_is_counted),
        cmocka_unit_test(reserved_blocks_lie_in_one_piece),
        cmocka_unit_test(a_large_block_leaves_the_rest_of_a_chunk_to_small_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
