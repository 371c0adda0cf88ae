/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"

/* FIPS 180-4 example messages, as published with NIST's SHA examples. */
static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char million_a[] =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static void known_messages_give_the_published_digests(void **state)
{
    (void)state;
    char hex[AS_SHA256_HEX];
    assert_int_equal(as_sha256_bytes(NULL, 0, hex, NULL), ASSAY_OK);
    assert_string_equal(hex, empty);
    assert_int_equal(as_sha256_bytes("abc", 3, hex, NULL), ASSAY_OK);
    assert_string_equal(hex, abc);
}

static void pieces_and_a_file_give_the_digest_of_the_whole(void **state)
{
    (void)state;
    enum { N = 1000000, PIECE = 997 };
    char hex[AS_SHA256_HEX], path[] = P_tmpdir "/assay-sha256-XXXXXX";
    close(mkstemp(path));
    char *text = as_alloc(N);
    memset(text, 'a', N);
    as_sha256 *hash = as_sha256_new();
    assert_non_null(hash);
    for (size_t at = 0; at < N; at += PIECE)
        assert_true(as_sha256_add(hash, text + at, N - at < PIECE ? N - at : PIECE));
    assert_true(as_sha256_finish(hash, hex));
    as_sha256_free(hash);
    assert_string_equal(hex, million_a);
    assert_int_equal(as_file_write(path, text, N, NULL), ASSAY_OK);
    memset(hex, 0, sizeof hex);
    assert_int_equal(as_sha256_file(path, hex, NULL), ASSAY_OK);
    assert_string_equal(hex, million_a);
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
    as_free(text);
}

static void missing_file_and_folder_are_told_apart(void **state)
{
    (void)state;
    char hex[AS_SHA256_HEX];
    assay_error err;
    assert_int_equal(as_sha256_file("cases/no-such-file", hex, &err), ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message, "cases/no-such-file does not exist");
    assert_int_equal(as_sha256_file("cases", hex, &err), ASSAY_E_UNSUPPORTED);
    assert_string_equal(err.message, "cases is not a regular file");
}

static void only_64_lower_case_digits_are_a_digest(void **state)
{
    (void)state;
    assert_true(as_sha256_is_hex(abc));
    assert_false(as_sha256_is_hex(abc + 1));
    assert_false(as_sha256_is_hex(""));
    char upper[AS_SHA256_HEX];
    memcpy(upper, abc, sizeof upper);
    upper[0] = 'B';
    assert_false(as_sha256_is_hex(upper));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_messages_give_the_published_digests),
        cmocka_unit_test(pieces_and_a_file_give_the_digest_of_the_whole),
        cmocka_unit_test(missing_file_and_folder_are_told_apart),
        cmocka_unit_test(only_64_lower_case_digits_are_a_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
