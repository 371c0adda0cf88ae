/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every kernel of table.inc against its reference, on every ISA that this machine has.
 *
 *     test_kernels_kernels                     all of them; a kernel without its ISA is SKIPPED
 *     test_kernels_kernels --cases 500         at most so many cases of each
 *     test_kernels_kernels --scalar-cases 200  at most so many of each scalar one
 *     test_kernels_kernels --kernel conv/direct/avx2 --shape n1_ic17_ih13_... --seed 7     one case
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/denormals.h"
#include "families.h"

#define OF_EVERY_ISA(family, variant)                                                          \
    {family, variant, AS_ISA_SCALAR}, {family, variant, AS_ISA_AVX2},                          \
        {family, variant, AS_ISA_AVX512}, {family, variant, AS_ISA_NEON},
static const kernel_id table[] = {
#define AS_CONV(variant, exactness, pixels, channels)   OF_EVERY_ISA("conv", #variant)
#define AS_DECONV(variant, exactness, pixels, channels) OF_EVERY_ISA("deconv", #variant)
#define AS_KERNEL(family, exactness, pixels, channels)  OF_EVERY_ISA(#family, "")
#include "kernels/table.inc"
#undef AS_CONV
#undef AS_DECONV
#undef AS_KERNEL
};
#define N_TABLE (sizeof table / sizeof *table)

static size_t n_agreeing[AS_ISA_N], n_skipped;
/* Of one kernel; set before the tests run. */
static size_t most_cases = SIZE_MAX, most_scalar_cases = SIZE_MAX;

/* "conv/direct/avx2", or "map/avx2". */
static void print_name(const kernel_id *id, char *name, size_t room)
{
    snprintf(name, room, "%s%s%s/%s", id->family, id->variant[0] ? "/" : "", id->variant,
             as_isa_name(id->isa));
}

static const family *family_of(const kernel_id *id)
{
    for (size_t i = 0; i < n_families; i++)
        if (strcmp(families[i].name, id->family) == 0) return &families[i];
    return NULL;
}

/* Check one case; a failure prints what to run to see it again. */
static outcome check_case(const kernel_id *id, const kernel_case *c)
{
    char what[256] = "", name[64], shape[512];
    const outcome result = family_of(id)->check(id, c, what, sizeof what);
    if (result == DIFFERS) {
        print_name(id, name, sizeof name);
        case_print(c, shape, sizeof shape);
        print_error("%s\ntest_kernels_kernels --kernel %s --shape %s --seed %llu\n", what, name,
                    shape, (unsigned long long)c->seed);
    }
    return result;
}

static void kernel_agrees_with_its_reference(void **state)
{
    const kernel_id *id = *state;
    char name[64];
    print_name(id, name, sizeof name);
    if (!as_isa_available(id->isa)) {
        print_message("SKIPPED %s: this machine lacks %s\n", name, as_isa_name(id->isa));
        n_skipped++;
        skip();
    }
    const family *f = family_of(id);
    assert_non_null(f);
    rng r = {0};
    for (const char *at = id->family; *at;
         at++) /* all variants and ISAs of a family get equal cases */
        r.state = r.state * 31 + (unsigned char)*at;
    const size_t most = id->isa == AS_ISA_SCALAR ? most_scalar_cases : most_cases;
    const size_t n_cases = f->n_cases < most ? f->n_cases : most;
    size_t n_checked = 0;
    for (size_t i = 0; n_checked < n_cases && i < 2 * n_cases; i++) {
        const kernel_case c = f->make(&r, id);
        const outcome result = check_case(id, &c);
        assert_int_not_equal(result, DIFFERS);
        n_checked += result == AGREES;
    }
    assert_true(n_checked == n_cases); /* a route that refuses most is no pass */
    n_agreeing[id->isa] += n_checked;
}

static int replay(const char *name, const char *shape, uint64_t seed)
{
    kernel_case c = case_default(seed);
    if (shape && !case_parse(shape, &c)) {
        fprintf(stderr, "test_kernels: shape '%s' has an unknown field\n", shape);
        return 2;
    }
    for (size_t i = 0; i < N_TABLE; i++) {
        char candidate[64];
        print_name(&table[i], candidate, sizeof candidate);
        if (strcmp(candidate, name) != 0) continue;
        if (!as_kernels_get(table[i].isa) || !as_isa_available(table[i].isa)) {
            printf("SKIPPED %s: this machine lacks %s\n", name, as_isa_name(table[i].isa));
            return 0;
        }
        static const char *const words[] = {"agrees", "differs", "is refused by the route"};
        const outcome result = check_case(&table[i], &c);
        printf("%s %s\n", name, words[result]);
        return result == AGREES ? 0 : 1;
    }
    fprintf(stderr, "test_kernels: there is no kernel '%s'\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    const char *name = NULL, *shape = NULL;
    uint64_t seed = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--kernel") == 0) name = argv[i + 1];
        if (strcmp(argv[i], "--shape") == 0) shape = argv[i + 1];
        if (strcmp(argv[i], "--cases") == 0)
            most_cases = most_scalar_cases = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--scalar-cases") == 0)
            most_scalar_cases = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0) seed = strtoull(argv[i + 1], NULL, 10);
    }
    const unsigned saved = as_denormals_flush();
    if (name) return replay(name, shape, seed);
    static char names[N_TABLE][64];
    static kernel_id ids[N_TABLE];
    struct CMUnitTest tests[N_TABLE] = {{0}}; /* entries without a name are passed over */
    size_t n = 0;
    for (size_t i = 0; i < N_TABLE; i++) {
        if (!as_kernels_get(table[i].isa)) continue; /* of another architecture */
        ids[n] = table[i];
        print_name(&table[i], names[n], sizeof names[n]);
        tests[n] = (struct CMUnitTest){.name = names[n],
                                       .test_func = kernel_agrees_with_its_reference,
                                       .initial_state = &ids[n]};
        n++;
    }
    const int n_failed = cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
    for (as_isa isa = 0; isa < AS_ISA_N; isa++)
        if (as_kernels_get(isa))
            printf("%s: %zu cases agree with the reference\n", as_isa_name(isa),
                   n_agreeing[isa]);
    printf("%zu kernels SKIPPED\n", n_skipped);
    as_denormals_restore(saved);
    return n_failed;
}
