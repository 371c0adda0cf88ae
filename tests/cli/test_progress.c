/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line: what it shows, and that it is never drawn where nobody looks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* Draw a whole bar of `total` with stderr in a file; what was written is in `drawn`. */
static void draw(const as_cli *cli, size_t total, char *drawn, size_t room)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    as_progress bar;
    as_progress_start(&bar, cli, "regions", total);
    as_progress_step(&bar, 4, "page 12");
    as_progress_end(&bar);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    drawn[fread(drawn, 1, room - 1, file)] = '\0';
    fclose(file);
}

static void a_terminal_sees_the_bar_and_a_wiped_line(void **state)
{
    (void)state;
    char drawn[1024];
    as_cli cli = {.has_terminal = true};
    draw(&cli, 4, drawn, sizeof drawn);
    assert_non_null(strstr(drawn, "regions  [                        ]  0/4"));
    assert_non_null(strstr(drawn, "regions  [========================]  4/4  page 12"));
    assert_string_equal(drawn + strlen(drawn) - 4, "\r\033[K");
}

static void steps_in_quick_succession_are_not_drawn(void **state)
{
    (void)state;
    char drawn[1024];
    as_cli cli = {.has_terminal = true};
    draw(&cli, 1000, drawn, sizeof drawn);
    assert_non_null(strstr(drawn, "0/1000"));
    assert_null(strstr(drawn, "4/1000"));
}

static void without_a_terminal_nothing_is_drawn(void **state)
{
    (void)state;
    char drawn[64];
    as_cli cli = {.has_terminal = false};
    draw(&cli, 4, drawn, sizeof drawn);
    assert_string_equal(drawn, "");
    draw(NULL, 4, drawn, sizeof drawn);
    assert_string_equal(drawn, "");
}

static void durations_read_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } expected[] = {{-3, "0 s"},  {0.4, "0 s"},    {59.4, "59 s"},    {59.6, "1:00"},
                    {80, "1:20"}, {3599, "59:59"}, {3600, "1:00:00"}, {7400, "2:03:20"}};
    for (size_t i = 0; i < AS_COUNT_OF(expected); i++) {
        char text[32];
        as_progress_duration(expected[i].seconds, text, sizeof text);
        assert_string_equal(text, expected[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_sees_the_bar_and_a_wiped_line),
        cmocka_unit_test(steps_in_quick_succession_are_not_drawn),
        cmocka_unit_test(without_a_terminal_nothing_is_drawn),
        cmocka_unit_test(durations_read_as_people_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
