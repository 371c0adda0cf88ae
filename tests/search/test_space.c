/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces as files: what the bundled one holds, what varies, and every mistake in a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "search/space.h"

static as_space *space_of(const char *text)
{
    as_space *space;
    assay_error err;
    if (as_space_parse(text, strlen(text), "folder/toy.json", &space, &err))
        fail_msg("%s: %s", err.where, err.message);
    return space;
}

static as_network *network_of(const as_structure *s)
{
    as_network *network;
    assay_error err;
    if (as_network_new(&s->spec, 0, &network, &err)) fail_msg("%s", err.message);
    return network;
}

/* A space of one family over images of 2 x 6 x 6 and 3 classes; `family` is what stands in it. */
static as_space *family_of(const char *family)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"schema\": 1, \"name\": \"toy\", \"split\": [0.6, 0.2, 0.2], \"seed\": 7,"
        "\"data\": {\"format\": \"csv\", \"file\": \"toy.csv\", \"shape\": [2, 6, 6],"
        " \"classes\": 3}, \"training\": {\"epochs\": 2, \"rate\": 0.5}, \"baseline\": \"a\","
        "\"structures\": [{\"name\": \"a\", \"layers\": [{\"layer\": \"linear\"}]}, {%s}]}",
        family);
    return space_of(text);
}

/* Parameters and multiply-adds of 8 x 8 images behind: 3 x 3 to 8 channels (72; 64 pixels), the module on
 * 4 x 4 (16 pixels; standard 72 w, dw_pw 72 + 8 w), and a linear of 4 w values to 10. */
static void the_bundled_space_is_six_structures_of_known_cost(void **state)
{
    static const struct {
        const char *name, *kind;
        size_t params;
        uint64_t macs;
    } want[] = {
        {"standard-8", "standard", 72 + 576 + 330, 4608 + 16 * 576 + 320},
        {"standard-16", "standard", 72 + 1152 + 650, 4608 + 16 * 1152 + 640},
        {"standard-32", "standard", 72 + 2304 + 1290, 4608 + 16 * 2304 + 1280},
        {"dw_pw-8", "dw_pw", 72 + 136 + 330, 4608 + 16 * 136 + 320},
        {"dw_pw-16", "dw_pw", 72 + 200 + 650, 4608 + 16 * 200 + 640},
        {"dw_pw-32", "dw_pw", 72 + 328 + 1290, 4608 + 16 * 328 + 1280},
    };
    as_space *space;
    assay_error err;
    (void)state;
    if (as_space_load("../data/digits.json", &space, &err)) fail_msg("%s", err.message);
    assert_int_equal(space->n_structures, AS_COUNT_OF(want));
    for (size_t i = 0; i < AS_COUNT_OF(want); i++) {
        const as_structure *s = &space->structures[i];
        as_network *network = network_of(s);
        assert_string_equal(s->name, want[i].name);
        assert_string_equal(s->kind, want[i].kind);
        assert_int_equal(as_network_n_parameters(network), want[i].params);
        assert_int_equal(as_network_macs(network), want[i].macs);
        assert_int_equal(s->n_seeds, 1);
        as_network_free(network);
    }
    assert_string_equal(space->structures[space->baseline].name, "standard-16");
    assert_string_equal(space->data.images, "../data/digits.csv");
    assert_int_equal(space->seed, 20260918);
    assert_int_equal(space->training.kind, AS_OPTIMISER_ADAM);
    assert_int_equal(space->training.n_epochs, 18);
    assert_int_equal(space->training.batch, 64);
    assert_true(space->training.rate == 0.003);
    as_space_free(space);
}

static void an_outline_counts_what_the_network_has(void **state)
{
    as_space *space;
    as_network *outline;
    (void)state;
    assert_int_equal(as_space_load("../data/digits.json", &space, NULL), ASSAY_OK);
    for (size_t i = 0; i < space->n_structures; i++) {
        as_network *network = network_of(&space->structures[i]);
        assert_int_equal(as_network_outline(&space->structures[i].spec, &outline, NULL),
                         ASSAY_OK);
        assert_int_equal(as_network_n_parameters(outline), as_network_n_parameters(network));
        assert_int_equal(as_network_macs(outline), as_network_macs(network));
        assert_int_equal(as_network_activation_bytes(outline),
                         as_network_activation_bytes(network));
        assert_int_equal(as_network_n_outputs(outline), as_network_n_outputs(network));
        as_network_free(outline);
        as_network_free(network);
    }
    as_space_free(space);
}

static void the_first_key_varies_slowest_and_values_keep_their_kind(void **state)
{
    as_space *space = family_of(
        "\"vary\": {\"w\": [4, 8], \"norm\": [true, false], \"block\": [\"standard\", "
        "\"dw_pw\"]},"
        "\"name\": \"b-$block-$w-$norm\", \"kind\": \"$block\","
        "\"layers\": [{\"layer\": \"$block\", \"width\": \"$w\", \"batchnorm\": \"$norm\"},"
        "{\"layer\": \"linear\"}]");
    static const char *const want[] = {
        "b-standard-4-yes", "b-dw_pw-4-yes", "b-standard-4-no", "b-dw_pw-4-no",
        "b-standard-8-yes", "b-dw_pw-8-yes", "b-standard-8-no", "b-dw_pw-8-no"};
    static const size_t n_units[] = {4, 6, 3, 4, 4, 6, 3, 4};
    (void)state;
    assert_int_equal(space->n_structures, 1 + AS_COUNT_OF(want));
    for (size_t i = 0; i < AS_COUNT_OF(want); i++) {
        assert_string_equal(space->structures[1 + i].name, want[i]);
        assert_int_equal(space->structures[1 + i].spec.n_units, n_units[i]);
    }
    as_space_free(space);
}

static void a_family_trains_as_the_space_but_for_what_it_says(void **state)
{
    as_space *space = family_of(
        "\"vary\": {\"m\": [0.5, 0]}, \"name\": \"b-$m\", \"seeds\": 3, \"training\": "
        "{\"optimiser\": \"sgd\", \"momentum\": \"$m\"}, \"layers\": [{\"layer\": "
        "\"linear\"}]");
    const as_structure *s = space->structures;
    (void)state;
    assert_string_equal(s[1].name, "b-0.5");
    assert_string_equal(s[2].name, "b-0");
    assert_int_equal(s[0].n_seeds, 1);
    assert_int_equal(s[1].n_seeds, 3);
    assert_int_equal(s[0].training.kind, AS_OPTIMISER_ADAM);
    assert_int_equal(s[1].training.kind, AS_OPTIMISER_SGD);
    assert_true(s[1].training.momentum == 0.5 && s[2].training.momentum == 0);
    assert_true(s[1].training.rate == 0.5 && s[1].training.n_epochs == 2);
    as_space_free(space);
}

/* 2 -> 6 by 1 x 1 (12), 6 by 3 x 3 (54), 6 -> width by 1 x 1 (12 or 24); a mean over 3 x 3 leaves 4
 * pixels, 1 behind stride 2, for a linear to 3 values; batchnorms have 2 * (6 + 6 + 2). */
static void an_inverted_residual_adds_its_input_where_it_can(void **state)
{
    static const struct {
        const char *keys;
        size_t n_units, params;
        bool adds;
    } want[] = {
        {"\"width\": 2", 6, 78 + 24, true},
        {"\"width\": 4", 5, 90 + 48, false},
        {"\"width\": 2, \"stride\": 2", 5, 78 + 6, false},
        {"\"width\": 2, \"batchnorm\": true", 9, 78 + 28 + 24, true},
    };
    (void)state;
    for (size_t i = 0; i < AS_COUNT_OF(want); i++) {
        char family[512];
        snprintf(
            family, sizeof family,
            "\"name\": \"b\", \"layers\": [{\"layer\": \"inverted_residual\", \"expand\": 3, "
            "%s}, {\"layer\": \"average_pool\", \"size\": 3}, {\"layer\": \"linear\", "
            "\"bias\": false}]",
            want[i].keys);
        as_space *space = family_of(family);
        const as_net_spec *spec = &space->structures[1].spec;
        const as_unit *last = &spec->units[want[i].n_units - 1];
        as_network *network = network_of(&space->structures[1]);
        assert_int_equal(spec->n_units, want[i].n_units + 3); /* pool, flatten, linear */
        assert_int_equal(last->kind == AS_UNIT_ADD, want[i].adds);
        assert_int_equal(last->from, want[i].adds ? -1 : 0);
        assert_int_equal(as_network_n_parameters(network), want[i].params);
        as_network_free(network);
        as_space_free(space);
    }
}

static void a_repeated_list_stands_so_many_times(void **state)
{
    as_space *space = family_of(
        "\"vary\": {\"depth\": [1, 3]}, \"name\": \"b-$depth\", \"layers\": [{\"repeat\": "
        "\"$depth\", \"layers\": [{\"layer\": \"inverted_residual\", \"width\": 2},"
        "{\"repeat\": 2, \"layers\": [{\"layer\": \"relu\"}]}]}, {\"layer\": \"linear\"}]");
    (void)state;
    assert_int_equal(space->structures[1].spec.n_units, 6 + 2 + 2);
    assert_int_equal(space->structures[2].spec.n_units, 3 * (6 + 2) + 2);
    assert_int_equal(space->structures[2].spec.units[13].from,
                     7); /* the unit before its block */
    as_space_free(space);
}

static const char base[] =
    "{\"schema\": 1, \"name\": \"toy\",\n"
    " \"data\": {\"format\": \"csv\", \"file\": \"toy.csv\", \"shape\": [2, 6, 6], "
    "\"classes\": 3},\n"
    " \"split\": [0.6, 0.2, 0.2], \"seed\": 7, \"training\": {\"epochs\": 2}, \"baseline\": "
    "\"a-8\",\n"
    " \"structures\": [{\"vary\": {\"w\": [8, 16]}, \"name\": \"a-$w\", \"layers\": [\n"
    "  {\"layer\": \"standard\", \"width\": \"$w\"}, {\"layer\": \"max_pool\", \"size\": 2},"
    " {\"layer\": \"linear\"}]}]}";

/* The place and the sentence when `from` in the file above is `to`. */
static const struct {
    const char *from, *to, *where, *message;
} mistakes[] = {
#include "space_mistakes.inc"
};

static void every_mistake_has_its_sentence_and_its_place(void **state)
{
    (void)state;
    as_space_free(space_of(base));
    for (size_t i = 0; i < AS_COUNT_OF(mistakes); i++) {
        char text[2048];
        as_space *space;
        assay_error err;
        const char *at = strstr(base, mistakes[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, mistakes[i].to,
                 at + strlen(mistakes[i].from));
        if (as_space_parse(text, strlen(text), "folder/toy.json", &space, &err) !=
            ASSAY_E_FORMAT)
            fail_msg("%s is taken for %s", mistakes[i].to, mistakes[i].from);
        assert_null(space);
        assert_string_equal(err.message, mistakes[i].message);
        assert_string_equal(err.where, mistakes[i].where);
    }
}

static void a_file_that_ends_early_is_refused_wherever_it_ends(void **state)
{
    as_space *space;
    assay_error err;
    (void)state;
    for (size_t n = 0; n < sizeof base - 1; n++) {
        assert_int_equal(as_space_parse(base, n, "toy.json", &space, &err), ASSAY_E_FORMAT);
        assert_null(space);
        assert_non_null(strstr(err.message, "is not JSON"));
    }
}

/* head, `depth` times `more`, middle, `depth` times `end`, tail. */
static assay_code deep(const char *more, const char *middle, const char *end, size_t depth,
                       assay_error *err)
{
    static const char head[] =
        "{\"schema\": 1, \"name\": \"toy\", \"split\": [0.6, 0.2, 0.2], \"seed\": 7,"
        "\"data\": {\"format\": \"csv\", \"file\": \"toy.csv\", \"shape\": [2, 6, 6],"
        " \"classes\": 3}, \"baseline\": \"a\", \"structures\": [{\"name\": \"a\", \"layers\": "
        "[";
    const size_t room = sizeof head + depth * (strlen(more) + strlen(end)) + strlen(middle) + 5;
    char *text = malloc(room);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, room, "%s", head);
    for (size_t i = 0; i < depth; i++)
        n += (size_t)snprintf(text + n, room - n, "%s", more);
    n += (size_t)snprintf(text + n, room - n, "%s", middle);
    for (size_t i = 0; i < depth; i++)
        n += (size_t)snprintf(text + n, room - n, "%s", end);
    n += (size_t)snprintf(text + n, room - n, "]}]}");
    as_space *space;
    assay_code code = as_space_parse(text, n, "toy.json", &space, err);
    as_space_free(space);
    free(text);
    return code;
}

static void lists_in_lists_end_at_a_bound(void **state)
{
    static const char repeat[] = "{\"repeat\": 256, \"layers\": [";
    assay_error err;
    (void)state;
    assert_int_equal(deep(repeat, "{\"layer\": \"relu\"}", "]}", 8, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "the structure has more than 256 units");
    assert_int_equal(deep(repeat, "{\"layer\": \"relu\"}", "]}", 1000, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "the structure has more than 256 units");
    assert_int_equal(deep(repeat, "", "]}", 1000, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "\"layers\" is empty");
    assert_int_equal(deep(repeat, "", "]}", 5000, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "it is not JSON: maximum parsing depth reached near '{'");
    assert_int_equal(deep("[", "", "]", 5000, &err), ASSAY_E_FORMAT);
}

/* 11 keys of two values each, and 33 lists of 32 structures. */
static void more_than_1024_structures_are_refused_before_they_are_made(void **state)
{
    char text[4096];
    as_space *space;
    assay_error err;
    int n =
        snprintf(text, sizeof text,
                 "{\"schema\": 1, \"name\": \"toy\", \"split\": [0.6, 0.2, 0.2], \"seed\": 7,"
                 "\"data\": {\"format\": \"csv\", \"file\": \"toy.csv\", \"shape\": [2, 6, 6],"
                 " \"classes\": 3}, \"baseline\": \"a\", \"structures\": [{\"vary\": {");
    for (int key = 'a'; key <= 'k'; key++)
        n += snprintf(text + n, sizeof text - (size_t)n, "\"%c\": [0, 1]%s", key,
                      key < 'k' ? ", " : "");
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "}, \"name\": \"x$a$b$c$d$e$f$g$h$i$j$k\", \"layers\": [{\"layer\": "
                  "\"linear\"}]}]}");
    (void)state;
    assert_int_equal(as_space_parse(text, (size_t)n, "toy.json", &space, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "\"vary\" makes more than 1024 structures");
    assert_string_equal(err.where, "toy.json: structures[0]");
}

static void a_file_that_is_none_is_told_by_its_path(void **state)
{
    as_space *space;
    assay_error err;
    (void)state;
    assert_int_equal(as_space_load("no/such.json", &space, &err), ASSAY_E_NOT_FOUND);
    assert_null(space);
    assert_non_null(strstr(err.message, "no/such.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bundled_space_is_six_structures_of_known_cost),
        cmocka_unit_test(an_outline_counts_what_the_network_has),
        cmocka_unit_test(the_first_key_varies_slowest_and_values_keep_their_kind),
        cmocka_unit_test(a_family_trains_as_the_space_but_for_what_it_says),
        cmocka_unit_test(an_inverted_residual_adds_its_input_where_it_can),
        cmocka_unit_test(a_repeated_list_stands_so_many_times),
        cmocka_unit_test(every_mistake_has_its_sentence_and_its_place),
        cmocka_unit_test(a_file_that_ends_early_is_refused_wherever_it_ends),
        cmocka_unit_test(lists_in_lists_end_at_a_bound),
        cmocka_unit_test(more_than_1024_structures_are_refused_before_they_are_made),
        cmocka_unit_test(a_file_that_is_none_is_told_by_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
