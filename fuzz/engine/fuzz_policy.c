/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a policy; one that is taken is taken again from the text that it keeps. */
#include <stdlib.h>
#include <string.h>

#include "engine/policy.h"
#include "fuzz.h"

static void check(const as_policy *p)
{
    if (!p->name || !p->engine || !p->text) abort();
    if (strlen(p->name) < 1 || strlen(p->name) > 40 || strlen(p->engine) > 40) abort();
    if ((p->split_at == 0) != (p->split_to == 0)) abort();
    if (p->n_options && !p->options) abort();
    for (size_t i = 0; i < p->n_options; i++)
        if (!strchr(p->options[i], '=')) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    as_policy first, second;
    assay_error err;
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (!as_policy_parse(text, &first, &err)) {
        check(&first);
        if (as_policy_parse(first.text, &second, &err)) abort();
        if (strcmp(first.name, second.name) != 0 || first.n_options != second.n_options ||
            first.threads != second.threads || first.bucket != second.bucket)
            abort();
        as_policy_free(&second);
        as_policy_free(&first);
    } else if (!err.message[0]) {
        abort();
    }
    free(text);
    return 0;
}
