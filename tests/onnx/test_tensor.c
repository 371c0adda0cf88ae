/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "model.h"

/* A tensor's bytes in a fresh file; `path` receives its name. */
static void write_tensor(const Onnx__TensorProto *tensor, char path[32])
{
    strcpy(path, P_tmpdir "/assay-tensor-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    size_t size = onnx__tensor_proto__get_packed_size(tensor);
    unsigned char *bytes = malloc(size + 1);
    onnx__tensor_proto__pack(tensor, bytes);
    assert_int_equal(as_file_write(path, bytes, size, NULL), ASSAY_OK);
    free(bytes);
}

static void a_tensor_file_is_read(void **state)
{
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    char path[32];
    begin_model(13);
    write_tensor(new_weight("input", F32, 2, (int64_t[]){2, 3}, data, sizeof data), path);
    as_onnx_tensor t;
    assert_int_equal(as_onnx_tensor_read(path, &t, NULL), ASSAY_OK);
    assert_string_equal(t.name, "input");
    assert_int_equal(t.dtype, AS_F32);
    assert_int_equal(t.shape.rank, 2);
    assert_int_equal(t.shape.dims[1], 3);
    assert_int_equal(t.n_elements, 6);
    assert_memory_equal(t.data, data, sizeof data);
    as_onnx_tensor_free(&t);
    assert_null(t.data);
    unlink(path);
}

static void a_tensor_of_a_wrong_size_is_refused(void **state)
{
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    char path[32];
    assay_error err = {0};
    begin_model(13);
    write_tensor(new_weight("input", F32, 2, (int64_t[]){2, 4}, data, sizeof data), path);
    as_onnx_tensor t;
    assert_int_equal(as_onnx_tensor_read(path, &t, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message,
                        "tensor 'input' has 24 bytes, its shape [2,4] needs 32 bytes");
    assert_string_equal(err.where, as_path_base(path));
    assert_null(t.data);
    unlink(path);
}

static void a_missing_tensor_is_not_found(void **state)
{
    (void)state;
    as_onnx_tensor t;
    assert_int_equal(as_onnx_tensor_read("cases/none.pb", &t, NULL), ASSAY_E_NOT_FOUND);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    static const uint16_t data[6] = {0};
    char path[32];
    begin_model(13);
    write_tensor(new_weight("half", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, 2,
                            (int64_t[]){2, 3}, data, sizeof data),
                 path);
    int n_failures = 0;
    for (size_t n = 1;; n++) {
        as_onnx_tensor t;
        as_memory_fail_at(n);
        assay_code code = as_onnx_tensor_read(path, &t, NULL);
        as_memory_fail_at(0);
        as_onnx_tensor_free(&t);
        if (code == ASSAY_OK) break;
        assert_int_equal(code, ASSAY_E_MEMORY);
        n_failures++;
    }
    assert_true(n_failures >= 4);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_file_is_read),
        cmocka_unit_test(a_tensor_of_a_wrong_size_is_refused),
        cmocka_unit_test(a_missing_tensor_is_not_found),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
