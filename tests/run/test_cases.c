/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows, transposed windows and resizes that other engines got wrong (tests/cases/B01, B02, B04):
 * the right answers to the last bit, whatever route is preferred, and as close as the case says
 * where a resize interpolates.
 */
#include "data_set.h"

#include <dirent.h>

/* What a test of a case says. */
typedef struct wanted {
    const char *folder;
    double bound;          /* largest difference, in units of 1 + |wanted| */
    const as_route *route; /* what its one node has to run by; NULL = the plan's own choice */
} wanted;

static assay_tensor tensor_of(const as_onnx_tensor *from)
{
    assay_tensor t = {.rank = from->shape.rank, .data = from->data};
    for (int i = 0; i < t.rank; i++)
        t.dims[i] = from->shape.dims[i];
    return t;
}

static as_onnx_tensor read_tensor(const char *folder, const char *file)
{
    as_onnx_tensor tensor;
    assay_error err = {0};
    char path[400];
    snprintf(path, sizeof path, "%s/test_data_set_0/%s", folder, file);
    if (as_onnx_tensor_read(path, &tensor, &err)) fail_msg("%s", err.message);
    return tensor;
}

static void compare(const wanted *w, const assay_tensor *got, const as_onnx_tensor *right)
{
    assert_int_equal(got->rank, right->shape.rank);
    for (int i = 0; i < got->rank; i++)
        assert_int_equal(got->dims[i], right->shape.dims[i]);
    for (size_t i = 0; i < right->n_elements; i++) {
        const double a = (double)((const float *)got->data)[i];
        const double b = (double)((const float *)right->data)[i];
        const double away = a > b ? a - b : b - a, size = b < 0 ? -b : b;
        if (!(away <= w->bound * (1.0 + size)))
            fail_msg("%s, route %s: element %zu is %.9g, not %.9g", w->folder,
                     w->route ? w->route->name : "of the plan", i, a, b);
    }
}

/* @return false when the route does not take the node. */
static bool run_one(const wanted *w)
{
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_error err = {0};
    char path[400];
    const as_layer_choice choice = {
        .node = 0, .name = "", .route = w->route ? w->route->name : ""};
    const as_choices choices = {.layers = &choice, .n_layers = 1};
    snprintf(path, sizeof path, "%s/model.onnx", w->folder);
    as_onnx_tensor input = read_tensor(w->folder, "input_0.pb");
    as_onnx_tensor right = read_tensor(w->folder, "output_0.pb");
    const assay_tensor x = tensor_of(&input);
    assay_tensor y;
    assay_code code = assay_model_load(path, NULL, &model, &err);
    if (!code && w->route) as_model_choose(model, &choices);
    if (!code) code = assay_session_new(model, 2, &session, &err);
    if (!code) code = assay_session_run(session, &x, 1, &y, 1, &err);
    const bool is_taken =
        !(w->route && code == ASSAY_E_UNSUPPORTED && strstr(err.message, "does not take it"));
    if (code && is_taken) fail_msg("%s: %s (%s)", w->folder, err.message, err.where);
    if (!code) compare(w, &y, &right);
    assay_session_free(session);
    assay_model_free(model);
    as_onnx_tensor_free(&input);
    as_onnx_tensor_free(&right);
    return is_taken;
}

/* Every folder of a case; `interpolates` says which of them are not exact.
 * @return how many were run. */
static int run_case(const char *name, const as_route *route, bool (*interpolates)(const char *))
{
    char folder[200], path[400];
    snprintf(folder, sizeof folder, "cases/%s", name);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int n = 0;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (strchr(entry->d_name, '.')) continue; /* itself, its parent, case.json */
        const bool is_close =
            interpolates(entry->d_name) || (route && route->exactness == AS_CLOSE);
        snprintf(path, sizeof path, "%s/%.100s", folder, entry->d_name);
        n += run_one(&(wanted){path, is_close ? 1e-5 : 0, route});
    }
    closedir(dir);
    return n;
}

static bool never(const char *folder)
{
    (void)folder;
    return false;
}

static bool is_linear(const char *folder) { return strstr(folder, "linear") != NULL; }

/* A case as the plan does it, and by each route that takes it: to the last bit, but for the
 * routes that are close only. */
static void every_route(const char *name, const as_route *routes, size_t n_routes, int n_tests)
{
    assert_int_equal(run_case(name, NULL, never), n_tests);
    int n = 0;
    for (size_t i = 0; i < n_routes; i++)
        n += run_case(name, &routes[i], never);
    assert_true(n > n_tests); /* more than one route takes most of them */
}

static void windows_are_right_by_every_route(void **state)
{
    (void)state;
    const as_kernels *k = as_kernels_get(AS_ISA_SCALAR);
    every_route("B01-conv-pads-dilation-group", k->conv, k->n_conv, 12);
}

static void transposed_windows_are_right_by_every_route(void **state)
{
    (void)state;
    const as_kernels *k = as_kernels_get(AS_ISA_SCALAR);
    every_route("B02-convtranspose-autopad-outputshape", k->deconv, k->n_deconv, 9);
}

static void resizes_take_the_right_pixels(void **state)
{
    (void)state;
    assert_int_equal(run_case("B04-resize-nearest-and-upsample", NULL, is_linear), 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_right_by_every_route),
        cmocka_unit_test(transposed_windows_are_right_by_every_route),
        cmocka_unit_test(resizes_take_the_right_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
