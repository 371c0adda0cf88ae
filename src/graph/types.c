/* SPDX-License-Identifier: Apache-2.0 */
/* Element types along the graph, by the signatures of operators.inc. */
#include <string.h>

#include "graph/graph.h"

/* The letter of input or output `i` in a list that ends at `end`; the last one repeats. */
static char letter_at(const char *list, const char *end, int i)
{
    const long n = end - list;
    if (n == 0) return '.';
    return list[i < n ? i : n - 1];
}

static char input_letter(const as_node *node, int i)
{
    const char *signature = as_op_info(node->op)->signature;
    return letter_at(signature, strchr(signature, '>'), i);
}

static char output_letter(const as_node *node, int i)
{
    const char *list = strchr(as_op_info(node->op)->signature, '>') + 1;
    return letter_at(list, list + strlen(list), i);
}

/* The types that a letter stands for, T being `main`. */
static unsigned types_of(char letter, unsigned main)
{
    switch (letter) {
    case 'T':
        return main;
    case 'f':
        return AS_TYPES_FLOAT;
    case 'l':
        return 1u << AS_I64;
    case 'b':
        return AS_TYPES_BOOL;
    case 'i':
        return AS_TYPES_INTEGER;
    case 'n':
        return AS_TYPES_NUMBER;
    default:
        return AS_TYPES_ANY;
    }
}

/* "f32, i64" */
static const char *types_text(unsigned types, char *text, size_t room)
{
    static const as_dtype all[] = {AS_F32, AS_I64, AS_I32, AS_BOOL};
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < AS_COUNT_OF(all); i++)
        if (types & 1u << all[i])
            at += (size_t)snprintf(text + at, room - at, "%s%s", at ? ", " : "",
                                   as_dtype_name(all[i]));
    return text;
}

/* Every input must have a type that the operator takes; *main is T. */
static assay_code check_inputs(const as_graph *graph, const as_node *node, int *main,
                               assay_error *err)
{
    const as_op_entry *entry = as_op_info(node->op);
    *main = -1;
    for (int i = 0; i < node->n_inputs; i++) {
        const as_tensor *tensor = as_node_input(graph, node, i);
        const char letter = input_letter(node, i);
        if (!tensor) continue;
        const unsigned types = types_of(letter, *main >= 0 ? 1u << *main : entry->types);
        if (letter == 'T' && *main < 0) *main = (int)tensor->dtype;
        if (types & 1u << tensor->dtype) continue;
        char text[32];
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "its input %d is %s, assay runs %s of opset %d with %s there", i,
                       as_dtype_name(tensor->dtype), entry->op_type, as_graph_opset(graph),
                       types_text(types, text, sizeof text));
    }
    return ASSAY_OK;
}

/* An output's type; -1 where it has its own already. */
static int output_type(const as_node *node, int k, int main)
{
    switch (output_letter(node, k)) {
    case 'f':
        return AS_F32;
    case 'l':
        return AS_I64;
    case 'b':
        return AS_BOOL;
    case 'c':
        return node->op == AS_OP_CAST ? node->attributes.cast.to : node->attributes.fill.to;
    default:
        return main;
    }
}

assay_code as_graph_set_types(as_graph *graph, assay_error *err)
{
    for (int i = 0; i < as_graph_n_nodes(graph); i++) {
        const as_node *node = as_graph_node(graph, i);
        int main;
        assay_code code = check_inputs(graph, node, &main, err);
        if (code) {
            as_error_where(err, "node %d '%s' (%s)", i, node->name, node->op_type);
            return code;
        }
        for (int k = 0; k < node->n_outputs; k++) {
            const int type = output_type(node, k, main);
            if (node->outputs[k] >= 0 && type >= 0)
                as_graph_edit_tensor(graph, node->outputs[k])->dtype = (as_dtype)type;
        }
    }
    return ASSAY_OK;
}
