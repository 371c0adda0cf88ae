/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an operator study and its JSON. */
#include <math.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/operator_files.h"
#include "report/operator_plots.h"
#include "report/text.h"
#include "report/whole_file.h"

/** "large,standard". */
static void put_name(FILE *out, const as_operator_row *op)
{
    as_put_csv(out, op->shape);
    putc(',', out);
    as_put_csv(out, op->module);
}

static void write_costs(FILE *out, const void *of)
{
    const as_operator_report *r = of;
    fputs("case,module,input_shape,output_shape,params,mac,activation_ledger_bytes,p10_us,"
          "median_us,p90_us\n",
          out);
    for (size_t i = 0; i < r->study->n_ops; i++) {
        const as_operator_row *op = &r->study->ops[i];
        if (op->is_part) continue;
        put_name(out, op);
        fprintf(out, ",1x%dx%dx%d,1x%dx%dx%d,%lld,%lld,%lld", op->ic, op->h, op->w, op->oc,
                op->h, op->w, (long long)op->params, (long long)op->macs,
                (long long)op->ledger_bytes);
        as_put_csv_number(out, r->times[i].p10_us);
        as_put_csv_number(out, r->times[i].median_us);
        as_put_csv_number(out, r->times[i].p90_us);
        putc('\n', out);
    }
}

/** The samples of the modules, or of their parts. */
static void put_timings(FILE *out, const as_operator_report *r, bool of_parts)
{
    fputs("case,module,round,repeat,latency_us\n", out);
    for (size_t i = 0; i < r->study->n_samples; i++) {
        const as_operator_sample_row *s = &r->study->samples[i];
        const as_operator_row *op = &r->study->ops[s->op];
        if (op->is_part != of_parts) continue;
        put_name(out, op);
        fprintf(out, ",%d,%d", s->round + 1, s->repeat + 1);
        as_put_csv_number(out, s->latency_us);
        putc('\n', out);
    }
}

static void write_timings(FILE *out, const void *of)
{
    const as_operator_report *r = of;
    put_timings(out, r, false);
}

static void write_part_timings(FILE *out, const void *of)
{
    const as_operator_report *r = of;
    put_timings(out, r, true);
}

static void write_ratios(FILE *out, const void *of)
{
    const as_operator_report *r = of;
    fputs("case,mac_ratio,time_ratio,time_ratio_low,time_ratio_high,rounds,factor_error\n",
          out);
    for (size_t i = 0; i < r->n_ratios; i++) {
        const as_operator_ratio *ratio = &r->ratios[i];
        as_put_csv(out, r->study->ops[ratio->standard].shape);
        as_put_csv_number(out, ratio->mac_ratio);
        as_put_csv_number(out, ratio->time_ratio.ratio);
        as_put_csv_number(out, ratio->time_ratio.low);
        as_put_csv_number(out, ratio->time_ratio.high);
        fprintf(out, ",%zu", ratio->time_ratio.n);
        as_put_csv_number(out, r->study->ops[ratio->dw_pw].factor_error);
        putc('\n', out);
    }
}

static void write_roofline(FILE *out, const void *of)
{
    const as_operator_report *r = of;
    fputs("case,module,routes,mac,products,bytes,mac_per_byte,median_us,mac_per_s,"
          "products_per_s,peak_mac_per_s,peak_share,bytes_per_s,copy_bytes_per_s,copy_share,"
          "roof_us,bound,samples\n",
          out);
    for (size_t i = 0; i < r->study->n_ops; i++) {
        const as_operator_row *op = &r->study->ops[i];
        const as_roofline *roof = &r->rooflines[i];
        const double rest[] = {(double)op->macs / (double)op->traffic_bytes,
                               r->times[i].median_us,
                               roof->macs_s,
                               roof->products_s,
                               r->study->how.peak_macs_s,
                               roof->peak_share,
                               roof->bytes_s,
                               op->copy_bytes_s,
                               roof->copy_share,
                               roof->roof_us};
        put_name(out, op);
        fprintf(out, ",%s,%lld,%lld,%lld", op->routes, (long long)op->macs,
                (long long)op->products, (long long)op->traffic_bytes);
        for (size_t j = 0; j < AS_COUNT_OF(rest); j++)
            as_put_csv_number(out, rest[j]);
        fprintf(out, ",%s,%zu\n", roof->is_bound_by_bytes ? "bytes" : "products",
                r->times[i].n);
    }
}

static json_t *calls_json(const as_operator_study *study)
{
    json_t *list = json_array();
    for (size_t i = 0; i < study->n_ops; i++)
        as_json_append(&list,
                       json_pack("{s:s, s:s, s:i}", "case", study->ops[i].shape, "module",
                                 study->ops[i].module, "calls", study->ops[i].n_calls));
    return list;
}

json_t *as_operator_protocol_json(const as_operator_study *study)
{
    const as_operator_study_row *how = &study->how;
    json_t *root = json_pack(
        "{s:i, s:i, s:i, s:i, s:s, s:s, s:s, s:s}", "warmup", how->n_warm_ups, "repetitions",
        how->n_repeats, "rounds", how->n_rounds, "threads", how->n_threads, "layout", "NHWC",
        "scope",
        "the convolutions' kernels alone, batch 1, FP32, no bias, weights packed before, one "
        "buffer each for input, intermediate and output; no network around them",
        "synchronization",
        "one thread on CLOCK_MONOTONIC_RAW: kernels return when their outputs are written, so "
        "nothing is left to wait for",
        "activation_ledger",
        "input + output + intermediate activations in bytes; no peak memory: buffers are not "
        "shared and weights and scratch are not counted");
    as_json_set(&root, "order",
                json_string("every operator has one turn a round, in an order that is shuffled "
                            "anew for each; warmup samples come before each turn's"));
    as_json_set(&root, "sample",
                json_string("mean of so many calls, one behind the other, that reading the "
                            "clock is below 1 % of it"));
    as_json_set(&root, "calls_per_sample", calls_json(study));
    as_json_set(&root, "isa", json_string(how->isa));
    as_json_set(&root, "seed", json_integer(how->seed));
    as_json_set(&root, "peak_mac_per_s", as_json_real(how->peak_macs_s));
    as_json_set(&root, "copies",
                json_pack("[{s:I, s:o}, {s:I, s:o}]", "bytes", (json_int_t)how->near_bytes,
                          "bytes_per_s", as_json_real(how->near_bytes_s), "bytes",
                          (json_int_t)how->far_bytes, "bytes_per_s",
                          as_json_real(how->far_bytes_s)));
    return root;
}

json_t *as_study_environment_json(const json_t *machine, size_t n_threads, int64_t seed,
                                  bool exclusive_hardware)
{
    return json_pack("{s:O?, s:O?, s:O?, s:I, s:s, s:s, s:I, s:b, s:O}", "versions",
                     json_object_get(machine, "versions"), "cpu",
                     json_object_get(machine, "cpu"), "platform",
                     json_object_get(machine, "kernel"), "threads", (json_int_t)n_threads,
                     "device", "cpu", "dtype", "float32", "seed", (json_int_t)seed,
                     "exclusive_hardware", exclusive_hardware, "machine", machine);
}

static json_t *operator_json(const as_operator_report *r, size_t i)
{
    const as_operator_row *op = &r->study->ops[i];
    const as_roofline *roof = &r->rooflines[i];
    return json_pack(
        "{s:o, s:s, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:I, s:f, s:f, s:f, s:f, "
        "s:s}",
        "case", as_json_name(op->shape), "module", op->module, "part", op->is_part, "routes",
        op->routes, "params", (json_int_t)op->params, "mac", (json_int_t)op->macs, "products",
        (json_int_t)op->products, "activation_ledger_bytes", (json_int_t)op->ledger_bytes,
        "bytes", (json_int_t)op->traffic_bytes, "median_us", r->times[i].median_us, "p10_us",
        as_json_real(r->times[i].p10_us), "p90_us", as_json_real(r->times[i].p90_us), "n",
        (json_int_t)r->times[i].n, "mac_per_s", roof->macs_s, "peak_share", roof->peak_share,
        "copy_share", roof->copy_share, "roof_us", roof->roof_us, "bound",
        roof->is_bound_by_bytes ? "bytes" : "products");
}

static json_t *ratio_json(const as_operator_report *r, const as_operator_ratio *ratio)
{
    const as_operator_row *op = &r->study->ops[ratio->dw_pw];
    return json_pack("{s:o, s:f, s:f, s:o, s:o, s:I, s:f, s:b}", "case",
                     as_json_name(op->shape), "mac_ratio", ratio->mac_ratio, "time_ratio",
                     ratio->time_ratio.ratio, "low", as_json_real(ratio->time_ratio.low),
                     "high", as_json_real(ratio->time_ratio.high), "rounds",
                     (json_int_t)ratio->time_ratio.n, "factor_error", op->factor_error,
                     "factor_holds", op->factor_error <= AS_FACTOR_TOLERANCE);
}

json_t *as_operator_json(const as_operator_report *report)
{
    json_t *ops = json_array(), *ratios = json_array(), *sentences = json_array();
    for (size_t i = 0; i < report->study->n_ops; i++)
        as_json_append(&ops, operator_json(report, i));
    for (size_t i = 0; i < report->n_ratios; i++)
        as_json_append(&ratios, ratio_json(report, &report->ratios[i]));
    for (size_t i = 0; i < report->n_sentences; i++)
        as_json_append(&sentences, as_json_name(report->sentences[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "protocol",
                     as_operator_protocol_json(report->study), "operators", ops, "ratios",
                     ratios, "says", sentences);
}

static const as_printed_file files[] = {
    {"operator-costs.csv", write_costs},
    {"operator-timings.csv", write_timings},
    {"operator-part-timings.csv", write_part_timings},
    {"operator-ratios.csv", write_ratios},
    {"operator-roofline.csv", write_roofline},
    {"operator-latencies.gp", as_write_operator_latencies},
    {"operator-roofline.gp", as_write_operator_roofline},
};

assay_code as_operator_tables_write(const as_operator_report *report, const char *folder,
                                    assay_error *err)
{
    assay_code code = as_printed_files_write(folder, files, AS_COUNT_OF(files), report, err);
    return code ? code : as_draw_operator_plots(folder, err);
}

static assay_code write_protocol(const as_operator_report *r, const char *folder,
                                 assay_error *err)
{
    as_whole_file file;
    assay_code code = as_whole_file_open_in(folder, "benchmark-protocol.json", &file, err);
    if (code) return code;
    code = as_put_json(file.out, as_operator_protocol_json(r->study), JSON_INDENT(2),
                       "benchmark-protocol.json", err);
    return as_whole_file_close(&file, code, err);
}

assay_code as_operator_files_write(const as_operator_report *report, const char *folder,
                                   assay_error *err)
{
    assay_code code = as_operator_tables_write(report, folder, err);
    return code ? code : write_protocol(report, folder, err);
}
