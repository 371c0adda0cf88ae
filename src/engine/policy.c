/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/policy.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MAX_NAME   40
/* More threads, inputs or padding than any machine or network here could want. */
#define MAX_NUMBER 65536

void as_policy_free(as_policy *policy)
{
    as_free(policy->name);
    as_free(policy->engine);
    as_free(policy->text);
    as_free(policy->conv);
    as_free(policy->plan);
    *policy = (as_policy){0};
}

static assay_code parse_number(const char *key, const char *value, size_t least, size_t *out,
                               assay_error *err)
{
    char *end = NULL;
    errno = 0;
    unsigned long n = strtoul(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || *end || errno || n < least || n > MAX_NUMBER)
        return as_fail(
            err, ASSAY_E_ARGUMENT,
            "policy key '%s' has the value '%.40s', a whole number from %zu to %d is "
            "needed",
            key, value, least, MAX_NUMBER);
    *out = n;
    return ASSAY_OK;
}

static assay_code set_threads(as_policy *p, const char *value, assay_error *err)
{
    return parse_number("threads", value, 1, &p->threads, err);
}

static assay_code set_split_at(as_policy *p, const char *value, assay_error *err)
{
    return parse_number("split-at", value, 1, &p->split_at, err);
}

static assay_code set_split_to(as_policy *p, const char *value, assay_error *err)
{
    return parse_number("split-to", value, 1, &p->split_to, err);
}

static assay_code set_bucket(as_policy *p, const char *value, assay_error *err)
{
    return parse_number("bucket", value, 1, &p->bucket, err);
}

static assay_code set_conv(as_policy *p, const char *value, assay_error *err)
{
    if (!value[0])
        return as_fail(err, ASSAY_E_ARGUMENT, "policy key 'conv' is empty, a route is needed");
    as_free(p->conv);
    p->conv = as_strdup(value);
    return p->conv ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
}

static assay_code only_off(const char *key, const char *value, bool *out, assay_error *err)
{
    if (strcmp(value, "off") != 0 && strcmp(value, "on") != 0)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "policy key '%s' has the value '%.40s', on or off is needed", key,
                       value);
    *out = strcmp(value, "on") == 0;
    return ASSAY_OK;
}

static assay_code set_fuse(as_policy *p, const char *value, assay_error *err)
{
    return only_off("fuse", value, &p->fuse, err);
}

static assay_code set_winograd(as_policy *p, const char *value, assay_error *err)
{
    return only_off("winograd", value, &p->winograd, err);
}

static assay_code set_plan(as_policy *p, const char *value, assay_error *err)
{
    if (!value[0])
        return as_fail(err, ASSAY_E_ARGUMENT, "policy key 'plan' is empty, a file is needed");
    as_free(p->plan);
    p->plan = as_strdup(value);
    return p->plan ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
}

/* Every key, and whether only our own engine takes it. */
static const struct key {
    const char *name;
    bool native_only;
    assay_code (*set)(as_policy *, const char *value, assay_error *);
} keys[] = {
    {"threads", false, set_threads},   {"split-at", false, set_split_at},
    {"split-to", false, set_split_to}, {"bucket", false, set_bucket},
    {"conv", true, set_conv},          {"fuse", true, set_fuse},
    {"winograd", true, set_winograd},  {"plan", true, set_plan},
};

static assay_code set_key(as_policy *policy, char *pair, assay_error *err)
{
    char *equals = strchr(pair, '=');
    if (!equals)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "policy part '%.60s' has no '=', key=value is needed", pair);
    *equals = '\0';
    for (size_t i = 0; i < AS_COUNT_OF(keys); i++) {
        if (strcmp(pair, keys[i].name) != 0) continue;
        return keys[i].set(policy, equals + 1, err);
    }
    return as_fail(
        err, ASSAY_E_ARGUMENT,
        "policy key '%.40s' is unknown; there are threads, split-at, split-to, bucket, "
        "conv, fuse, winograd and plan",
        pair);
}

static assay_code check_name(const char *name, assay_error *err)
{
    size_t length = strlen(name);
    bool good = length > 0 && length <= MAX_NAME && name[0] != '.';
    for (size_t i = 0; good && i < length; i++)
        good = isalnum((unsigned char)name[i]) || strchr("-_.", name[i]);
    if (good) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "policy name '%.50s' is not 1 to %d letters, digits, '-', '_' or '.'", name,
                   MAX_NAME);
}

static assay_code check_whole(const as_policy *p, assay_error *err)
{
    if ((p->split_at == 0) != (p->split_to == 0))
        return as_fail(err, ASSAY_E_ARGUMENT, "policy %s has %s without %s, both are needed",
                       p->name, p->split_at ? "split-at" : "split-to",
                       p->split_at ? "split-to" : "split-at");
    if (p->plan && (p->conv || !p->fuse || !p->winograd))
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "policy %s has plan beside conv, fuse or winograd, a plan stands alone",
                       p->name);
    if (strcmp(p->engine, "native") != 0)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "policy %s asks for engine '%.40s', which is not here; native is",
                       p->name, p->engine);
    return ASSAY_OK;
}

/* `copy` is NAME=ENGINE[,key=value...]; it is cut apart in place. */
static assay_code parse_parts(char *copy, as_policy *out, assay_error *err)
{
    char *equals = strchr(copy, '=');
    if (!equals)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "policy '%.80s' has no '=', NAME=ENGINE[,key=value...] is needed", copy);
    *equals = '\0';
    assay_code code = check_name(copy, err);
    char *rest = equals + 1;
    char *engine = strsep(&rest, ",");
    if (!code && !(out->name = as_strdup(copy)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory");
    if (!code && !(out->engine = as_strdup(engine)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
    for (char *pair; !code && (pair = strsep(&rest, ","));)
        code = set_key(out, pair, err);
    return code ? code : check_whole(out, err);
}

assay_code as_policy_parse(const char *text, as_policy *out, assay_error *err)
{
    *out = (as_policy){.fuse = true, .winograd = true};
    char *copy = as_strdup(text);
    out->text = as_strdup(text);
    assay_code code = copy && out->text
                          ? parse_parts(copy, out, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
    as_free(copy);
    if (code) {
        as_policy_free(out);
        as_error_where(err, "policy '%.80s'", text);
    }
    return code;
}
