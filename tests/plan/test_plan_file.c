/* SPDX-License-Identifier: Apache-2.0 */
/* A plan file survives the way to disk and back, and nothing else than a plan file does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/file.h"
#include "base/memory.h"
#include "plan/plan_file.h"

#define HASH_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HASH_B "10112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static char path[] = P_tmpdir "/assay-plan-XXXXXX";

static int setup(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

/* A graph of one convolution, node 0, named "a". */
static as_graph *one_convolution(void)
{
    as_graph *graph = as_graph_new();
    as_shape x = {.rank = 4, .dims = {1, 5, 7, 9}}, w = {.rank = 4, .dims = {3, 5, 1, 1}};
    int inputs[2] = {as_graph_add_tensor(graph, "x", AS_F32, &x),
                     as_graph_add_constant(graph, "w", AS_F32, &w, NULL)};
    int output = as_graph_add_tensor(graph, "y", AS_F32, NULL);
    assert_true(as_graph_add_input(graph, inputs[0]));
    assert_int_equal(as_graph_add_node(graph, AS_OP_CONV, "a", inputs, 2, &output, 1), 0);
    assert_true(as_graph_add_output(graph, output));
    assert_int_equal(as_graph_sort(graph, NULL), ASSAY_OK);
    return graph;
}

/* A plan for one_convolution on this CPU with the scalar kernels. */
static as_plan_file *some_plan(void)
{
    as_plan_file *f = as_plan_file_new();
    as_cpu_info_get(&f->cpu);
    strcpy(f->isa, "scalar");
    f->threads = 2;
    f->model_name = "det.onnx";
    strcpy(f->model_sha256, HASH_A);
    as_plan_evidence *e = &f->evidence;
    strcpy(e->manifest_sha256, HASH_B);
    *e = (as_plan_evidence){.seed = -7,
                            .n_calls = 1,
                            .calls_share = 0.75,
                            .n_rounds = 12,
                            .n_comparisons = 3,
                            .n_inputs = 40,
                            .n_boxes = 91,
                            .is_settled = true};
    strcpy(e->manifest_sha256, HASH_B);
    e->calls = as_arena_array(f->arena, 1, sizeof *e->calls);
    e->calls[0] = (as_plan_call){.id = "form-c001", .n = 16, .h = 96, .w = 320, .n_calls = 4};
    f->ratio = (as_plan_ratio){
        .n = 12, .ratio = 0.875, .low = 0.85, .high = 0.9, .level = 0.95, .has_interval = true};
    f->n_layers = 1;
    f->choices = as_arena_array(f->arena, 1, sizeof *f->choices);
    f->layers = as_arena_array(f->arena, 1, sizeof *f->layers);
    f->choices[0] = (as_layer_choice){.node = 0, .name = "a", .route = "gemm"};
    f->layers[0] = (as_plan_layer){.op_type = "Conv", .n_candidates = 2};
    f->layers[0].candidates = as_arena_array(f->arena, 2, sizeof *f->layers[0].candidates);
    as_plan_cost cost = {.n = 12,
                         .median_ms = 0.123456789,
                         .lower_quartile_ms = 0.1,
                         .upper_quartile_ms = 1.0 / 3};
    f->layers[0].candidates[0] = (as_plan_candidate){
        .route = "gemm", .is_exact = true, .in_place = cost, .isolated = cost};
    f->layers[0].candidates[1] =
        (as_plan_candidate){.route = "direct", .changes_boxes = true, .in_place = cost};
    f->n_groups = 1;
    f->group_choices = as_arena_array(f->arena, 1, sizeof *f->group_choices);
    f->groups = as_arena_array(f->arena, 1, sizeof *f->groups);
    f->group_choices[0] = (as_group_choice){.first = -1, .last = 0, .bands = AS_BANDS_HALF};
    f->groups[0] = (as_plan_group){.first = "x",
                                   .last = "a",
                                   .n_layers = 2,
                                   .rows = {8, 0, 4, 16},
                                   .in_place = {cost, cost, cost}};
    return f;
}

static void put(const char *text, size_t size)
{
    assert_int_equal(as_file_write(path, text, size, NULL), ASSAY_OK);
}

static assay_code read_back(assay_error *err)
{
    as_plan_file *file = NULL;
    *err = (assay_error){0};
    assay_code code = as_plan_file_read(path, &file, err);
    assert_true((file != NULL) == (code == ASSAY_OK));
    as_plan_file_free(file);
    return code;
}

static void what_is_read_and_written_again_is_the_same(void **state)
{
    (void)state;
    as_plan_file *f = some_plan(), *again = NULL;
    char *text = NULL, *second = NULL;
    assert_int_equal(as_plan_file_text(f, &text, NULL), ASSAY_OK);
    assert_int_equal(as_plan_file_write(f, path, NULL), ASSAY_OK);
    assert_int_equal(as_plan_file_read(path, &again, NULL), ASSAY_OK);
    assert_int_equal(as_plan_file_text(again, &second, NULL), ASSAY_OK);
    assert_string_equal(text, second);
    assert_string_equal(again->choices[0].route, "gemm");
    assert_int_equal(again->evidence.seed, -7);
    assert_int_equal(again->group_choices[0].bands, AS_BANDS_HALF);
    assert_int_equal(again->groups[0].rows[AS_BANDS_DOUBLE], 16);
    assert_true(as_sha256_is_hex(again->sha256));
    as_free(text);
    as_free(second);
    as_plan_file_free(f);
    as_plan_file_free(again);
}

static void a_plan_cut_anywhere_is_refused(void **state)
{
    (void)state;
    as_plan_file *f = some_plan();
    char *text = NULL;
    assay_error err;
    assert_int_equal(as_plan_file_text(f, &text, NULL), ASSAY_OK);
    for (size_t size = 0; size + 2 < strlen(text); size += 7) {
        put(text, size);
        assert_int_equal(read_back(&err), ASSAY_E_FORMAT);
        assert_non_null(strstr(err.where, path));
    }
    as_free(text);
    as_plan_file_free(f);
}

static json_t *leaf_of_wrong_type(const json_t *leaf)
{
    return json_is_boolean(leaf) ? json_string("yes") : json_true();
}

static void put_json(json_t *root)
{
    char *text = json_dumps(root, 0);
    put(text, strlen(text));
    free(text);
}

static void assert_unreadable(json_t *root, const char *what, const char *key)
{
    assay_error err;
    put_json(root);
    if (read_back(&err) == ASSAY_OK) fail_msg("a plan with %s '%s' was read", what, key);
}

static size_t spoil(json_t *root, json_t *at);

/* Spoil the first member of an object, then drop it; it comes back as the last one. */
static size_t spoil_member(json_t *root, json_t *object)
{
    void *member = json_object_iter(object);
    char *key = as_strdup(json_object_iter_key(member));
    json_t *value = json_incref(json_object_iter_value(member));
    json_object_set_new(object, key, leaf_of_wrong_type(value));
    assert_unreadable(root, "a wrong", key);
    json_object_del(object, key);
    assert_unreadable(root, "no", key);
    json_object_set(object, key, value);
    size_t n = 1 + spoil(root, value);
    json_decref(value);
    as_free(key);
    return n;
}

/* Replace every value below `at` in turn, one at a time, and see the file refused. */
static size_t spoil(json_t *root, json_t *at)
{
    size_t n = 0, size = json_object_size(at);
    for (size_t i = 0; i < size; i++)
        n += spoil_member(root, at);
    for (size_t i = 0; i < json_array_size(at); i++) {
        json_t *item = json_incref(json_array_get(at, i));
        json_array_set_new(at, i, json_integer(3));
        assert_unreadable(root, "a wrong item in", "a list");
        json_array_set(at, i, item);
        n += 1 + spoil(root, item);
        json_decref(item);
    }
    return n;
}

static void every_value_of_a_wrong_type_and_every_missing_one_is_refused(void **state)
{
    (void)state;
    as_plan_file *f = some_plan();
    char *text = NULL;
    assay_error err;
    assert_int_equal(as_plan_file_text(f, &text, NULL), ASSAY_OK);
    json_t *root = json_loads(text, 0, NULL);
    assert_true(spoil(root, root) > 50);
    put_json(root); /* everything is back in its place */
    assert_int_equal(read_back(&err), ASSAY_OK);
    json_decref(root);
    as_free(text);
    as_plan_file_free(f);
}

/* Write a plan with one value replaced and see what reading it says. */
static void assert_refused(const char *from, const char *to, assay_code code, const char *says)
{
    as_plan_file *f = some_plan();
    char *text = NULL;
    assay_error err;
    assert_int_equal(as_plan_file_text(f, &text, NULL), ASSAY_OK);
    const char *at = strstr(text, from);
    if (!at) fail_msg("the plan has no %s", from);
    char *changed = as_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    put(changed, strlen(changed));
    assert_int_equal(read_back(&err), code);
    if (!strstr(err.message, says)) fail_msg("'%s' lacks '%s'", err.message, says);
    as_free(changed);
    as_free(text);
    as_plan_file_free(f);
}

static void hostile_values_are_refused_with_what_is_needed(void **state)
{
    (void)state;
    assert_refused("\"schema\": 2", "\"schema\": 1", ASSAY_E_UNSUPPORTED, "reads 2");
    assert_refused("\"threads\": 2", "\"threads\": 0", ASSAY_E_FORMAT, "from 1 to 1024");
    assert_refused("\"node\": 0", "\"node\": -1", ASSAY_E_FORMAT, "'node'");
    assert_refused("\"node\": 0", "\"node\": 99999999999", ASSAY_E_FORMAT, "'node'");
    assert_refused("\"name\": \"a\"", "\"name\": \"a\\u0000b\"", ASSAY_E_FORMAT, "JSON");
    assert_refused(HASH_A, "xyz", ASSAY_E_FORMAT, "64 lower-case");
    assert_refused("0.875", "-1", ASSAY_E_FORMAT, "at least 0");
    assert_refused("\"schema\": 2", "\"schema\": 2, \"schema\": 2", ASSAY_E_FORMAT, "JSON");
    assert_refused("\"bands\": \"half\"", "\"bands\": \"third\"", ASSAY_E_FORMAT, "alone");
    assert_refused("\"bands\": \"rule\"", "\"bands\": \"alone\"", ASSAY_E_FORMAT, "in turn");
    assert_refused("\"first_node\": -1", "\"first_node\": -2", ASSAY_E_FORMAT, "from -1");
    assert_refused("\"isa\": \"scalar\"", "\"isa\": \"an instruction set nobody has\"",
                   ASSAY_E_FORMAT, "shorter");
}

static void a_plan_of_another_cpu_is_refused(void **state)
{
    (void)state;
    as_plan_file *f = some_plan();
    assay_error err;
    as_cpu_info cpu = f->cpu;
    assert_int_equal(as_plan_file_check_cpu(f, &cpu, "scalar", &err), ASSAY_OK);
    cpu.n_online += 6; /* no part of it */
    assert_int_equal(as_plan_file_check_cpu(f, &cpu, "scalar", &err), ASSAY_OK);
    assert_int_equal(as_plan_file_check_cpu(f, &cpu, "avx2", &err), ASSAY_E_ENVIRONMENT);
    assert_non_null(strstr(err.message, "kernels of scalar, this process runs avx2"));
    cpu.model_number++;
    assert_int_equal(as_plan_file_check_cpu(f, &cpu, "scalar", &err), ASSAY_E_ENVIRONMENT);
    cpu = f->cpu;
    cpu.l2_bytes *= 2;
    assert_int_equal(as_plan_file_check_cpu(f, &cpu, "scalar", &err), ASSAY_E_ENVIRONMENT);
    assert_non_null(strstr(err.message, "caches"));
    as_plan_file_free(f);
}

static void a_plan_of_another_model_layer_or_route_is_refused(void **state)
{
    (void)state;
    as_plan_file *f = some_plan();
    as_graph *graph = one_convolution();
    const as_kernels *k = as_kernels_get(AS_ISA_SCALAR);
    assay_error err;
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_A, &err), ASSAY_OK);
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_B, &err), ASSAY_E_CHANGED);
    f->choices[0].name = "b";
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_A, &err), ASSAY_E_FORMAT);
    f->choices[0] = (as_layer_choice){.node = 1, .name = "a", .route = "gemm"};
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_A, &err), ASSAY_E_FORMAT);
    f->choices[0] = (as_layer_choice){.node = 0, .name = "a", .route = "magic"};
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_A, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "'magic'"));
    f->n_layers = 0;
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_A, &err), ASSAY_OK);
    f->groups[0].first = "w2";
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_A, &err), ASSAY_E_FORMAT);
    f->groups[0].first = "x";
    f->group_choices[0].last = 1;
    assert_int_equal(as_plan_file_check(f, graph, k, HASH_A, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "node 1 'a'"));
    as_graph_free(graph);
    as_plan_file_free(f);
}

static void reading_survives_every_failing_allocation(void **state)
{
    (void)state;
    as_plan_file *f = some_plan();
    assay_error err;
    assay_code code = ASSAY_E_MEMORY;
    assert_int_equal(as_plan_file_write(f, path, NULL), ASSAY_OK);
    for (size_t n = 1; code == ASSAY_E_MEMORY && n < 1000; n++) {
        as_memory_fail_at(n);
        code = read_back(&err);
        as_memory_fail_at(0);
    }
    assert_int_equal(code, ASSAY_OK);
    as_plan_file_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_and_written_again_is_the_same),
        cmocka_unit_test(a_plan_cut_anywhere_is_refused),
        cmocka_unit_test(every_value_of_a_wrong_type_and_every_missing_one_is_refused),
        cmocka_unit_test(hostile_values_are_refused_with_what_is_needed),
        cmocka_unit_test(a_plan_of_another_cpu_is_refused),
        cmocka_unit_test(a_plan_of_another_model_layer_or_route_is_refused),
        cmocka_unit_test(reading_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
