/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures inside a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/embed.h"

static void base64_pads_as_rfc_4648_says(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xfe\xfd", "//79"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *out = NULL;
        size_t size;
        char text[8];
        snprintf(text, sizeof text, "%s", pairs[i][0]);
        as_bytes bytes = {.data = (unsigned char *)text, .size = strlen(text)};
        FILE *file = open_memstream(&out, &size);
        assert_non_null(file);
        as_put_base64(file, &bytes);
        assert_int_equal(fclose(file), 0);
        assert_string_equal(out, pairs[i][1]);
        free(out);
    }
}

static void a_drawing_follows_the_ink_and_its_ids_get_a_prefix(void **state)
{
    (void)state;
    char svg[] = "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\">"
                 "<path id='gpPt6' stroke=\"black\"/><use xlink:href='#gpPt6'/>"
                 "<text fill=\"rgb(0,0,0)\">black id='x'</text></svg>";
    as_bytes bytes = {.data = (unsigned char *)svg, .size = strlen(svg)};
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    assert_non_null(file);
    as_put_svg(file, &bytes, "a-");
    assert_int_equal(fclose(file), 0);
    assert_string_equal(out, "<svg ><path id='a-gpPt6' stroke=\"currentColor\"/>"
                             "<use href='#a-gpPt6'/>"
                             "<text fill=\"currentColor\">black id='x'</text></svg>");
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_pads_as_rfc_4648_says),
        cmocka_unit_test(a_drawing_follows_the_ink_and_its_ids_get_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
