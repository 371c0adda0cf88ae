/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Print docs/operators.md out of the operator table:
 *
 *     build/bin/operators_page > docs/operators.md
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "onnx/onnx.h"
#include "operators/operators.h"

static const char head[] =
    "# Operators\n"
    "\n"
    "What assay runs of ONNX's default domain, printed from the operator table\n"
    "(`src/graph/operators.inc`, `src/operators/table.inc`) by `build/bin/operators_page`.\n"
    "\n"
    "Models are read in opsets %d to %d.  Tensors are f32, i64, i32 and bool of at most %d "
    "dims;\n"
    "float16, bfloat16 and double weights become f32 when a model is loaded.  Everything else "
    "is\n"
    "refused before the network runs, with exit status 4 and a sentence that names the node, "
    "the\n"
    "operator, the opset and what is missing.\n"
    "\n"
    "*From opset* is the oldest form that is read, and all newer ones are too.  *T* is the "
    "type of the\n"
    "first input that has no type of its own; an input or output not said otherwise has T as "
    "well.\n"
    "\n"
    "| operator | from opset | inputs | outputs | T | other inputs | outputs' types |\n"
    "|---|---|---|---|---|---|---|\n";

/* "1", "1 to 3", "1 or more" */
static void print_count(int least, int most)
{
    if (most == AS_ANY)
        printf(" %d or more |", least);
    else if (least == most)
        printf(" %d |", least);
    else
        printf(" %d to %d |", least, most);
}

static void print_types(unsigned types)
{
    static const as_dtype all[] = {AS_F32, AS_I64, AS_I32, AS_BOOL};
    const char *between = " ";
    for (size_t i = 0; i < AS_COUNT_OF(all); i++)
        if (types & 1u << all[i]) {
            printf("%s%s", between, as_dtype_name(all[i]));
            between = ", ";
        }
    printf(" |");
}

static const char *letter_text(char letter)
{
    switch (letter) {
    case 'f':
        return "f32";
    case 'l':
        return "i64";
    case 'b':
        return "bool";
    case 'i':
        return "i64 or i32";
    case 'n':
        return "any number";
    case 'c':
        return "as its attribute says";
    case '.':
        return "any";
    default:
        return "T";
    }
}

/* "2: i64, 3: bool" of those in the list that are not T. */
static void print_letters(const char *list, size_t n)
{
    const char *between = " ";
    for (size_t i = 0; i < n; i++)
        if (list[i] != 'T') {
            printf("%s%zu: %s", between, i + 1, letter_text(list[i]));
            between = ", ";
        }
    printf(" |");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(as_op_info(*(const as_op *)a)->op_type,
                  as_op_info(*(const as_op *)b)->op_type);
}

int main(void)
{
    as_op ops[AS_N_OPS];
    size_t n = 0;
    for (int op = 0; op < AS_N_OPS; op++)
        if (as_op_info((as_op)op)->op_type[0] != '<' &&
            (as_operator_of((as_op)op) || op == AS_OP_CONSTANT))
            ops[n++] = (as_op)op;
    qsort(ops, n, sizeof *ops, by_name);
    printf(head, AS_ONNX_OLDEST_OPSET, AS_ONNX_NEWEST_OPSET, AS_MAX_RANK);
    for (size_t i = 0; i < n; i++) {
        const as_op_entry *entry = as_op_info(ops[i]);
        const char *arrow = strchr(entry->signature, '>');
        printf("| %s | %d |", entry->op_type, entry->first_opset);
        print_count(entry->min_inputs, entry->max_inputs);
        print_count(entry->min_outputs, entry->max_outputs);
        print_types(entry->types);
        print_letters(entry->signature, (size_t)(arrow - entry->signature));
        print_letters(arrow + 1, strlen(arrow + 1));
        printf("\n");
    }
    printf("\n%zu operators.\n", n);
    return 0;
}
