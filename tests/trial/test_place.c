/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run that takes a folder is killed before each of its steps in the file system, and each of them
 * fails: what is there then is the older run or the new one, whole.
 */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "evidence/takeover.h"
#include "fake_run.h"
#include "report/report.h"
#include "trial/place.h"

/* ---- steps in the file system, by the linker's --wrap ---- */

typedef enum disturbance { KILL, FAIL, N_DISTURBANCES } disturbance;

static int n_steps_left; /* until the disturbance; 0 = none to come */
static disturbance what_happens;

static bool fails_now(void)
{
    if (n_steps_left == 0 || --n_steps_left > 0) return false;
    if (what_happens == KILL) raise(SIGKILL);
    errno = ENOSPC;
    return true;
}

int __real_mkdir(const char *path, mode_t mode);
int __real_rename(const char *from, const char *to);
int __real_fsync(int fd);
int __real_unlink(const char *path);
int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rename(const char *from, const char *to);
int __wrap_fsync(int fd);
int __wrap_unlink(const char *path);
int __wrap_unlinkat(int folder, const char *name, int flags);

int __wrap_mkdir(const char *path, mode_t mode)
{
    return fails_now() ? -1 : __real_mkdir(path, mode);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails_now() ? -1 : __real_rename(from, to);
}

int __wrap_fsync(int fd) { return fails_now() ? -1 : __real_fsync(fd); }

int __wrap_unlink(const char *path) { return fails_now() ? -1 : __real_unlink(path); }

int __wrap_unlinkat(int folder, const char *name, int flags)
{
    return fails_now() ? -1 : __real_unlinkat(folder, name, flags);
}

/* ---- what a folder holds ---- */

/* "PATH SHA256\n" of every file under `folder` and "PATH/\n" of every folder, but for what a beginning
 * has left; grows *text, which is of as_strdup. */
static void list_tree(const char *folder, char **text)
{
    as_names names;
    assert_int_equal(as_folder_list(folder, &names, NULL), ASSAY_OK);
    for (size_t i = 0; i < names.n; i++) {
        char sha256[AS_SHA256_HEX] = "";
        if (strcmp(names.items[i], AS_TAKEOVER_BEGINNING) == 0) continue;
        char *path = as_path_join(folder, names.items[i]);
        bool is_folder = as_file_is_folder(path);
        if (!is_folder) assert_int_equal(as_sha256_file(path, sha256, NULL), ASSAY_OK);
        char *longer = as_format("%s%s%s%s\n", *text, path, is_folder ? "/" : " ", sha256);
        as_free(*text);
        *text = longer;
        if (is_folder) list_tree(path, text);
        as_free(path);
    }
    as_names_free(&names);
}

static char *tree_of(const char *folder)
{
    char *text = as_strdup("");
    if (as_file_exists(folder)) list_tree(folder, &text);
    return text;
}

static void assert_tree(const char *folder, const char *wanted)
{
    char *now = tree_of(folder);
    assert_string_equal(now, wanted);
    as_free(now);
}

/* ---- runs ---- */

static assay_code begin_run(fixture *f, const char *run, const char *created, bool force,
                            assay_error *err)
{
    f->plan.run.created = created;
    return as_place_begin(run, force, &f->plan, err);
}

static void put(const char *run, const char *folder, const char *name)
{
    char *inside = as_path_join(run, folder), *path = as_path_join(inside, name);
    assert_int_equal(as_folder_make(inside, NULL), ASSAY_OK);
    assert_int_equal(as_file_write(path, name, strlen(name), NULL), ASSAY_OK);
    as_free(inside);
    as_free(path);
}

/* A run as one that ended leaves it, and a file that somebody else put there; or nothing. */
static void lay_out(fixture *f, const char *run, bool has_older)
{
    assert_int_equal(as_path_remove(run, NULL), ASSAY_OK);
    if (!has_older) return;
    assay_error err = {0};
    if (begin_run(f, run, "older", false, &err)) fail_msg("%s", err.message);
    put(run, "logs", "smoke-base.log");
    put(run, "outputs", "1.json");
    put(run, "plots", "batch.svg");
    put(run, ".", "report.md");
    put(run, ".", "evidence.db-journal");
    put(run, ".", "notes");
}

/* Begin a run over what is there, disturbed before step n. @return the status of its process. */
static int disturb(fixture *f, const char *run, bool force, int n)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        n_steps_left = n;
        assay_code code = begin_run(f, run, "new", force, NULL);
        _exit(n_steps_left > 0 ? 2 : code ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Whoever opens the folder next finds the new run whole: one who goes on, one who reports. */
static void assert_new_run(const char *run, const char *wanted, bool goes_on)
{
    assay_error err = {0};
    as_evidence *evidence;
    as_evidence_writer *writer = NULL;
    as_report *report = NULL;
    char *path = as_path_join(run, AS_EVIDENCE_FILE);
    assay_code code = goes_on ? as_evidence_continue(path, &writer, &err)
                              : as_report_open(run, &report, &err);
    if (code) fail_msg("%s", err.message);
    as_evidence_writer_close(writer, NULL);
    as_report_close(report);
    assert_tree(run, wanted);
    assert_int_equal(as_evidence_open(path, &evidence, NULL), ASSAY_OK);
    assert_string_equal(as_evidence_run(evidence)->created, "new");
    as_evidence_close(evidence);
    as_free(path);
}

/* One disturbance and what comes after it. @return whether the new run had begun. */
static bool look_after(fixture *f, const char *run, bool has_older, const char *older,
                       const char *new_run, int n)
{
    assay_error err = {0};
    char *now = tree_of(run);
    bool is_older = strcmp(now, older) == 0;
    as_free(now);
    if (is_older && has_older) {
        assert_int_equal(begin_run(f, run, "new", false, &err), ASSAY_E_ARGUMENT);
        assert_non_null(strstr(err.message, "holds a run; --force replaces it, --resume"));
        assert_tree(run, older);
    }
    if (!is_older) { /* without --force it is a run like any other */
        assert_int_equal(as_place_check(run, false, &err), ASSAY_E_ARGUMENT);
        assert_non_null(strstr(err.message, "holds a run; --force replaces it, --resume"));
    } else if (begin_run(f, run, "new", has_older, &err)) {
        fail_msg("%s", err.message);
    }
    assert_new_run(run, new_run, n % 2 == 0);
    assert_int_equal(as_place_check(run, true, NULL), ASSAY_OK);
    return !is_older;
}

/* Every step of a beginning, over an older run or in a new folder. */
static void disturb_each_step(fixture *f, disturbance what, bool has_older)
{
    char *run = as_path_join(f->folder, "run");
    int n_older = 0, n_new = 0, status = 0;
    f->plan.run.machine_json = "{}";
    what_happens = what;
    lay_out(f, run, has_older);
    char *older = tree_of(run);
    assert_int_equal(begin_run(f, run, "new", has_older, NULL), ASSAY_OK);
    char *new_run = tree_of(run);
    assert_string_not_equal(older, new_run);
    for (int n = 1;; n++) {
        lay_out(f, run, has_older);
        status = disturb(f, run, has_older, n);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2) break; /* it has fewer steps */
        assert_true(what == KILL ? WIFSIGNALED(status) : WIFEXITED(status));
        bool is_new = look_after(f, run, has_older, older, new_run, n);
        if (what == KILL && n_new > 0) assert_true(is_new);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) assert_true(is_new);
        n_new += is_new;
        n_older += !is_new;
    }
    print_message("%d steps ended in the older run, %d in the new one\n", n_older, n_new);
    assert_true(n_older > 5 && n_new > 5);
    as_free(older);
    as_free(new_run);
    as_free(run);
}

static void each_step_of(void **state, disturbance what)
{
    fixture *f = *state;
    begin(f, POLICIES("good=native", "again=native"), AS_ON_DIFFERENCE_STOP, 1);
    disturb_each_step(f, what, true);
    disturb_each_step(f, what, false);
}

static void a_kill_at_any_step_leaves_one_of_two_runs(void **state)
{
    each_step_of(state, KILL);
}

static void a_failure_of_any_step_leaves_one_of_two_runs(void **state)
{
    each_step_of(state, FAIL);
}

/* What a folder that has nothing but a beginning's remains holds is nothing; with anything else it is not. */
static void remains_of_a_beginning_count_as_nothing(void **state)
{
    fixture *f = *state;
    char *run = as_path_join(f->folder, "run");
    put(run, AS_TAKEOVER_BEGINNING, "evidence.db.part");
    assert_int_equal(as_place_check(run, false, NULL), ASSAY_OK);
    put(run, ".", "thesis");
    assert_int_equal(as_place_check(run, true, NULL), ASSAY_E_ARGUMENT);
    as_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_kill_at_any_step_leaves_one_of_two_runs),
        TEST(a_failure_of_any_step_leaves_one_of_two_runs),
        TEST(remains_of_a_beginning_count_as_nothing),
    };
    return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}
