/* SPDX-License-Identifier: Apache-2.0 */
/* The operator study of a search: standard against depthwise + pointwise, and why fewer MACs need not be
 * faster. */
#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/search_sections.h"

/** Drawn by report/operator_plots.h, in the run's folder. */
static const struct {
    const char *name, *caption;
} pictures[] = {
    {.name = "operator-latencies.png",
     .caption = "Boxes: quartiles and median; whiskers: the 10th to the 90th percentile; dots: "
                "samples."},
    {.name = "operator-roofline.png",
     .caption = "Each operator's MACs a second over its MACs a byte, below what this machine "
                "reaches."},
};

static void put_picture(as_page *page, const as_search_facts *f, size_t i)
{
    as_bytes png = {0};
    assay_error err = {0};
    char *path = as_path_join(f->report->folder, pictures[i].name);
    page->lacks_memory = page->lacks_memory || !path;
    if (path && as_file_exists(path)) {
        if (page->markup->embeds) as_page_keep(page, as_file_read(path, 0, &png, &err), &err);
        as_put_figure(page, &(as_figure){.path = pictures[i].name,
                                         .png = &png,
                                         .caption = pictures[i].caption});
    }
    as_bytes_free(&png);
    as_free(path);
}

static void operator_row(as_page *page, const as_operator_report *r, size_t i)
{
    const as_operator_row *op = &r->study->ops[i];
    const as_roofline *roof = &r->rooflines[i];
    as_cell(page, "%s", op->shape);
    as_cell(page, "%s", op->module);
    as_cell(page, "%s", op->routes);
    as_cell(page, "%lld", (long long)op->macs);
    as_cell(page, "%lld", (long long)op->traffic_bytes);
    as_cell_us(page, r->times[i].median_us);
    as_cell_range(page, r->times[i].p10_us, r->times[i].p90_us);
    as_cell(page, "%.1f", 1e-9 * roof->macs_s);
    as_cell(page, "%.0f", 100 * roof->peak_share);
    as_cell(page, "%.1f", 1e-9 * roof->bytes_s);
    as_cell(page, "%.0f", 100 * roof->copy_share);
}

static void ratio_table(as_page *page, const as_operator_report *r)
{
    static const as_table_column columns[] = {{"shape", false},
                                              {"MACs, standard / dw + pw", true},
                                              {"time, standard / dw + pw", true},
                                              {"interval, 95 %", true},
                                              {"rounds", true},
                                              {"outputs of a product kernel differ by", true}};
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < r->n_ratios; i++) {
        const as_operator_ratio *ratio = &r->ratios[i];
        as_cell(page, "%s", r->study->ops[ratio->standard].shape);
        as_cell(page, "%.2f", ratio->mac_ratio);
        as_cell(page, "%.2f", ratio->time_ratio.ratio);
        as_cell_range(page, ratio->time_ratio.low, ratio->time_ratio.high);
        as_cell(page, "%zu", ratio->time_ratio.n);
        as_cell(page, "%.1e", r->study->ops[ratio->dw_pw].factor_error);
    }
    as_table_end(page);
}

void as_section_operators(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {
        {"shape", false},     {"module", false},   {"routes", false},     {"MACs", true},
        {"bytes", true},      {"median us", true}, {"p10–p90 us", true},  {"GMAC/s", true},
        {"of peak, %", true}, {"GB/s", true},      {"of a copy, %", true}};
    const as_operator_report *r = f->operators;
    as_paragraph(page, "A standard 3x3 convolution against depthwise 3x3 + pointwise, the "
                       "operators alone, at each shape of the study.");
    ratio_table(page, r);
    as_list(page);
    for (size_t i = 0; i < r->n_sentences; i++)
        as_item(page, "%s", r->sentences[i]);
    as_list_end(page);
    for (size_t i = 0; i < AS_COUNT_OF(pictures); i++)
        put_picture(page, f, i);
    as_fold(page, "Every operator");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < r->study->n_ops; i++)
        operator_row(page, r, i);
    as_table_end(page);
    as_fold_end(page);
}
