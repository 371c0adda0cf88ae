/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of a file as the truth of a corpus' inputs. */
#include <math.h>
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
#include "trial/reference.h"

static const as_input_row inputs[] = {{.id = "a", .file = "regions/p2-r1.png"},
                                      {.id = "b", .file = "regions/p1-r1.png"}};

#define A                                                                                      \
    "{\"image\": \"x/y/p2-r1.png\", \"boxes\": [[[1, 2], [3, 2], [3, 4], [1, 4]]], "           \
    "\"scores\": [0.75]}\n"
#define B "{\"image\": \"p1-r1.png\", \"boxes\": [], \"scores\": []}\n"

/* Read `text` as a reference of the inputs above; a failure's words go to `said`. */
static assay_code read_text(const char *text, as_reference **out, char said[512])
{
    char path[] = P_tmpdir "/assay-reference-XXXXXX";
    assay_error err = {0};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(as_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    assay_code code = as_reference_read(path, inputs, 2, out, &err);
    snprintf(said, 512, "%s: %s", err.where, err.message);
    unlink(path);
    return code;
}

static void lines_are_for_inputs_by_their_base_names(void **state)
{
    (void)state;
    as_reference *reference;
    char said[512];
    assert_int_equal(read_text(B "\n{\"image\":\"other.png\",\"boxes\":7}\n"
                                 "{\"image\":\"p1-r1.png\",\"error\":\"gone\"}\n" A B,
                               &reference, said),
                     ASSAY_OK);
    assert_int_equal(reference->n, 2);
    assert_int_equal(reference->answers[0].n, 1);
    assert_int_equal(reference->answers[1].n, 0);
    const as_evidence_box *box = reference->answers[0].boxes;
    assert_true(box->corners[2][0] == 3 && box->corners[3][1] == 4 && box->score == 0.75);
    assert_int_equal(strlen(reference->sha256), 64);
    as_reference_free(reference);
}

static void corners_may_be_written_with_a_point_and_scores_as_words(void **state)
{
    (void)state;
    as_reference *reference;
    char said[512];
    assert_int_equal(
        read_text("{\"image\":\"p2-r1.png\",\"boxes\":[[[1.0,2],[3,-2.0],[3,4],[1,4]]],"
                  "\"scores\":[\"inf\"]}\n" B,
                  &reference, said),
        ASSAY_OK);
    const as_evidence_box *box = reference->answers[0].boxes;
    assert_true(box->corners[1][1] == -2 && isinf(box->score));
    as_reference_free(reference);
}

static void what_is_no_truth_gets_one_sentence(void **state)
{
    (void)state;
    const struct {
        const char *text, *says;
    } bad[] = {
        {A, "no boxes for region 'p1-r1.png'"},
        {A B "{\"image\":\"p2-r1.png\",\"boxes\":[],\"scores\":[]}\n", "line 3"},
        {A "{\n" B, "line 2"},
        {A "{\"boxes\":[]}\n", "without an image"},
        {B "{\"image\":\"p2-r1.png\",\"boxes\":[[]],\"scores\":[1]}", "box 0 is no four"},
        {B "{\"image\":\"p2-r1.png\",\"boxes\":[],\"scores\":[1]}", "0 boxes with 1 scores"},
        {B "{\"image\":\"p2-r1.png\",\"boxes\":[[[1.5,2],[3,2],[3,4],[1,4]]],\"scores\":[1]}",
         "whole numbers"},
        {B "{\"image\":\"p2-r1.png\",\"boxes\":[[[1,2],[3,2],[3,4],[1,4]]],\"scores\":[\"x\"]}",
         "with a score"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        as_reference *reference;
        char said[512];
        assert_int_equal(read_text(bad[i].text, &reference, said), ASSAY_E_FORMAT);
        assert_null(reference);
        if (!strstr(said, bad[i].says)) fail_msg("'%s' lacks '%s'", said, bad[i].says);
    }
}

static void two_regions_of_one_name_are_refused(void **state)
{
    (void)state;
    const as_input_row twins[] = {{.file = "a/p.png"}, {.file = "b/p.png"}};
    as_reference *reference;
    assert_int_equal(as_reference_read("data/digits.onnx", twins, 2, &reference, NULL),
                     ASSAY_E_ARGUMENT);
    assert_int_equal(as_reference_read("no/such/file", inputs, 2, &reference, NULL),
                     ASSAY_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_for_inputs_by_their_base_names),
        cmocka_unit_test(corners_may_be_written_with_a_point_and_scores_as_words),
        cmocka_unit_test(what_is_no_truth_gets_one_sentence),
        cmocka_unit_test(two_regions_of_one_name_are_refused),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
