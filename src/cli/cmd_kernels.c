/* SPDX-License-Identifier: Apache-2.0 */
/* assay kernels: the table of kernels, and which of them run here. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/json.h"
#include "cli/cli.h"
#include "kernels/kernels.h"

typedef struct kernels_options {
    bool json;
} kernels_options;

static const as_option options[] = {
    AS_FLAG(kernels_options, json, "json", "print JSON"),
    AS_OPTIONS_END,
};

/* "conv/direct", or "map". */
static void name_of(const as_kernel_line *line, char *name, size_t room)
{
    snprintf(name, room, "%s%s%s", line->family, line->variant[0] ? "/" : "", line->variant);
}

static const char *exactness_of(const as_kernel_line *line)
{
    return line->exactness == AS_EXACT ? "exact" : "close";
}

/*
 * Place of a line among the routes of its family, from 1, in the order in which layers that
 * nobody measured prefer them; 0 for a family without choice.
 */
static size_t preference_of(const as_kernels *k, size_t i)
{
    size_t place = 0;
    if (!k->lines[i].variant[0]) return 0;
    for (size_t other = 0; other <= i; other++)
        place += strcmp(k->lines[other].family, k->lines[i].family) == 0;
    return place;
}

/* Why an ISA's kernels cannot run, or NULL where they do. */
static const char *obstacle_of(as_isa isa)
{
    if (!as_kernels_get(isa)) return "for another architecture, not in this build";
    return as_isa_available(isa) ? NULL : "this machine lacks it";
}

static void print_lines(as_isa isa)
{
    const as_kernels *k = as_kernels_get(isa);
    for (size_t i = 0; k && i < k->n_lines; i++) {
        const as_kernel_line *line = &k->lines[i];
        char name[64], tile[32], preference[32] = "";
        name_of(line, name, sizeof name);
        snprintf(tile, sizeof tile, "%zux%zu", line->tile_pixels, line->tile_channels);
        size_t place = preference_of(k, i);
        if (place) snprintf(preference, sizeof preference, "        %zu", place);
        printf("%-20s %-8s %-10s %-7s %s%s\n", name, as_isa_name(isa), exactness_of(line), tile,
               obstacle_of(isa) ? "no " : "yes", preference);
    }
}

static void print_text(as_isa chosen)
{
    for (as_isa isa = 0; isa < AS_ISA_N; isa++) {
        const char *obstacle = obstacle_of(isa);
        printf("%-8s %s%s\n", as_isa_name(isa), obstacle ? obstacle : "available",
               isa == chosen ? ", used" : "");
    }
    printf("\n%-20s %-8s %-10s %-7s %-10s %s\n", "kernel", "ISA", "answers", "tile",
           "available", "preference");
    for (as_isa isa = 0; isa < AS_ISA_N; isa++)
        print_lines(isa);
}

static json_t *line_json(const as_kernels *k, size_t i)
{
    const as_kernel_line *line = &k->lines[i];
    char name[64];
    name_of(line, name, sizeof name);
    size_t preference = preference_of(k, i);
    return json_pack("{s:s, s:s, s:s, s:[I, I], s:b, s:o}", "name", name, "isa",
                     as_isa_name(k->isa), "answers", exactness_of(line), "tile",
                     (json_int_t)line->tile_pixels, (json_int_t)line->tile_channels,
                     "available", obstacle_of(k->isa) == NULL, "preference",
                     preference ? json_integer((json_int_t)preference) : json_null());
}

static assay_code print_json(as_isa chosen, assay_error *err)
{
    json_t *isas = json_array(), *kernels = json_array();
    for (as_isa isa = 0; isa < AS_ISA_N; isa++) {
        const as_kernels *k = as_kernels_get(isa);
        as_json_append(&isas, json_pack("{s:s, s:b, s:b, s:b}", "name", as_isa_name(isa),
                                        "built", k != NULL, "available",
                                        obstacle_of(isa) == NULL, "used", isa == chosen));
        for (size_t i = 0; k && i < k->n_lines; i++)
            as_json_append(&kernels, line_json(k, i));
    }
    json_t *root = json_pack("{s:o, s:o}", "isas", isas, "kernels", kernels);
    if (!root) return as_fail(err, ASSAY_E_MEMORY, "no memory for the table of kernels");
    assay_code code = as_output_json(root, true, err);
    json_decref(root);
    return code;
}

static int run(const as_cli *cli, const void *values)
{
    const kernels_options *o = values;
    assay_error err = {0};
    as_isa chosen = AS_ISA_SCALAR;
    assay_code code = as_cpu_isa(&chosen, &err);
    if (!code && o->json)
        code = print_json(chosen, &err);
    else if (!code)
        print_text(chosen);
    return code ? as_cli_fail(cli, &err) : AS_EXIT_DONE;
}

const as_verb as_verb_kernels = {
    .name = "kernels",
    .summary = "list the kernels and which of them run here",
    .usage = "[--json]",
    .description =
        "Prints the instruction sets with the one that is used (the best that is here, or "
        "$ASSAY_ISA),\nthen every kernel: whether its answers are exact or close to the "
        "reference, the tile of\npixels x channels that it holds in registers, whether it runs "
        "here, and for convolutions the\norder in which routes are preferred where no plan and "
        "no policy says otherwise.",
    .example = "assay kernels\nassay kernels --json",
    .options = options,
    .values_bytes = sizeof(kernels_options),
    .run = run,
};
