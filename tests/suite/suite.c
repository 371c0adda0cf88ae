/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run ONNX's backend suite.
 *
 * Usage: suite FOLDER[:N]...      FOLDER holds a folder a case; exactly N of them must be required
 *
 * Every case is passed, refused or failed.  None may fail; one whose operators and types are in
 * required.c must pass; a refusal must name node, operator and opset.  Prints what failed and was
 * refused against that, and counts by operator (a case counts for each of its operators).
 * Exit status 1 when anything is not so, 77 when no folder is there.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "required.h"
#include "run_case.h"

#define MOST_OPERATORS 512

/* How the cases of one operator went. */
typedef struct tally {
    char name[64];
    int n[3]; /* by suite_verdict */
} tally;

typedef struct totals {
    tally operators[MOST_OPERATORS];
    int n_operators;
    int n[3], n_required, n_wrong;
} totals;

static void count(totals *all, const char *name, suite_verdict verdict)
{
    int i = 0;
    while (i < all->n_operators && strcmp(all->operators[i].name, name) != 0)
        i++;
    if (i == MOST_OPERATORS) return;
    if (i == all->n_operators)
        snprintf(all->operators[all->n_operators++].name, sizeof all->operators[i].name, "%s",
                 name);
    all->operators[i].n[verdict]++;
}

/* Node, operator and opset: "node 0 'n' (Einsum): ... opset 12 ...". */
static int says_enough(const suite_case *about, const char *reason)
{
    char opset[32], operators[sizeof about->operators];
    snprintf(opset, sizeof opset, "opset %d", about->opset);
    snprintf(operators, sizeof operators, "%s", about->operators);
    if (!strstr(reason, "node ") || !strstr(reason, opset)) return 0;
    for (char *rest = operators, *name; (name = strtok_r(rest, " ", &rest));)
        if (strstr(reason, name)) return 1;
    return 0;
}

static void run_one(const char *folder, const char *name, totals *all)
{
    char path[4096];
    suite_case about;
    snprintf(path, sizeof path, "%s/%s/model.onnx", folder, name);
    if (!suite_case_read(path, &about)) {
        printf("WRONG %s: its model cannot be read\n", name);
        all->n_wrong++;
        return;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const suite_result r = suite_run_case(path);
    const char *wrong = NULL;
    if (r.verdict == SUITE_FAILED)
        wrong = "failed";
    else if (r.verdict == SUITE_REFUSED && about.is_required)
        wrong = "refused, must pass";
    else if (r.verdict == SUITE_REFUSED && !says_enough(&about, r.reason))
        wrong = "refused without node, operator or opset";
    if (wrong) printf("WRONG %s (%s): %s: %s\n", name, about.operators, wrong, r.reason);
    all->n_wrong += wrong != NULL;
    all->n_required += about.is_required;
    all->n[r.verdict]++;
    for (char *rest = about.operators, *word; (word = strtok_r(rest, " ", &rest));)
        count(all, word, r.verdict);
}

/* Run the cases of a folder.  @return false when it is not there. */
static int run_folder(const char *folder, int n_required, totals *all)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, NULL, alphasort);
    const totals before = *all;
    if (n < 0) return 0;
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') run_one(folder, entries[i]->d_name, all);
        free(entries[i]);
    }
    free(entries);
    const int required = all->n_required - before.n_required;
    printf("%s: %d passed, %d refused, %d failed; %d must pass\n", folder,
           all->n[SUITE_PASSED] - before.n[SUITE_PASSED],
           all->n[SUITE_REFUSED] - before.n[SUITE_REFUSED],
           all->n[SUITE_FAILED] - before.n[SUITE_FAILED], required);
    if (n_required >= 0 && required != n_required) {
        printf("WRONG %s: %d cases must pass, not %d\n", folder, n_required, required);
        all->n_wrong++;
    }
    return 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tally *)a)->name, ((const tally *)b)->name);
}

static void print(totals *all)
{
    qsort(all->operators, (size_t)all->n_operators, sizeof *all->operators, by_name);
    printf("%-26s %7s %7s %7s\n", "operator", "passed", "refused", "failed");
    for (int i = 0; i < all->n_operators; i++)
        printf("%-26s %7d %7d %7d\n", all->operators[i].name, all->operators[i].n[SUITE_PASSED],
               all->operators[i].n[SUITE_REFUSED], all->operators[i].n[SUITE_FAILED]);
    printf("in all: %d passed, %d refused, %d failed, %d wrong\n", all->n[SUITE_PASSED],
           all->n[SUITE_REFUSED], all->n[SUITE_FAILED], all->n_wrong);
}

int main(int n, char **arguments)
{
    static totals all;
    int n_folders = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < n; i++) {
        char *colon = strrchr(arguments[i], ':');
        const int n_required = colon ? atoi(colon + 1) : -1;
        if (colon) *colon = '\0';
        n_folders += run_folder(arguments[i], n_required, &all);
    }
    if (n_folders == 0) {
        printf("SKIPPED: none of the folders is here\n");
        return 77;
    }
    print(&all);
    return all.n_wrong || n_folders != n - 1;
}
