/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#define INPUT SHAPE(2, 3, 5)

typedef enum order { HALF_LAST, HALF_OF_X, HALF_OF_SUM } order;

/* What a GELU is made of, so that a test can break one part. */
typedef struct parts {
    float root, one, half;
    order order;
    bool is_root_multiplied, is_half_divided, is_sum_read;
} parts;

#define GELU                                                                                   \
    (parts) { .root = 1.41421354f, .one = 1, .half = 0.5f }

static int add_half(as_graph *g, const parts *p, const char *name, int x)
{
    return p->is_half_divided ? add_node(g, AS_OP_DIV, name, x, add_number(g, 1 / p->half), -1)
                              : add_node(g, AS_OP_MUL, name, add_number(g, p->half), x, -1);
}

static as_graph *gelu(parts p)
{
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1)), y;
    int u = p.is_root_multiplied ? add_node(g, AS_OP_MUL, "u", x, add_number(g, 1 / p.root), -1)
                                 : add_node(g, AS_OP_DIV, "u", x, add_number(g, p.root), -1);
    int s = add_node(g, AS_OP_ADD, "s", add_node(g, AS_OP_ERF, "e", u, -1, -1),
                     add_number(g, p.one), -1);
    if (p.order == HALF_LAST)
        y = add_half(g, &p, "y", add_node(g, AS_OP_MUL, "p", x, s, -1));
    else if (p.order == HALF_OF_X)
        y = add_node(g, AS_OP_MUL, "y", add_half(g, &p, "h", x), s, -1);
    else
        y = add_node(g, AS_OP_MUL, "y", add_half(g, &p, "h", s), x, -1);
    finish(g, p.is_sum_read ? add_node(g, AS_OP_ADD, "z", y, s, -1) : y);
    return g;
}

static void gelu_is_recognised_in_all_orders(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        parts p = GELU;
        p.order = (order)(i % 3);
        p.is_root_multiplied = i / 3 % 2;
        p.is_half_divided = i / 6;
        as_graph *g = gelu(p);
        assert_int_equal(run_pass(g, as_pass_gelu, INPUT), 1);
        assert_int_equal(as_graph_n_nodes(g), 1);
        assert_int_equal(as_graph_node(g, 0)->op, AS_OP_GELU);
        assert_false(as_graph_node(g, 0)->attributes.gelu.is_tanh);
        as_graph_free(g);
    }
}

static void gelu_with_a_wrong_constant_stays(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        parts p = GELU;
        p.order = (order)(i % 3);
        *(i / 3 == 0 ? &p.root : i / 3 == 1 ? &p.one : &p.half) *= 1.01f;
        assert_untouched(gelu(p), as_pass_gelu, INPUT);
    }
}

static void gelu_whose_sum_is_read_elsewhere_stays(void **state)
{
    (void)state;
    parts p = GELU;
    p.is_sum_read = true;
    for (int i = 0; i < 3; i++) {
        p.order = (order)i;
        assert_untouched(gelu(p), as_pass_gelu, INPUT);
    }
}

static void a_product_with_another_tensor_is_no_gelu(void **state)
{
    (void)state;
    as_graph *g = as_graph_new();
    int x = add_input(g, "x", SHAPE(-1, -1, -1)),
        other = add_node(g, AS_OP_RELU, "o", x, -1, -1);
    int u = add_node(g, AS_OP_DIV, "u", x, add_number(g, 1.41421354f), -1);
    int s = add_node(g, AS_OP_ADD, "s", add_node(g, AS_OP_ERF, "e", u, -1, -1),
                     add_number(g, 1), -1);
    int p = add_node(g, AS_OP_MUL, "p", other, s, -1);
    finish(g, add_node(g, AS_OP_MUL, "y", p, add_number(g, 0.5f), -1));
    assert_untouched(g, as_pass_gelu, INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gelu_is_recognised_in_all_orders),
        cmocka_unit_test(gelu_with_a_wrong_constant_stays),
        cmocka_unit_test(gelu_whose_sum_is_read_elsewhere_stays),
        cmocka_unit_test(a_product_with_another_tensor_is_no_gelu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
