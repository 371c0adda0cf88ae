/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/error.h"
#include "cli/cli.h"

int as_cli_exit_status(assay_code code)
{
    switch (code) {
    case ASSAY_OK:
        return AS_EXIT_DONE;
    case ASSAY_E_ARGUMENT:
        return AS_EXIT_USAGE;
    case ASSAY_E_FORMAT:
    case ASSAY_E_UNSUPPORTED:
    case ASSAY_E_NOT_FOUND:
    case ASSAY_E_CHANGED:
        return AS_EXIT_INPUT;
    case ASSAY_E_IO:
    case ASSAY_E_MEMORY:
        return AS_EXIT_IO;
    case ASSAY_E_ENVIRONMENT:
        return AS_EXIT_ENVIRONMENT;
    case ASSAY_E_CHILD:
    case ASSAY_E_DIFFERENT:
        return AS_EXIT_DIFFERENT;
    case ASSAY_E_INTERRUPTED:
        return AS_EXIT_INTERRUPTED;
    }
    return AS_EXIT_IO;
}

/* A progress line that is still drawn gives way. */
static void begin_line(const as_cli *cli)
{
    if (cli && cli->has_terminal) fputs("\r\033[K", stderr);
}

/* Bytes that follow `first` in a UTF-8 character; -1 where none begins with it. */
static int bytes_behind(unsigned char first)
{
    if (first < 0x80) return 0;
    if (first >= 0xc2 && first < 0xe0) return 1;
    if (first >= 0xe0 && first < 0xf0) return 2;
    return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

/* Whether the character at `at` is one that a terminal obeys or cannot show. */
static bool is_control(const unsigned char *at, int n_behind)
{
    for (int i = 1; i <= n_behind; i++)
        if ((at[i] & 0xc0) != 0x80) return true;
    return n_behind < 0 || at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

/* A message is one line and moves no cursor, whatever the names in it are made of. */
static void print_line(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        int n = bytes_behind(*at);
        if (is_control(at, n)) {
            fprintf(stderr, "\\x%02x", *at);
            continue;
        }
        fwrite(at, 1, (size_t)n + 1, stderr);
        at += n;
    }
    fputc('\n', stderr);
}

static void print(const as_cli *cli, const char *format, va_list values)
{
    char line[4096];
    as_sentence(line, sizeof line, format, values);
    begin_line(cli);
    print_line(line);
}

int as_cli_fail(const as_cli *cli, const assay_error *err)
{
    begin_line(cli);
    bool is_colored = cli && cli->color_err;
    char line[sizeof err->where + sizeof err->message + 2];
    snprintf(line, sizeof line, "%s%s%s", err->where, err->where[0] ? ": " : "", err->message);
    fprintf(stderr, "%sassay:%s ", as_paint(is_colored, AS_RED),
            as_paint(is_colored, AS_PLAIN));
    print_line(line);
    if (cli && cli->verbosity > 0 && err->file)
        fprintf(stderr, "assay: %s raised at %s:%d\n", assay_code_name(err->code), err->file,
                err->line);
    return as_cli_exit_status(err->code);
}

int as_cli_usage(const as_cli *cli, const char *format, ...)
{
    assay_error err = {.code = ASSAY_E_ARGUMENT};
    va_list values;
    va_start(values, format);
    as_sentence(err.message, sizeof err.message, format, values);
    va_end(values);
    return as_cli_fail(cli, &err);
}

void as_note(const as_cli *cli, const char *format, ...)
{
    if (cli->verbosity < 0) return;
    va_list values;
    va_start(values, format);
    print(cli, format, values);
    va_end(values);
}

void as_detail(const as_cli *cli, const char *format, ...)
{
    if (cli->verbosity < 1) return;
    va_list values;
    va_start(values, format);
    print(cli, format, values);
    va_end(values);
}

void as_warn(const as_cli *cli, const char *format, ...)
{
    begin_line(cli);
    fprintf(stderr, "%sassay: warning:%s ", as_paint(cli->color_err, AS_YELLOW),
            as_paint(cli->color_err, AS_PLAIN));
    char line[4096];
    va_list values;
    va_start(values, format);
    as_sentence(line, sizeof line, format, values);
    va_end(values);
    print_line(line);
}
