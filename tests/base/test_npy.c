/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/npy.h"

/* A whole file of version 1.0: magic, length, header text, data. */
static size_t make_file(unsigned char *file, const char *header, const void *data,
                        size_t n_data)
{
    size_t length = strlen(header);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (unsigned char)(length & 0xff);
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + 10, header, length);
    if (n_data) memcpy(file + 10 + length, data, n_data);
    return 10 + length + n_data;
}

static assay_code parse(const char *header, size_t n_data, as_npy *out, assay_error *err)
{
    static const float data[64] = {1, 2, 3, 4, 5, 6};
    unsigned char file[1024];
    size_t size = make_file(file, header, data, n_data);
    return as_npy_parse(file, size, "x.npy", out, err);
}

static void every_type_and_rank_comes_back_as_it_was_written(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/assay-npy-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unsigned char bytes[2 * 3 * 5 * 8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    for (int type = AS_NPY_F4; type <= AS_NPY_U1; type++) {
        for (int rank = 0; rank <= 3; rank++) {
            as_npy in = {
                .type = (as_npy_type)type, .rank = rank, .dims = {2, 3, 5}, .data = bytes};
            in.n_elements = rank == 0 ? 1 : rank == 1 ? 2 : rank == 2 ? 6 : 30;
            assay_error err = {0};
            as_npy out;
            assert_int_equal(as_npy_write(path, &in, &err), ASSAY_OK);
            assert_int_equal(as_npy_read(path, &out, &err), ASSAY_OK);
            assert_int_equal(out.type, type);
            assert_int_equal(out.rank, rank);
            assert_int_equal(out.n_elements, in.n_elements);
            for (int i = 0; i < rank; i++)
                assert_int_equal(out.dims[i], in.dims[i]);
            assert_memory_equal(out.data, bytes, in.n_elements * as_npy_type_bytes(in.type));
            assert_int_equal((uintptr_t)out.data % 64, 0);
            as_npy_free(&out);
        }
    }
    unlink(path);
}

static void written_data_begins_at_a_multiple_of_64(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/assay-npy-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    float value = 7;
    as_npy in = {.type = AS_NPY_F4,
                 .rank = 8,
                 .dims = {1, 1, 1, 1, 1, 1, 1, 1},
                 .data = &value,
                 .n_elements = 1};
    as_bytes bytes;
    assert_int_equal(as_npy_write(path, &in, NULL), ASSAY_OK);
    assert_int_equal(as_file_read(path, 0, &bytes, NULL), ASSAY_OK);
    assert_int_equal((bytes.size - 4) % 64, 0);
    assert_int_equal(bytes.data[bytes.size - 5], '\n');
    as_bytes_free(&bytes);
    unlink(path);
}

static void a_header_may_have_other_quotes_and_spacing(void **state)
{
    (void)state;
    as_npy out;
    assert_int_equal(
        parse("{ \"shape\":(2,3),\"descr\" : \"<f4\",'fortran_order':False}\n", 24, &out, NULL),
        ASSAY_OK);
    assert_int_equal(out.rank, 2);
    assert_int_equal(out.dims[1], 3);
    assert_true(((const float *)out.data)[5] == 6);
    as_npy_free(&out);
}

static void version_2_headers_are_read(void **state)
{
    (void)state;
    const char *header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
    unsigned char file[256] = "\x93NUMPY\x02";
    size_t length = strlen(header);
    file[8] = (unsigned char)length;
    memcpy(file + 12, header, length);
    as_npy out;
    assert_int_equal(as_npy_parse(file, 12 + length + 4, "x.npy", &out, NULL), ASSAY_OK);
    assert_int_equal(out.n_elements, 1);
    as_npy_free(&out);
}

static void fortran_order_is_refused_with_a_way_out(void **state)
{
    (void)state;
    as_npy out;
    assay_error err = {0};
    assert_int_equal(
        parse("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24, &out, &err),
        ASSAY_E_UNSUPPORTED);
    assert_string_equal(
        err.message,
        "x.npy is in Fortran order, assay needs C order (numpy.ascontiguousarray)");
}

static void other_element_types_are_refused_by_name(void **state)
{
    (void)state;
    as_npy out;
    assay_error err = {0};
    assert_int_equal(
        parse("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4, &out, &err),
        ASSAY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "'>f4'"));
}

static void bytes_that_do_not_suit_the_shape_are_counted(void **state)
{
    (void)state;
    as_npy out;
    assay_error err = {0};
    assert_int_equal(
        parse("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 20, &out, &err),
        ASSAY_E_FORMAT);
    assert_string_equal(err.message, "x.npy has 20 bytes of elements, its shape needs 24");
}

static void hostile_headers_are_refused(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "",
        "{",
        "{'descr'",
        "{'descr': '<f4'",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,3",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4, 4), }",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        as_npy out;
        assay_error err = {0};
        assert_int_equal(parse(headers[i], 4, &out, &err), ASSAY_E_FORMAT);
        assert_null(out.data);
    }
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    float data[6] = {0};
    unsigned char file[256];
    size_t size =
        make_file(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", data,
                  sizeof data);
    for (size_t n = 0; n < size; n++) {
        unsigned char *exact = malloc(n ? n : 1);
        assert_non_null(exact);
        memcpy(exact, file, n);
        as_npy out;
        assert_int_equal(as_npy_parse(exact, n, "x.npy", &out, NULL), ASSAY_E_FORMAT);
        free(exact);
    }
}

static void a_missing_file_is_not_found(void **state)
{
    (void)state;
    as_npy out;
    assert_int_equal(as_npy_read("cases/no-such.npy", &out, NULL), ASSAY_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_rank_comes_back_as_it_was_written),
        cmocka_unit_test(written_data_begins_at_a_multiple_of_64),
        cmocka_unit_test(a_header_may_have_other_quotes_and_spacing),
        cmocka_unit_test(version_2_headers_are_read),
        cmocka_unit_test(fortran_order_is_refused_with_a_way_out),
        cmocka_unit_test(other_element_types_are_refused_by_name),
        cmocka_unit_test(bytes_that_do_not_suit_the_shape_are_counted),
        cmocka_unit_test(hostile_headers_are_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(a_missing_file_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
