/* SPDX-License-Identifier: Apache-2.0 */
/* Reports in another language: the same numbers and names, other words. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "report/language.h"
#include "report/report.h"
#include "synthetic.h"
#include "verdict/tensor.h"

static const synthetic five = {.n_policies = 5,
                               .n_rounds = 12,
                               .n_rounds_done = 12,
                               .state = AS_RUN_FINISHED,
                               .has_snapshots = true};

/** Derive the run's files in `language`. @return the text for a terminal (as_free). */
static char *derive(const char *folder, as_language language)
{
    as_report *report;
    assay_error err = {0};
    if (as_report_open_in(folder, language, &report, &err)) fail_msg("%s", err.message);
    if (as_report_write_files(report, &err)) fail_msg("%s", err.message);
    char *text = as_strdup(as_report_text(report));
    assert_non_null(text);
    as_report_close(report);
    return text;
}

static as_bytes content(const char *folder, const char *name)
{
    as_bytes bytes;
    assay_error err = {0};
    char *path = as_path_join(folder, name);
    if (as_file_read(path, 0, &bytes, &err)) fail_msg("%s", err.message);
    as_free(path);
    return bytes;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** The numbers in `text`, which is cut up, sorted. @return how many (numbers: free). */
static size_t numbers_of(char *text, char ***numbers)
{
    size_t n = 0, room = strlen(text) / 2 + 1;
    *numbers = calloc(room, sizeof **numbers);
    assert_non_null(*numbers);
    for (char *at = text; *at;) {
        size_t span = strspn(at, "0123456789.");
        if (span == 0 || *at == '.') {
            at++;
            continue;
        }
        char *end = at + span;
        while (end[-1] == '.') /* a sentence's */
            end--;
        (*numbers)[n++] = at;
        char *next = at + span + (at[span] != '\0');
        *end = '\0';
        at = next;
    }
    qsort(*numbers, n, sizeof **numbers, by_text);
    return n;
}

static void both_languages_tell_the_same_numbers(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&five, folder);
    as_free(derive(folder, AS_ENGLISH));
    as_bytes english = content(folder, "report.md");
    as_free(derive(folder, AS_CHINESE));
    as_bytes chinese = content(folder, "report.md");
    char **a, **b;
    size_t n = numbers_of((char *)english.data, &a), m = numbers_of((char *)chinese.data, &b);
    for (size_t i = 0; i < n && i < m; i++)
        if (strcmp(a[i], b[i]) != 0) fail_msg("%s in one, %s in the other", a[i], b[i]);
    assert_int_equal(n, m);
    assert_true(n > 500);
    free(a);
    free(b);
    as_bytes_free(&english);
    as_bytes_free(&chinese);
    synthetic_remove(folder);
}

static void chinese_reaches_page_terminal_and_plots_and_leaves_keys(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&five, folder);
    char *text = derive(folder, AS_CHINESE);
    static const char headline[] =
        "split 在框完全一致的策略中最省：检测时间比 base 少 8.4 %。\n";
    assert_int_equal(strncmp(text, headline, sizeof headline - 1), 0);
    as_bytes html = content(folder, "report.html");
    assert_non_null(strstr((char *)html.data, "<html lang=\"zh-CN\">"));
    assert_non_null(strstr((char *)html.data, "<h2 id=\"limits\">本报告没有说明什么</h2>"));
    assert_non_null(strstr((char *)html.data, "<th class=\"n\">中位数 s</th>"));
    as_bytes_free(&html);
    as_bytes script = content(folder, "plots/stages.gp");
    assert_non_null(strstr((char *)script.data, "stage1 = '前向'"));
    as_bytes_free(&script);
    as_bytes summary = content(folder, "summary.json");
    json_t *root = json_loadb((char *)summary.data, summary.size, 0, NULL);
    json_t *verdict = json_object_get(root, "verdict");
    assert_string_equal(json_string_value(json_object_get(verdict, "chosen")), "split");
    json_decref(root);
    as_bytes_free(&summary);
    as_free(text);
    synthetic_remove(folder);
}

static void english_again_gives_the_first_bytes(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&five, folder);
    as_free(derive(folder, AS_ENGLISH));
    as_bytes before = content(folder, "report.html");
    as_free(derive(folder, AS_CHINESE));
    as_free(derive(folder, AS_ENGLISH));
    as_bytes after = content(folder, "report.html");
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    as_bytes_free(&before);
    as_bytes_free(&after);
    synthetic_remove(folder);
}

static void what_the_table_lacks_stays_english(void **state)
{
    (void)state;
    size_t n;
    assert_string_equal(as_say(AS_CHINESE, "no such sentence %d"), "no such sentence %d");
    assert_string_equal(as_say(AS_ENGLISH, "policy"), "policy");
    assert_string_equal(as_say(AS_CHINESE, "policy"), "策略");
    assert_null(as_language_table(AS_ENGLISH, &n));
    assert_int_equal(n, 0);
    as_language of_tensors = as_language_of_tensors(AS_CHINESE);
    assert_string_equal(as_say(of_tensors, "boxes differ"), "输出不同");
    assert_string_equal(as_say(of_tensors, "policy"), "策略");
    assert_string_equal(as_say(as_language_of_tensors(AS_ENGLISH), "policy"), "policy");
    char text[64];
    as_say_into(text, sizeof text, AS_CHINESE, "%zu of %zu differ", (size_t)3, (size_t)21);
    assert_string_equal(text, "21 个中 3 个不同");
}

static void findings_are_said_and_those_of_older_evidence_quoted(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&five, folder);
    as_free(derive(folder, AS_CHINESE));
    as_bytes report = content(folder, "report.md");
    static const char warning[] = "运行开始时：平均负载 3.00，共 2 个 CPU；其他任务占用 CPU "
                                  "时间、缓存和内存带宽。建议：停掉它，或等它结束。";
    static const char *const rows[] = {"平均负载 3.00，共 2 个 CPU | 其他任务占用",
                                       "turbo | 注意 | turbo on | speed varies"};
    assert_non_null(strstr((char *)report.data, warning));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strstr((char *)report.data, rows[i])) fail_msg("no row '%s'", rows[i]);
    as_bytes_free(&report);
    synthetic_remove(folder);
}

static void what_the_evidence_says_is_quoted_in_a_chinese_sentence(void **state)
{
    (void)state;
    synthetic unfit = five;
    unfit.unfit = "the machine is unfit: it was throttled";
    char *folder = synthetic_folder();
    synthetic_write(&unfit, folder);
    char *text = derive(folder, AS_CHINESE);
    assert_non_null(
        strstr(text, "没有结论的原因（原文）：the machine is unfit: it was throttled。"));
    as_free(text);
    synthetic_remove(folder);
}

static const char *say(int language, const char *english)
{
    return as_say((as_language)language, english);
}

static void differences_of_tensors_are_said(void **state)
{
    (void)state;
    char text[AS_TENSOR_TEXT];
    as_tensor_comparison c = {.n = 12, .n_beyond = 2, .first = 4, .answer_value = 7};
    as_tensor_describe_in(&c, AS_COMPARE_TOP1, say, AS_CHINESE_OF_TENSORS, text);
    assert_string_equal(text, "第 5 行（共 12 行）得分最高的类别是 7，基准答案是 0；2 行不同");
    as_tensor_describe_in(&c, AS_COMPARE_TENSOR, say, AS_CHINESE_OF_TENSORS, text);
    assert_string_equal(text, "第 5 个元素（共 12 个）是 7，基准答案是 0；2 个超出界限；"
                              "单凭一项即可通过的界限：绝对 0，相对 0，0 ULP");
    c.has_other_layout = true;
    as_tensor_describe_in(&c, AS_COMPARE_TENSOR, say, AS_CHINESE_OF_TENSORS, text);
    assert_string_equal(text, "输出的类型或维度与基准答案不同");
    c.equal = true;
    as_tensor_describe_in(&c, AS_COMPARE_TENSOR, say, AS_CHINESE_OF_TENSORS, text);
    assert_string_equal(text, "相等");
}

/* Formats out of a file are data: they print the strings that come with them, and nothing else. */
static void printed_values_take_their_places(void **state)
{
    (void)state;
    static const char *const two[] = {"3", "8"};
    char text[64];
    assert_true(as_say_printed(text, sizeof text, AS_CHINESE, "may use %zu of %zu online CPUs",
                               two, 2));
    assert_string_equal(text, "8 个在线 CPU 中可用 3 个");
    assert_true(as_say_printed(text, sizeof text, AS_ENGLISH, "%5.1f %% of %s%%", two, 2));
    assert_string_equal(text, "3 % of 8%");
    assert_false(as_say_printed(text, sizeof text, AS_ENGLISH, "%s %s %n", two, 2));
    assert_false(as_say_printed(text, sizeof text, AS_ENGLISH, "%0$s", two, 2));
    assert_false(as_say_printed(text, sizeof text, AS_ENGLISH, "%3$s", two, 2));
    assert_false(as_say_printed(text, sizeof text, AS_ENGLISH, "%s %s %", two, 2));
    assert_false(as_say_printed(text, 6, AS_ENGLISH, "of %s %s", two, 2));
    assert_true(as_say_printed(text, 7, AS_ENGLISH, "of %s %s", two, 2));
    assert_string_equal(text, "of 3 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_languages_tell_the_same_numbers),
        cmocka_unit_test(chinese_reaches_page_terminal_and_plots_and_leaves_keys),
        cmocka_unit_test(english_again_gives_the_first_bytes),
        cmocka_unit_test(what_the_table_lacks_stays_english),
        cmocka_unit_test(findings_are_said_and_those_of_older_evidence_quoted),
        cmocka_unit_test(what_the_evidence_says_is_quoted_in_a_chinese_sentence),
        cmocka_unit_test(differences_of_tensors_are_said),
        cmocka_unit_test(printed_values_take_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
