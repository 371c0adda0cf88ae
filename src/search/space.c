/* SPDX-License-Identifier: Apache-2.0 */
#include "search/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "search/blocks.h"
#include "search/variants.h"

enum { SPACE_BYTES_MAX = 1 << 20, NAME_BYTES_MAX = 64 };

/* A space being read. */
typedef struct reading {
    as_space *space;
    const char *path;
    int64_t n_seeds;
    assay_error *err;
} reading;

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a search space");
}

/* A name that stands in file names. */
static bool is_name(const char *text)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789._-";
    const size_t n = strlen(text);
    return n > 0 && n <= NAME_BYTES_MAX && strspn(text, good) == n && text[0] != '.' &&
           text[0] != '-';
}

static assay_code take_name(const reading *r, as_fields *f, const char *key, const char **out)
{
    const char *text = as_field_text(f, key);
    if (f->code) return f->code;
    if (!is_name(text))
        return as_fail(r->err, ASSAY_E_FORMAT,
                       "\"%s\" is \"%.60s\", needed are 1 to %d letters, digits, '.', '_' and "
                       "'-', neither '.' nor '-' first",
                       key, text, NAME_BYTES_MAX);
    *out = as_arena_strdup(r->space->arena, text);
    return *out ? ASSAY_OK : no_memory(r->err);
}

/* ---- data ---- */

/* A file's path relative to the space's folder. */
static assay_code take_path(const reading *r, as_fields *f, const char *key, const char **out)
{
    const char *text = as_field_text(f, key);
    if (f->code) return f->code;
    if (!*text) return as_fail(r->err, ASSAY_E_FORMAT, "\"%s\" is empty", key);
    const size_t folder = text[0] == '/' ? 0 : (size_t)(as_path_base(r->path) - r->path);
    char *path = as_arena_alloc(r->space->arena, folder + strlen(text) + 1);
    if (!path) return no_memory(r->err);
    memcpy(path, r->path, folder);
    strcpy(path + folder, text);
    *out = path;
    return ASSAY_OK;
}

static double number_or(as_fields *f, const char *key, double otherwise)
{
    return as_field_is(f, key) ? as_field_number(f, key) : otherwise;
}

static assay_code read_data(const reading *r, const json_t *object)
{
    static const char *const known[] = {"format", "file",    "labels", "shape",
                                        "layout", "classes", "scale"};
    as_fields f = {.object = object, .err = r->err};
    as_dataset_source *d = &r->space->data;
    int shape[3];
    *d = as_dataset_source_defaults();
    d->name = r->space->name;
    as_fields_known(&f, known, sizeof known / sizeof *known);
    const char *format = as_field_text(&f, "format");
    const char *layout = as_field_is(&f, "layout") ? as_field_text(&f, "layout") : "chw";
    as_field_ints(&f, "shape", shape, 3, 1, 1 << 14);
    d->n_classes = (size_t)as_field_int(&f, "classes", 2, AS_SPACE_WIDTH_MAX);
    d->scale = number_or(&f, "scale", 1);
    if (f.code) return f.code;
    d->c = (size_t)shape[0], d->h = (size_t)shape[1], d->w = (size_t)shape[2];
    d->is_hwc = strcmp(layout, "hwc") == 0;
    if (!d->is_hwc && strcmp(layout, "chw") != 0)
        return as_fail(r->err, ASSAY_E_FORMAT, "\"layout\" is \"%.20s\", chw or hwc is needed",
                       layout);
    if (!as_data_format_named(format, &d->format))
        return as_fail(r->err, ASSAY_E_FORMAT,
                       "\"format\" is \"%.20s\", csv, idx or npy is needed", format);
    if (!(d->scale >= 1e-30 && d->scale <= 1e30))
        return as_fail(r->err, ASSAY_E_FORMAT,
                       "\"scale\" is %g, by which values are divided, it has to be in "
                       "1e-30..1e30",
                       d->scale);
    if (d->c * d->h * d->w > AS_IMAGE_VALUES_MAX)
        return as_fail(r->err, ASSAY_E_FORMAT, "\"shape\" has more than %zu values",
                       AS_IMAGE_VALUES_MAX);
    assay_code code = take_path(r, &f, "file", &d->images);
    if (!code && d->format != AS_DATA_CSV) code = take_path(r, &f, "labels", &d->labels);
    if (!code && d->format == AS_DATA_CSV && as_field_is(&f, "labels"))
        code = as_fail(r->err, ASSAY_E_FORMAT,
                       "\"labels\" is no key of csv, whose lines end with them");
    return code;
}

static assay_code read_shares(const reading *r, as_fields *f)
{
    const json_t *list = as_field_array(f, "split");
    double sum = 0;
    bool is_good = json_array_size(list) == 3;
    for (size_t i = 0; i < 3 && is_good; i++) {
        r->space->shares[i] = json_number_value(json_array_get(list, i));
        is_good = r->space->shares[i] > 0;
        sum += r->space->shares[i];
    }
    if (f->code) return f->code;
    if (is_good && fabs(sum - 1) <= 1e-9) return ASSAY_OK;
    return as_fail(r->err, ASSAY_E_FORMAT,
                   "\"split\" has to be three shares above 0 that are 1 together, as in [0.6, "
                   "0.2, 0.2]");
}

/* ---- training ---- */

static bool is_share(double x) { return x >= 0 && x < 1; }

static assay_code check_training(const as_train_options *t, assay_error *err)
{
    if (!(t->rate > 0 && t->rate <= 1e6))
        return as_fail(err, ASSAY_E_FORMAT,
                       "\"rate\" is %g, it has to be above 0 and at most 1e6", t->rate);
    if (!is_share(t->momentum) || !is_share(t->beta1) || !is_share(t->beta2))
        return as_fail(err, ASSAY_E_FORMAT,
                       "\"momentum\", \"beta1\" and \"beta2\" have to be in 0..1, below 1");
    if (!(t->epsilon > 0 && t->epsilon <= 1) ||
        !(t->weight_decay >= 0 && t->weight_decay <= 1e3))
        return as_fail(err, ASSAY_E_FORMAT,
                       "\"epsilon\" has to be above 0 and at most 1, \"weight_decay\" in "
                       "0..1000");
    return ASSAY_OK;
}

/* A key of the other optimiser would be read and do nothing. */
static assay_code check_keys(as_fields *f, as_optimiser_kind kind, assay_error *err)
{
    static const struct {
        const char *key;
        as_optimiser_kind kind;
    } owners[] = {{"momentum", AS_OPTIMISER_SGD},
                  {"beta1", AS_OPTIMISER_ADAM},
                  {"beta2", AS_OPTIMISER_ADAM},
                  {"epsilon", AS_OPTIMISER_ADAM}};
    for (size_t i = 0; i < AS_COUNT_OF(owners); i++)
        if (kind != owners[i].kind && as_field_is(f, owners[i].key))
            return as_fail(err, ASSAY_E_FORMAT, "\"%s\" is no key of %s", owners[i].key,
                           kind == AS_OPTIMISER_SGD ? "sgd" : "adam");
    return ASSAY_OK;
}

/* Change *t by what the object says. */
static assay_code read_training(const json_t *object, as_train_options *t, assay_error *err)
{
    static const char *const known[] = {"optimiser",    "rate",    "momentum", "beta1", "beta2",
                                        "weight_decay", "epsilon", "epochs",   "batch"};
    as_fields f = {.object = object, .err = err};
    as_fields_known(&f, known, sizeof known / sizeof *known);
    if (as_field_is(&f, "optimiser")) {
        const char *name = as_field_text(&f, "optimiser");
        t->kind = strcmp(name, "sgd") == 0 ? AS_OPTIMISER_SGD : AS_OPTIMISER_ADAM;
        if (!f.code && t->kind == AS_OPTIMISER_ADAM && strcmp(name, "adam") != 0)
            return as_fail(err, ASSAY_E_FORMAT,
                           "\"optimiser\" is \"%.20s\", adam or sgd is needed", name);
    }
    t->rate = number_or(&f, "rate", t->rate);
    t->momentum = number_or(&f, "momentum", t->momentum);
    t->beta1 = number_or(&f, "beta1", t->beta1);
    t->beta2 = number_or(&f, "beta2", t->beta2);
    t->epsilon = number_or(&f, "epsilon", t->epsilon);
    t->weight_decay = number_or(&f, "weight_decay", t->weight_decay);
    if (as_field_is(&f, "epochs")) t->n_epochs = (size_t)as_field_int(&f, "epochs", 1, 1000000);
    if (as_field_is(&f, "batch")) t->batch = (size_t)as_field_int(&f, "batch", 1, 1 << 20);
    assay_code code = f.code ? f.code : check_keys(&f, t->kind, err);
    return code ? code : check_training(t, err);
}

/* ---- structures ---- */

/* Too large a network must be a sentence here and not a machine without memory later. */
static assay_code check_size(const as_network *network, size_t batch, assay_error *err)
{
    const size_t n = as_network_n_parameters(network);
    const uint64_t values = as_network_activation_bytes(network) / sizeof(float);
    if (n > AS_SPACE_PARAMS_MAX)
        return as_fail(err, ASSAY_E_FORMAT, "the structure has %zu weights, at most %zu may be",
                       n, AS_SPACE_PARAMS_MAX);
    if (values > AS_SPACE_VALUES_MAX / batch)
        return as_fail(err, ASSAY_E_FORMAT,
                       "a batch of %zu images has %zu activations of the structure each, at "
                       "most %zu may be together",
                       batch, (size_t)values, AS_SPACE_VALUES_MAX);
    return ASSAY_OK;
}

/* The chain fits together, is not too large, and ends with a value a class. */
static assay_code check_fit(const as_space *space, const as_structure *s, assay_error *err)
{
    as_network *network;
    assay_code code = as_network_outline(&s->spec, &network, err);
    if (code == ASSAY_E_ARGUMENT) code = err ? err->code = ASSAY_E_FORMAT : ASSAY_E_FORMAT;
    if (code) return code;
    const size_t n = as_network_n_outputs(network);
    code = check_size(network, s->training.batch, err);
    const bool is_flat = s->spec.units[s->spec.n_units - 1].kind == AS_UNIT_LINEAR;
    as_network_free(network);
    if (code) return code;
    if (n == space->data.n_classes && is_flat) return ASSAY_OK;
    return as_fail(err, ASSAY_E_FORMAT,
                   "the structure has to end with a \"linear\" of %zu values, a value a class",
                   space->data.n_classes);
}

static assay_code read_structure(const reading *r, const json_t *object, as_structure *s)
{
    static const char *const known[] = {"name", "kind", "seeds", "training", "layers"};
    as_fields f = {.object = object, .err = r->err};
    const as_dataset_source *d = &r->space->data;
    as_blocks b = {.arena = r->space->arena, .c = d->c, .n_classes = d->n_classes};
    as_fields_known(&f, known, sizeof known / sizeof *known);
    s->kind = "";
    s->training = r->space->training;
    s->n_seeds =
        (size_t)(as_field_is(&f, "seeds") ? as_field_int(&f, "seeds", 1, AS_SPACE_SEEDS_MAX)
                                          : r->n_seeds);
    assay_code code = take_name(r, &f, "name", &s->name);
    if (!code && as_field_is(&f, "kind")) code = take_name(r, &f, "kind", &s->kind);
    const json_t *layers = as_field_array(&f, "layers");
    if (!code && as_field_is(&f, "training")) {
        const json_t *training = as_field_object(&f, "training");
        code = f.code ? f.code : read_training(training, &s->training, r->err);
        if (code && training) as_error_where(r->err, "training");
    }
    if (!code) code = f.code;
    if (!code && json_array_size(layers) == 0)
        code = as_fail(r->err, ASSAY_E_FORMAT, "\"layers\" is empty");
    if (!code) code = as_blocks_add(&b, layers, r->err);
    s->spec = (as_net_spec){d->c, d->h, d->w, b.n_units, b.units};
    return code ? code : check_fit(r->space, s, r->err);
}

static assay_code check_new(const reading *r, const as_structure *s)
{
    const as_space *space = r->space;
    for (size_t i = 0; i < space->n_structures; i++)
        if (strcmp(space->structures[i].name, s->name) == 0)
            return as_fail(r->err, ASSAY_E_FORMAT, "two structures are named \"%s\"", s->name);
    return ASSAY_OK;
}

/* All variants of one entry. */
static assay_code read_family(const reading *r, const json_t *family)
{
    as_space *space = r->space;
    size_t n = 0;
    if (!json_is_object(family))
        return as_fail(r->err, ASSAY_E_FORMAT, "a structure has to be an object");
    assay_code code = as_variants_count(family, AS_SPACE_STRUCTURES_MAX, &n, r->err);
    if (!code && n > AS_SPACE_STRUCTURES_MAX - space->n_structures)
        code = as_fail(r->err, ASSAY_E_FORMAT, "there are more than %d structures",
                       AS_SPACE_STRUCTURES_MAX);
    for (size_t i = 0; i < n && !code; i++) {
        as_structure s = {0};
        json_t *variant;
        code = as_variant(family, i, &variant, r->err);
        if (!code) code = read_structure(r, variant, &s);
        json_decref(variant);
        if (!code) code = check_new(r, &s);
        if (code && s.name) as_error_where(r->err, "%s", s.name);
        if (!code) space->structures[space->n_structures++] = s;
    }
    return code;
}

static assay_code read_structures(const reading *r, as_fields *f)
{
    const json_t *list = as_field_array(f, "structures");
    if (f->code) return f->code;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < json_array_size(list) && !code; i++) {
        code = read_family(r, json_array_get(list, i));
        if (code) as_error_where(r->err, "structures[%zu]", i);
    }
    if (!code && r->space->n_structures == 0)
        code = as_fail(r->err, ASSAY_E_FORMAT, "\"structures\" is empty");
    return code;
}

static assay_code find_baseline(const reading *r, as_fields *f)
{
    const char *name = as_field_text(f, "baseline");
    as_space *space = r->space;
    if (f->code) return f->code;
    for (size_t i = 0; i < space->n_structures; i++)
        if (strcmp(space->structures[i].name, name) == 0) {
            space->baseline = i;
            return ASSAY_OK;
        }
    return as_fail(r->err, ASSAY_E_FORMAT, "\"baseline\" is \"%.60s\", which is no structure",
                   name);
}

/* ---- the whole ---- */

static assay_code read_space(reading *r, const json_t *root)
{
    static const char *const known[] = {"schema", "name",     "data",     "split",     "seed",
                                        "seeds",  "training", "baseline", "structures"};
    as_space *space = r->space;
    as_fields f = {.object = root, .err = r->err};
    if (!json_is_object(root))
        return as_fail(r->err, ASSAY_E_FORMAT, "a search space has to be a JSON object");
    as_fields_known(&f, known, sizeof known / sizeof *known);
    as_field_int(&f, "schema", 1, 1);
    space->seed = (uint64_t)as_field_int(&f, "seed", 0, INT64_MAX - AS_SPACE_SEEDS_MAX);
    r->n_seeds =
        as_field_is(&f, "seeds") ? as_field_int(&f, "seeds", 1, AS_SPACE_SEEDS_MAX) : 1;
    const json_t *data = as_field_object(&f, "data");
    assay_code code = f.code;
    if (!code) code = take_name(r, &f, "name", &space->name);
    if (!code && (code = read_data(r, data)) != ASSAY_OK) as_error_where(r->err, "data");
    if (!code) code = read_shares(r, &f);
    space->training = as_train_defaults();
    space->training.n_threads = 0;
    space->training.seed = space->seed;
    if (!code && as_field_is(&f, "training")) {
        const json_t *training = as_field_object(&f, "training");
        code = f.code ? f.code : read_training(training, &space->training, r->err);
        if (code) as_error_where(r->err, "training");
    }
    if (!code) code = read_structures(r, &f);
    return code ? code : find_baseline(r, &f);
}

static assay_code parse(as_space *space, const void *text, size_t size, const char *path,
                        assay_error *err)
{
    reading r = {.space = space, .path = path, .err = err};
    json_t *root = NULL;
    if (size > SPACE_BYTES_MAX)
        return as_fail(err, ASSAY_E_FORMAT, "it is larger than %d bytes", SPACE_BYTES_MAX);
    space->arena = as_arena_new();
    char *kept = space->arena ? as_arena_alloc(space->arena, size + 1) : NULL;
    if (!kept) return no_memory(err);
    if (size) memcpy(kept, text, size);
    space->text = kept;
    space->structures =
        as_arena_array(space->arena, AS_SPACE_STRUCTURES_MAX, sizeof *space->structures);
    if (!space->structures) return no_memory(err);
    assay_code code = as_sha256_bytes(kept, size, space->sha256, err);
    if (!code) code = as_json_parse(kept, size, 0, &root, err);
    if (!code) code = read_space(&r, root);
    json_decref(root);
    return code;
}

assay_code as_space_parse(const void *text, size_t size, const char *path, as_space **out,
                          assay_error *err)
{
    as_space *space = as_alloc(sizeof *space);
    *out = NULL;
    if (!space) return no_memory(err);
    assay_code code = parse(space, text, size, path, err);
    if (code) {
        as_error_where(err, "%s", as_path_base(path));
        as_space_free(space);
        return code;
    }
    *out = space;
    return ASSAY_OK;
}

assay_code as_space_load(const char *path, as_space **out, assay_error *err)
{
    as_bytes bytes;
    *out = NULL;
    assay_code code = as_file_read(path, SPACE_BYTES_MAX, &bytes, err);
    if (code) return code;
    code = as_space_parse(bytes.data, bytes.size, path, out, err);
    as_bytes_free(&bytes);
    return code;
}

void as_space_free(as_space *space)
{
    if (!space) return;
    as_arena_free(space->arena);
    as_free(space);
}
