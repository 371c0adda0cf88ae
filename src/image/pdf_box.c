/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a MediaBox there?  qpdf copies the one page into an empty PDF, inherited values included, and
 * prints that as JSON.
 */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "image/pdf_child.h"

enum { JSON_BYTES = 16 << 20, REFERENCES_MOST = 8 };

/* The value of an object, through references such as "7 0 R"; NULL where there is none. */
static const json_t *value_of(const json_t *objects, const json_t *value)
{
    for (int i = 0; i < REFERENCES_MOST && json_is_string(value); i++) {
        char name[64];
        snprintf(name, sizeof name, "obj:%.50s", json_string_value(value));
        value = json_object_get(json_object_get(objects, name), "value");
    }
    return value;
}

/* Four numbers that span an area. */
static bool is_box(const json_t *objects, const json_t *box)
{
    double side[4];
    box = value_of(objects, box);
    if (json_array_size(box) != 4) return false;
    for (size_t i = 0; i < 4; i++) {
        const json_t *number = value_of(objects, json_array_get(box, i));
        if (!json_is_number(number)) return false;
        side[i] = json_number_value(number);
    }
    return fabs(side[2] - side[0]) > 0 && fabs(side[3] - side[1]) > 0;
}

/* The one page's MediaBox in qpdf's listing (its manual, "qpdf JSON format"), and all objects. */
static const json_t *find_box(const json_t *root, const json_t **objects)
{
    const json_t *pages = json_object_get(root, "pages");
    const json_t *reference = json_object_get(json_array_get(pages, 0), "object");
    *objects = json_array_get(json_object_get(root, "qpdf"), 1);
    return json_object_get(value_of(*objects, reference), "/MediaBox");
}

assay_code as_pdf_judge_box(const as_bytes *json, const char *what, as_trouble *trouble,
                            assay_error *err)
{
    const json_t *objects;
    json_t *root;
    assay_code code = as_json_parse(json->data, json->size, 0, &root, err);
    if (code == ASSAY_E_MEMORY) return code;
    const json_t *box = find_box(root, &objects); /* none where it is no JSON */
    bool is_there = box && !json_is_null(box), is_whole = is_box(objects, box);
    json_decref(root);
    if (is_whole) return ASSAY_OK;
    *trouble = AS_TROUBLE_DAMAGED;
    return as_fail(err, ASSAY_E_FORMAT,
                   is_there
                       ? "%s has a broken or empty MediaBox, so its page size is unknown: four "
                         "numbers that span an area are needed"
                       : "%s has no MediaBox, so its page size is unknown",
                   what);
}

assay_code as_pdf_check_box(const as_pdf *pdf, int page, const char *what, as_trouble *trouble,
                            assay_error *err)
{
    const double *media = pdf->pages[page].media_pt;
    char number[16];
    if (media[0] != 0 || media[1] != 0 || media[2] != 612 || media[3] != 792) return ASSAY_OK;
    snprintf(number, sizeof number, "%d", page + 1);
    const char *argv[] = {"qpdf",
                          "--empty",
                          "--pages",
                          as_pdf_argument(pdf, "/dev/stdin"),
                          number,
                          "--",
                          "--json=2",
                          "--json-key=pages",
                          "--json-key=qpdf",
                          "-",
                          NULL};
    as_process_options options = as_pdf_options(pdf, argv);
    as_process_result result = {0};
    options.out.limit_bytes = JSON_BYTES;
    assay_code code = as_pdf_run(&options, "qpdf", &result, err);
    bool has_warned = result.end == AS_PROCESS_EXITED && result.status == 3;
    if (!code && !has_warned) code = as_pdf_judge(&result, "qpdf", what, trouble, err);
    if (!code) code = as_pdf_judge_box(&result.out, what, trouble, err);
    as_process_result_free(&result);
    return code;
}
