/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/policy.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/adapter.h"

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
    as_free(policy->python);
    as_free(policy->adapter);
    for (size_t i = 0; i < policy->n_options; i++)
        as_free(policy->options[i]);
    as_free(policy->options);
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

static assay_code set_text(const char *key, const char *value, const char *needed, char **out,
                           assay_error *err)
{
    if (!value[0])
        return as_fail(err, ASSAY_E_ARGUMENT, "policy key '%s' is empty, %s is needed", key,
                       needed);
    as_free(*out);
    *out = as_strdup(value);
    return *out ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
}

static assay_code set_conv(as_policy *p, const char *value, assay_error *err)
{
    return set_text("conv", value, "a route", &p->conv, err);
}

static assay_code set_python(as_policy *p, const char *value, assay_error *err)
{
    return set_text("python", value, "an interpreter", &p->python, err);
}

static assay_code set_adapter(as_policy *p, const char *value, assay_error *err)
{
    return set_text("adapter", value, "a command", &p->adapter, err);
}

/* `pair` is KEY=VALUE: what stands behind "option.". */
static assay_code add_option(as_policy *p, const char *pair, assay_error *err)
{
    if (pair[0] == '=')
        return as_fail(err, ASSAY_E_ARGUMENT, "policy key 'option.' has no name behind it");
    char **longer = as_alloc_array(p->n_options + 1, sizeof *longer);
    if (!longer) return as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
    if (p->n_options) memcpy(longer, p->options, p->n_options * sizeof *longer);
    as_free(p->options);
    p->options = longer;
    if (!(longer[p->n_options] = as_strdup(pair)))
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
    p->n_options++;
    return ASSAY_OK;
}

const char *as_switch_text(as_switch s)
{
    return s == AS_SWITCH_DEFAULT ? NULL : s == AS_SWITCH_ON ? "on" : "off";
}

static assay_code parse_switch(const char *key, const char *value, as_switch *out,
                               assay_error *err)
{
    *out = strcmp(value, "on") == 0    ? AS_SWITCH_ON
           : strcmp(value, "off") == 0 ? AS_SWITCH_OFF
                                       : AS_SWITCH_DEFAULT;
    if (*out != AS_SWITCH_DEFAULT) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "policy key '%s' has the value '%.40s', on or off is needed", key, value);
}

static assay_code parse_bool(const char *key, const char *value, bool *out, assay_error *err)
{
    as_switch s;
    assay_code code = parse_switch(key, value, &s, err);
    if (!code) *out = s == AS_SWITCH_ON;
    return code;
}

static assay_code set_fuse(as_policy *p, const char *value, assay_error *err)
{
    return parse_bool("fuse", value, &p->fuse, err);
}

static assay_code set_winograd(as_policy *p, const char *value, assay_error *err)
{
    return parse_bool("winograd", value, &p->winograd, err);
}

static assay_code set_mkldnn(as_policy *p, const char *value, assay_error *err)
{
    return parse_switch("mkldnn", value, &p->mkldnn, err);
}

static assay_code set_nnpack(as_policy *p, const char *value, assay_error *err)
{
    return parse_switch("nnpack", value, &p->nnpack, err);
}

static assay_code set_plan(as_policy *p, const char *value, assay_error *err)
{
    return set_text("plan", value, "a file", &p->plan, err);
}

typedef enum key_of { OF_ALL, OF_NATIVE, OF_OTHERS, OF_TORCH } key_of;

/* Every key, and whose engines take it; option.KEY=VALUE stands beside them. */
static const struct key {
    const char *name;
    key_of of;
    assay_code (*set)(as_policy *, const char *value, assay_error *);
} keys[] = {
    {"threads", OF_ALL, set_threads},      {"split-at", OF_ALL, set_split_at},
    {"split-to", OF_ALL, set_split_to},    {"bucket", OF_ALL, set_bucket},
    {"conv", OF_NATIVE, set_conv},         {"fuse", OF_NATIVE, set_fuse},
    {"winograd", OF_NATIVE, set_winograd}, {"plan", OF_NATIVE, set_plan},
    {"python", OF_OTHERS, set_python},     {"adapter", OF_OTHERS, set_adapter},
    {"mkldnn", OF_TORCH, set_mkldnn},      {"nnpack", OF_TORCH, set_nnpack},
};

static bool is_native(const as_policy *policy) { return strcmp(policy->engine, "native") == 0; }

static bool takes(const as_policy *policy, key_of of)
{
    switch (of) {
    case OF_NATIVE:
        return is_native(policy);
    case OF_OTHERS:
        return !is_native(policy);
    case OF_TORCH:
        return strcmp(policy->engine, "torch") == 0;
    case OF_ALL:
        break;
    }
    return true;
}

static assay_code check_taken(const as_policy *policy, const char *key, key_of of,
                              assay_error *err)
{
    static const char *const whose[] = {
        [OF_NATIVE] = "native's own",
        [OF_OTHERS] = "for other engines than native",
        [OF_TORCH] = "torch's own",
    };
    if (takes(policy, of)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT, "policy key '%.40s' is %s, engine '%.40s' has none",
                   key, whose[of], policy->engine);
}

/* `seen` has a bit for each key that stood in the policy before. */
static assay_code set_key(as_policy *policy, char *pair, unsigned *seen, assay_error *err)
{
    static const char option[] = "option.";
    char *equals = strchr(pair, '=');
    if (!equals)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "policy part '%.60s' has no '=', key=value is needed", pair);
    if (strncmp(pair, option, strlen(option)) == 0) {
        assay_code code = check_taken(policy, "option.", OF_OTHERS, err);
        return code ? code : add_option(policy, pair + strlen(option), err);
    }
    *equals = '\0';
    for (size_t i = 0; i < AS_COUNT_OF(keys); i++) {
        if (strcmp(pair, keys[i].name) != 0) continue;
        if (*seen & 1u << i)
            return as_fail(err, ASSAY_E_ARGUMENT, "policy key '%s' stands twice", pair);
        *seen |= 1u << i;
        assay_code code = check_taken(policy, pair, keys[i].of, err);
        return code ? code : keys[i].set(policy, equals + 1, err);
    }
    return as_fail(
        err, ASSAY_E_ARGUMENT,
        "policy key '%.40s' is unknown; there are threads, split-at, split-to, bucket; for "
        "native conv, fuse, winograd, plan; for torch mkldnn, nnpack; for other engines "
        "python, adapter, option.KEY",
        pair);
}

/* Names become files' names too. */
static assay_code check_name(const char *what, const char *name, assay_error *err)
{
    size_t length = strlen(name);
    bool good = length > 0 && length <= MAX_NAME && name[0] != '.';
    for (size_t i = 0; good && i < length; i++)
        good = isalnum((unsigned char)name[i]) || strchr("-_.", name[i]);
    if (good) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "%s name '%.50s' is not 1 to %d letters, digits, '-', '_' or '.'", what,
                   name, MAX_NAME);
}

/* That the engine is here: our own is, others need their adapter. */
static assay_code check_engine(const as_policy *p, assay_error *err)
{
    if (is_native(p)) return ASSAY_OK;
    as_adapter adapter;
    assay_code code = as_adapter_find(p, &adapter, err);
    if (!code) as_adapter_free(&adapter);
    return code;
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
    return check_engine(p, err);
}

/* `copy` is NAME=ENGINE[,key=value...]; it is cut apart in place. */
static assay_code parse_parts(char *copy, as_policy *out, assay_error *err)
{
    char *equals = strchr(copy, '=');
    if (!equals)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "policy '%.80s' has no '=', NAME=ENGINE[,key=value...] is needed", copy);
    *equals = '\0';
    assay_code code = check_name("policy", copy, err);
    char *rest = equals + 1;
    unsigned seen = 0;
    char *engine = strsep(&rest, ",");
    if (!code) code = check_name("engine", engine, err);
    if (!code && !(out->name = as_strdup(copy)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory");
    if (!code && !(out->engine = as_strdup(engine)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
    for (char *pair; !code && (pair = strsep(&rest, ","));)
        code = set_key(out, pair, &seen, err);
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
