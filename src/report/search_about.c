/* SPDX-License-Identifier: Apache-2.0 */
/* What a search was made from and on, what it does not show, how to do it again. */
#include "base/compiler.h"
#include "base/memory.h"
#include "report/search_sections.h"
#include "report/sections.h"
#include "report/text.h"

/* `what` is in the page's language. */
static void row(as_page *page, const char *what, const char *value)
{
    as_cell(page, "%s", what);
    as_cell(page, "%s", *value ? value : "–");
}

static void row_number(as_page *page, const char *what, int64_t value)
{
    as_cell(page, "%s", what);
    as_cell(page, "%lld", (long long)value);
}

/** What the space says of training, and what a family of it says otherwise. */
static void training_rows(as_page *page, const as_search_facts *f)
{
    const json_t *families = json_object_get(f->space, "structures"), *family;
    size_t i;
    as_object_rows(page, "training", json_object_get(f->space, "training"), 1);
    json_array_foreach(families, i, family)
    {
        const json_t *own = json_object_get(family, "training");
        char *prefix = as_format("%s.training", as_json_member_text(family, "name"));
        page->lacks_memory = page->lacks_memory || !prefix;
        if (own && prefix) as_object_rows(page, prefix, own, 1);
        as_free(prefix);
    }
}

void as_section_data(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {{"what", false}, {"value", false}};
    const as_search_row *s = f->report->search;
    const json_t *counts = json_object_get(f->split, "counts");
    char shape[64];
    snprintf(shape, sizeof shape, "%lld x %lld x %lld", (long long)s->c, (long long)s->h,
             (long long)s->w);
    as_table(page, columns, AS_COUNT_OF(columns));
    /* said */ const char *const parts[] = {"training samples", "validation samples",
                                            "test samples"};
    static const char *const keys[] = {"train", "validation", "test"};
    row(page, as_page_say(page, "data set"), as_json_member_text(f->split, "dataset"));
    row(page, as_page_say(page, "channels x height x width"), shape);
    for (size_t i = 0; i < AS_COUNT_OF(keys); i++)
        row_number(page, as_page_say(page, parts[i]), as_json_member_integer(counts, keys[i]));
    row(page, as_page_say(page, "split"), as_json_member_text(f->split, "split_policy"));
    row(page, as_page_say(page, "input SHA-256"),
        as_json_member_text(f->split, "input_sha256"));
    row(page, as_page_say(page, "labels SHA-256"),
        as_json_member_text(f->split, "labels_sha256"));
    row(page, as_page_say(page, "search space"), s->space_name);
    row(page, as_page_say(page, "space SHA-256"), s->space_sha256);
    row_number(page, as_page_say(page, "first seed"), s->seed);
    row_number(page, as_page_say(page, "trainings"), (int64_t)f->report->n_trainings);
    training_rows(page, f);
    as_table_end(page);
    as_paragraph(page,
                 "Training i of a structure starts from the first seed + i.  Its bits depend "
                 "on no number of threads; split-manifest.json names every sample.");
}

void as_section_search_environment(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {{"what", false}, {"value", false}};
    const as_run_row *run = f->run;
    as_table(page, columns, AS_COUNT_OF(columns));
    row(page, as_page_say(page, "assay"), run->assay_version);
    row(page, as_page_say(page, "program SHA-256"), run->program_sha256);
    row(page, as_page_say(page, "started"), run->created);
    row(page, as_page_say(page, "finished"), run->finished);
    row(page, as_page_say(page, "exclusive hardware"),
        run->exclusive_hardware ? as_page_say(page, "yes, says the user")
                                : as_page_say(page, "not declared"));
    as_object_rows(page, "", f->machine, 2);
    as_table_end(page);
    as_findings_table(page, f->findings);
}

void as_section_search_limits(as_page *page, const as_search_facts *f)
{
    const char *policy = as_json_member_text(f->split, "split_policy");
    as_list(page);
    as_item(page,
            "Validation accuracy chose, so that of the chosen one is optimistic: the best of "
            "several is lucky, too.  Test accuracy is the one to quote.");
    as_item(page,
            "There is one split.  Another would move every accuracy, and perhaps the choice.");
    as_item(
        page,
        "The split is by sample: %s.  Where a writer or a camera made several samples, test "
        "samples resemble training samples more than new ones will.",
        policy);
    if (f->n_planned == f->report->n_structures)
        as_item(page,
                "Each structure was trained from one seed.  Its luck is in every accuracy.");
    as_item(page,
            "The space is what its file says: other widths, depths and rates were not tried, "
            "and every structure had the same number of epochs unless the file says "
            "otherwise.");
    as_item(page,
            "Latency is that of warm calls with batch 1 on one thread.  Loading, the first "
            "call, larger batches and more threads may rank otherwise.");
    as_item(page, "Networks this small are mostly overhead: fewer MACs need not be faster.  At "
                  "other shapes the ranking may be another.");
    as_item(page, "Nothing is claimed of another CPU or of an engine that was not timed.");
    as_list_end(page);
}

void as_section_search_reproduce(as_page *page, const as_search_facts *f)
{
    as_paragraph(page,
                 "The same space by its hash, then the search; what is no time comes out the "
                 "same to the bit:");
    char *space = as_text_quoted(f->report->search->space_path);
    page->lacks_memory = page->lacks_memory || !space;
    as_code(page, "sha256sum %s   # %s", space ? space : "", f->report->search->space_sha256);
    as_free(space);
    as_code(page, "%s", f->run->command);
    as_paragraph(page,
                 "Everything in this folder but evidence.db, executed/ and logs/ is derived "
                 "from evidence.db, byte for byte, in the run's folder by:");
    as_code(page, "assay summarize .");
}
