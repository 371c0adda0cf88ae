/* SPDX-License-Identifier: Apache-2.0 */
/* Source of names and opsets: the ONNX operator specification. */
#include "onnx/list_inputs.h"

#include <string.h>

#include "onnx.pb-c.h"

#define FLOAT ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
#define INTS  ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS

/* An attribute up to `last_opset`, the input `place` behind it. */
typedef struct old_form {
    as_op op;
    const char *name;
    Onnx__AttributeProto__AttributeType type;
    size_t place;
    int last_opset;
} old_form;

static const old_form old_forms[] = {
    {AS_OP_SLICE, "starts", INTS, 1, 9}, {AS_OP_SLICE, "ends", INTS, 2, 9},
    {AS_OP_SLICE, "axes", INTS, 3, 9},   {AS_OP_PAD, "pads", INTS, 1, 10},
    {AS_OP_PAD, "value", FLOAT, 2, 10},  {AS_OP_SPLIT, "split", INTS, 1, 12},
};

static const old_form *find(as_op op, int opset, const char *name)
{
    for (size_t i = 0; i < sizeof old_forms / sizeof *old_forms; i++) {
        const old_form *form = &old_forms[i];
        if (form->op == op && opset <= form->last_opset && strcmp(form->name, name) == 0)
            return form;
    }
    return NULL;
}

bool as_onnx_is_input(as_op op, int opset, const char *name)
{
    return find(op, opset, name) != NULL;
}

/* The attribute's value as a constant; -1 without memory. */
static int add_constant(as_graph *graph, const Onnx__AttributeProto *a, const old_form *form)
{
    const as_shape scalar = {.rank = 0}, list = {.rank = 1, .dims = {(int64_t)a->n_ints}};
    if (form->type == FLOAT) return as_graph_add_constant(graph, "", AS_F32, &scalar, &a->f);
    return as_graph_add_constant(graph, "", AS_I64, &list,
                                 a->ints ? (const void *)a->ints : "");
}

assay_code as_onnx_add_inputs(as_graph *graph, const Onnx__NodeProto *proto, as_op op,
                              int opset, int *ids, size_t *n, assay_error *err)
{
    for (size_t i = 0; i < proto->n_attribute; i++) {
        const Onnx__AttributeProto *a = proto->attribute[i];
        const old_form *form = a->name ? find(op, opset, a->name) : NULL;
        if (!form) continue;
        if (a->has_type && a->type != form->type)
            return as_fail(err, ASSAY_E_FORMAT, "its attribute '%s' has type %d, it must be %d",
                           a->name, (int)a->type, (int)form->type);
        while (*n <= form->place)
            ids[(*n)++] = -1;
        ids[form->place] = add_constant(graph, a, form);
        if (ids[form->place] < 0)
            return as_fail(err, ASSAY_E_MEMORY, "no memory for the values of '%s'", a->name);
    }
    return ASSAY_OK;
}
