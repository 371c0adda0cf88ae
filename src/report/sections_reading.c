/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of what differs, time over the batch size, and what a reader must not take from it all. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/sections.h"

/** A page holds so many pictures at most, of so many bytes together: it stays one that can be sent. */
enum { PICTURES_MOST = 12, PICTURES_BYTES_MOST = 6 << 20 };

/** One picture with what it shows.  @return its bytes, 0 where the evidence holds no pixels. */
static size_t put_picture(as_page *page, const as_facts *f, const as_difference_facts *d)
{
    as_bytes png = {0};
    assay_error err = {0};
    const as_input_row *input = &f->inputs[d->input];
    if (page->markup->embeds) as_page_keep(page, as_review_picture(f, d, &png, &err), &err);
    char *path = as_review_path(f, d);
    char *caption = as_format(as_page_say(page, "%s under %s (%s, page %d)"), input->id,
                              as_facts_name(f, (size_t)d->policy),
                              f->documents[input->document].name, input->page);
    page->lacks_memory = page->lacks_memory || !path || !caption;
    if (path && caption && (png.size || !page->markup->embeds))
        as_put_figure(page, &(as_figure){.path = path, .png = &png, .caption = caption});
    size_t bytes = png.size;
    as_bytes_free(&png);
    as_free(path);
    as_free(caption);
    return bytes;
}

/** Those with a box that has no counterpart first, then by the farthest corner; as found where equal. */
static int by_distance(const void *a, const void *b)
{
    const as_difference_facts *x = *(const as_difference_facts *const *)a;
    const as_difference_facts *y = *(const as_difference_facts *const *)b;
    double far_x = x->comparison.max_corner_px, far_y = y->comparison.max_corner_px;
    return far_x != far_y ? (far_x < far_y) - (far_x > far_y) : (x > y) - (x < y);
}

void as_section_review(as_page *page, const as_facts *f)
{
    size_t n = 0, bytes = 0;
    const as_difference_facts **farthest = as_alloc_array(f->n_differences, sizeof *farthest);
    page->lacks_memory = page->lacks_memory || !farthest;
    if (!farthest) return;
    for (size_t i = 0; i < f->n_differences; i++)
        farthest[i] = &f->differences[i];
    qsort(farthest, f->n_differences, sizeof *farthest, by_distance);
    as_paragraph(
        page,
        "Green, wide: the truth.  Red, narrow: the answer.  Where only red or only "
        "green is seen, a box was added or is missing.  The farthest corners come first.");
    for (; n < f->n_differences && n < PICTURES_MOST && bytes < PICTURES_BYTES_MOST; n++)
        bytes += put_picture(page, f, farthest[n]);
    as_free(farthest);
    if (n < f->n_differences)
        as_paragraph(page, "%zu of %zu; the others lie in review/.", n, f->n_differences);
}

/** Where each policy breaks even, in words. */
static void break_even(as_page *page, const as_facts *f)
{
    as_list(page);
    for (size_t p = 0; p < f->n_policies; p++) {
        const as_policy_facts *policy = &f->policy[p];
        size_t b = as_facts_break_even(f, p);
        if (policy->candidate.is_baseline || policy->detection.n == 0) continue;
        if (b == f->n_batches)
            as_item(page, "%s: not below the baseline at the largest N.", policy->row->name);
        else if (b == 0)
            as_item(page, "%s: below the baseline at every N.", policy->row->name);
        else
            as_item(page, "%s: below the baseline from N = %zu on.", policy->row->name,
                    f->batches[b].n);
    }
    as_list_end(page);
}

static void batches_table(as_page *page, const as_facts *f)
{
    const as_table_column columns[] = {
        {"N", true},
        {"calls", true},
        {"inputs", true},
        {"policy", false},
        {f->has_one_shape ? "ms an image" : "ms a megapixel", true},
        {"least–greatest", true},
        {"of median", true}};
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t b = 0; b < f->n_batches; b++) {
        for (size_t p = 0; p < f->n_policies; p++) {
            const as_policy_facts *policy = &f->policy[p];
            const as_summary *ms = &policy->batch_ms[b];
            if (ms->n == 0) continue;
            as_cell(page, "%zu", f->batches[b].n);
            as_cell(page, "%zu", f->batches[b].n_calls);
            as_cell(page, "%zu", f->batches[b].n_inputs);
            as_cell(page, "%s", policy->row->name);
            as_cell(page, "%.3f", ms->median);
            as_cell(page, "%.3f–%.3f", ms->least, ms->greatest);
            as_cell_reduction(page, policy->batch_reduction[b], policy->candidate.is_baseline);
        }
    }
    as_table_end(page);
}

void as_section_batches(as_page *page, const as_facts *f)
{
    as_paragraph(page,
                 f->has_one_shape
                     ? "Detection of calls of N inputs, an image; medians over the rounds."
                     : "Detection of calls of N inputs, a megapixel of network input; "
                       "medians over the rounds.  Different N hold different pages: "
                       "compare policies at one N.");
    if (f->n_policies > 1 && f->policy[f->run->baseline].detection.n > 0) {
        as_paragraph(page, "Break-even by these medians, with the margin of 1 %%:");
        break_even(page, f);
    }
    as_fold(page, "Every batch size");
    batches_table(page, f);
    as_fold_end(page);
}

/** A process is background load above this share of a CPU. */
#define BACKGROUND_PERCENT 5

/** Whether a snapshot's process is another's: snapshots are taken while no worker runs. */
static bool is_background(const as_process_row *process)
{
    return strcmp(process->name, "assay") != 0 && process->cpu_percent > BACKGROUND_PERCENT;
}

static void background(as_page *page, const as_facts *f)
{
    const as_process_row *most = NULL;
    size_t n = 0;
    int last = -1;
    for (size_t i = 0; i < f->n_processes; i++) {
        const as_process_row *process = &f->processes[i];
        if (!is_background(process)) continue;
        n += process->snapshot != last;
        last = process->snapshot;
        if (!most || process->cpu_percent > most->cpu_percent) most = process;
    }
    if (f->n_snapshots == 0)
        as_item(page, "No snapshot of the machine was taken: what else ran is not known.");
    else if (most)
        as_item(
            page,
            "Background load was present: in %zu of %zu snapshots another process took more "
            "than %d %% of a CPU, the most %s with %.0f %%.",
            n, f->n_snapshots, BACKGROUND_PERCENT, most->name, most->cpu_percent);
    else
        as_item(
            page,
            "No snapshot saw another process above %d %% of a CPU; between snapshots nobody "
            "looked.",
            BACKGROUND_PERCENT);
}

static bool switches_nnpack(const as_facts *f)
{
    for (size_t p = 0; p < f->n_policies; p++)
        if (strstr(f->policies[p].text, "nnpack=")) return true;
    return false;
}

void as_section_limits(as_page *page, const as_facts *f)
{
    as_list(page);
    as_item(page,
            "Nothing is claimed of another model, CPU, thread count or version, nor of other "
            "pages.");
    as_item(page,
            "Detection alone is timed.  Rendering, cutting into regions, recognition and all "
            "else of a pipeline is not: a whole pipeline gains less.");
    as_item(page,
            "Memory is sampled at boundaries, between calls and at a slot's ends: PSS is no "
            "instantaneous peak.  Peak RSS is the kernel's, of the process's whole life, "
            "loading included.");
    as_item(page, "Swap is the whole machine's, whoever uses it.");
    if (switches_nnpack(f))
        as_item(page,
                "NNPACK is a process-wide switch: what it does to other models in the same "
                "process is not shown.");
    background(page, f);
    as_item(page, "Equal boxes on these inputs bound how often others may differ, and do not "
                  "exclude it.");
    as_list_end(page);
}
