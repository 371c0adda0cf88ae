/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

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

static void print(const as_cli *cli, const char *format, va_list values)
{
    begin_line(cli);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

int as_cli_fail(const as_cli *cli, const assay_error *err)
{
    begin_line(cli);
    bool is_colored = cli && cli->color_err;
    fprintf(stderr, "%sassay:%s %s%s%s\n", as_paint(is_colored, AS_RED),
            as_paint(is_colored, AS_PLAIN), err->where, err->where[0] ? ": " : "",
            err->message);
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
    vsnprintf(err.message, sizeof err.message, format, values);
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
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
}
