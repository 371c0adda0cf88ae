/* SPDX-License-Identifier: Apache-2.0 */
/* Writers that are stopped, files of others, bits that flip: whole slots, or one sentence. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "planned.h"

#include <sqlite3.h>

#include "base/memory.h"
#include "evidence/pages.h"
#include "old_schema.h"

static void a_slot_that_cannot_be_stored_leaves_nothing(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    as_slot_record record = make_slot(AS_PHASE_SMOKE, 0, 0);
    as_slot_answer bad[] = {{0, 0, boxes, 3, NULL}, {0, 99, boxes, 1, NULL}};
    record.answers = bad;
    record.n_answers = 2;
    assay_error err = {0};
    assert_int_equal(as_evidence_add_slot(writer, &record, &err), ASSAY_E_IO);
    add_slot(writer, AS_PHASE_SMOKE, 0, 1);
    as_evidence_writer_close(writer, NULL);
    as_evidence *e = open_reader(p->path);
    TABLE(slots, as_slot_row);
    TABLE(samples, as_sample_row);
    assert_int_equal(n_slots, 1);
    assert_int_equal(slots_read[0].policy, 1);
    assert_int_equal(n_samples, 2);
    as_evidence_close(e);
}

static void a_slot_is_stored_once(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_FORMAL, 0, 0);
    as_slot_record again = make_slot(AS_PHASE_FORMAL, 0, 0);
    assert_int_equal(as_evidence_add_slot(writer, &again, NULL), ASSAY_E_IO);
    as_evidence_writer_close(writer, NULL);
}

static void no_file_stays_beside_the_database(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    as_evidence_close(open_reader(p->path));
    as_names names;
    assert_int_equal(as_folder_list(p->folder, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.items[0], AS_EVIDENCE_FILE);
    as_names_free(&names);
}

static void a_reader_sees_whole_slots_while_a_writer_goes_on(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence *e = open_reader(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 1);
    TABLE(slots, as_slot_row);
    TABLE(samples, as_sample_row);
    TABLE(answers, as_answer_row);
    assert_int_equal(n_slots, 1);
    assert_int_equal(n_samples, 2);
    assert_int_equal(n_answers, 4);
    as_evidence_close(e);
    as_evidence_writer_close(writer, NULL);
}

static void a_second_writer_is_refused(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path), *second;
    assay_error err = {0};
    assert_int_equal(as_evidence_continue(p->path, &second, &err), ASSAY_E_IO);
    assert_non_null(strstr(err.message, "another process"));
    as_evidence_plan plan = make_plan();
    assert_int_equal(as_evidence_create(p->path, &plan, &second, &err), ASSAY_E_ARGUMENT);
    as_evidence_writer_close(writer, NULL);
    assert_int_equal(as_evidence_continue(p->path, &second, &err), ASSAY_OK);
    as_evidence_writer_close(second, NULL);
}

static void foreign_old_and_broken_files_get_one_sentence(void **state)
{
    place *p = *state;
    assert_error(p->path, ASSAY_E_NOT_FOUND, "does not exist");
    assert_error(p->folder, ASSAY_E_FORMAT, "is a folder");
    as_file_write(p->path, "", 0, NULL);
    assert_error(p->path, ASSAY_E_FORMAT, "not assay's evidence");
    char words[4096];
    memset(words, 'x', sizeof words);
    as_file_write(p->path, words, sizeof words, NULL);
    assert_error(p->path, ASSAY_E_FORMAT, "is no SQLite database");

    assert_int_equal(as_path_remove(p->path, NULL), ASSAY_OK);
    as_evidence_writer_close(create(p->path), NULL);
    sqlite3 *database;
    assert_int_equal(as_pages_open(p->path, SQLITE_OPEN_READWRITE, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 77", 0, 0, 0), SQLITE_OK);
    as_pages_close(database);
    assert_error(p->path, ASSAY_E_FORMAT, "schema 77");
}

static void evidence_of_schema_1_is_read_with_what_it_lacks_absent(void **state)
{
    place *p = *state;
    write_old_schema(p->path);
    as_evidence *e = open_reader(p->path);
    const as_run_row *run = as_evidence_run(e);
    assert_int_equal(run->schema_version, 1);
    assert_int_equal(run->n_rounds, 2);
    assert_true(run->corpus_calls == -1 && run->corpus_inputs == -1);
    TABLE(slots, as_slot_row);
    assert_int_equal(n_slots, 4);
    TABLE(samples, as_sample_row);
    assert_int_equal(n_samples, 12);
    assert_true(samples_read[7].forward_ns == 20361600);
    TABLE(answers, as_answer_row);
    assert_int_equal(n_answers, 84);
    TABLE(box_sets, as_box_set_row);
    assert_int_equal(box_sets_read[answers_read[83].box_set].n, 20 % 4);
    as_evidence_close(e);
}

static void a_run_of_schema_1_is_not_gone_on_with(void **state)
{
    place *p = *state;
    assay_error err = {0};
    as_evidence_writer *writer;
    write_old_schema(p->path);
    assert_int_equal(as_evidence_continue(p->path, &writer, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "'assay summarize' reads it"));
}

static void a_truncated_database_is_refused(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    as_bytes all;
    assert_int_equal(as_file_read(p->path, 0, &all, NULL), ASSAY_OK);
    size_t cuts[] = {50, 4096, all.size / 2};
    for (size_t i = 0; i < 3; i++) {
        as_file_write(p->path, all.data, cuts[i], NULL);
        as_evidence *e = NULL;
        const as_answer_row *rows;
        size_t n;
        assay_error err = {0};
        assay_code code = as_evidence_open(p->path, &e, &err);
        if (!code) code = as_evidence_answers(e, &rows, &n, &err);
        if (code != ASSAY_E_FORMAT) fail_msg("%zu bytes: %s", cuts[i], err.message);
        as_evidence_close(e);
    }
    as_bytes_free(&all);
}

static void a_value_that_cannot_be_is_refused(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    sqlite3 *database;
    assert_int_equal(as_pages_open(p->path, SQLITE_OPEN_READWRITE, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database,
                                  "UPDATE answers SET box_set = 99 WHERE id = 1;"
                                  "UPDATE calls SET inputs = '[0]' WHERE id = 0;"
                                  "UPDATE slots SET state = 'nice';"
                                  "UPDATE samples SET forward_ns = -2;"
                                  "UPDATE orders SET round = 2147483647 WHERE id = 0",
                                  0, 0, 0),
                     SQLITE_OK);
    as_pages_close(database);
    as_evidence *e = open_reader(p->path);
    assay_error err = {0};
    const as_answer_row *answer_rows;
    const as_call_row *call_rows;
    const as_slot_row *slot_rows;
    const as_sample_row *sample_rows;
    const as_order_row *order_rows;
    size_t n;
    assert_int_equal(as_evidence_samples(e, &sample_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "samples.forward_ns"));
    assert_int_equal(as_evidence_orders(e, &order_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "orders.round"));
    assert_int_equal(as_evidence_answers(e, &answer_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "answers.box_set"));
    assert_int_equal(as_evidence_calls(e, &call_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "calls.inputs"));
    assert_int_equal(as_evidence_slots(e, &slot_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "'nice'"));
    as_evidence_close(e);
}

/* Whether everything of the database can be read. */
static assay_code read_all(const char *path, assay_error *err)
{
    as_evidence *e;
    const as_sample_row *sample_rows;
    const as_box_set_row *set_rows;
    size_t n;
    assay_code code = as_evidence_open(path, &e, err);
    if (!code) code = as_evidence_samples(e, &sample_rows, &n, err);
    if (!code) code = as_evidence_box_sets(e, &set_rows, &n, err);
    as_evidence_close(e);
    return code;
}

/* Flip a bit of the file where it lies. */
static void flip(const char *path, size_t bit)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    int byte = getc(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    putc(byte ^ 1 << bit % 8, file);
    assert_int_equal(fclose(file), 0);
}

static void one_flipped_bit_anywhere_is_told(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    as_bytes all;
    assert_int_equal(as_file_read(p->path, 0, &all, NULL), ASSAY_OK);
    size_t n_bits = all.size * 8;
    as_bytes_free(&all);
    assert_true(n_bits > (size_t)20 * 8 * AS_PAGE_BYTES);
    /* Every bit of SQLite's header, then bits all over the file: a prime step meets every page. */
    for (size_t bit = 0; bit < n_bits; bit += bit < 800 ? 1 : 1009) {
        assay_error err = {0};
        flip(p->path, bit);
        assay_code code = read_all(p->path, &err);
        if (code != ASSAY_E_FORMAT && code != ASSAY_E_IO)
            fail_msg("bit %zu of byte %zu: code %d, '%s'", bit % 8, bit / 8, code, err.message);
        flip(p->path, bit);
    }
    assert_int_equal(read_all(p->path, NULL), ASSAY_OK);
    flip(p->path, (size_t)8 * (5 * AS_PAGE_BYTES + 17));
    assert_error(p->path, ASSAY_E_FORMAT, "is damaged: page 6 of ");
}

static void what_another_program_writes_is_told(void **state)
{
    place *p = *state;
    as_evidence_writer_close(create(p->path), NULL);
    sqlite3 *database;
    assert_int_equal(sqlite3_open(p->path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "UPDATE run SET seed = 7", 0, 0, 0), SQLITE_OK);
    sqlite3_close(database);
    assert_error(p->path, ASSAY_E_FORMAT, "is damaged: page ");
    assay_error err = {0};
    as_evidence_writer *writer;
    assert_int_equal(as_evidence_continue(p->path, &writer, &err), ASSAY_E_FORMAT);
}

/* Adds slots as fast as it can until it is killed. */
static void write_for_ever(const char *path)
{
    as_evidence_writer *writer;
    if (as_evidence_continue(path, &writer, NULL)) _exit(1);
    for (int round = 0;; round++)
        for (int policy = 0; policy < 2; policy++) {
            as_slot_record record = make_slot(AS_PHASE_FORMAL, getpid() * 1000 + round, policy);
            if (as_evidence_add_slot(writer, &record, NULL)) _exit(1);
        }
}

static void a_killed_writer_leaves_whole_slots_only(void **state)
{
    place *p = *state;
    as_evidence_writer_close(create(p->path), NULL);
    size_t n_before = 0;
    for (int kill_at = 0; kill_at < 8; kill_at++) {
        pid_t child = fork();
        if (child == 0) write_for_ever(p->path);
        struct timespec wait = {0, (20 + 7 * kill_at) * 1000000L};
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        as_evidence_writer *writer;
        assert_int_equal(as_evidence_continue(p->path, &writer, NULL), ASSAY_OK);
        assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
        as_evidence *e = open_reader(p->path);
        TABLE(slots, as_slot_row);
        TABLE(samples, as_sample_row);
        TABLE(answers, as_answer_row);
        TABLE(memory, as_memory_row);
        assert_int_equal(n_samples, 2 * n_slots);
        assert_int_equal(n_answers, 4 * n_slots);
        assert_int_equal(n_memory, 2 * n_slots);
        assert_true(n_slots >= n_before);
        n_before = n_slots;
        as_evidence_close(e);
    }
}

static void reading_without_memory_fails_cleanly(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    assay_code code = ASSAY_E_MEMORY;
    size_t n_failed = 0;
    for (size_t at = 1; code && at < 1000; at++) {
        as_evidence *e = NULL;
        const as_box_set_row *rows;
        const as_sample_row *sample_rows;
        size_t n;
        as_memory_fail_at(at);
        code = as_evidence_open(p->path, &e, NULL);
        if (!code) code = as_evidence_box_sets(e, &rows, &n, NULL);
        if (!code) code = as_evidence_samples(e, &sample_rows, &n, NULL);
        as_memory_fail_at(0);
        as_evidence_close(e);
        n_failed += code != ASSAY_OK;
    }
    assert_int_equal(code, ASSAY_OK);
    assert_true(n_failed >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_slot_that_cannot_be_stored_leaves_nothing),
        TEST(a_slot_is_stored_once),
        TEST(no_file_stays_beside_the_database),
        TEST(a_reader_sees_whole_slots_while_a_writer_goes_on),
        TEST(a_second_writer_is_refused),
        TEST(foreign_old_and_broken_files_get_one_sentence),
        TEST(evidence_of_schema_1_is_read_with_what_it_lacks_absent),
        TEST(a_run_of_schema_1_is_not_gone_on_with),
        TEST(a_truncated_database_is_refused),
        TEST(a_value_that_cannot_be_is_refused),
        TEST(one_flipped_bit_anywhere_is_told),
        TEST(what_another_program_writes_is_told),
        TEST(a_killed_writer_leaves_whole_slots_only),
        TEST(reading_without_memory_fails_cleanly),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
