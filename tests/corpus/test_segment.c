/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "corpus/segment.h"
#include "image/document.h"

static as_image render(const char *path, int page)
{
    as_document_limits limits = as_document_limits_defaults();
    as_document *document;
    as_trouble trouble;
    as_image image;
    assert_int_equal(as_document_open(path, &limits, &document, &trouble, NULL), ASSAY_OK);
    assert_int_equal(as_document_page(document, page, 200, &image, &trouble, NULL), ASSAY_OK);
    as_document_free(document);
    return image;
}

static as_rects segment(const as_image *image)
{
    as_rects regions;
    assert_int_equal(as_segment(image, &regions, NULL), ASSAY_OK);
    return regions;
}

static void fill(as_image *image, int x0, int y0, int x1, int y1)
{
    for (int y = y0; y < y1; y++)
        memset(image->bgr + (y * image->w + x0) * 3, 0, (size_t)(x1 - x0) * 3);
}

/* Bars of a word's size: a line of text from x0 to x1. */
static void draw_line(as_image *image, int x0, int x1, int y)
{
    for (int x = x0; x < x1; x += 48)
        for (int letter = 0; letter < 4; letter++) {
            int left = x + 10 * letter;
            if (left + 8 <= x1) fill(image, left, y, left + 8, y + 14);
        }
}

static void regions_lie_inside_the_page_and_miss_no_text(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int page;
    } cases[] = {{"../examples/two-column.pdf", 0},
                 {"../examples/two-column.pdf", 1},
                 {"../examples/chinese.pdf", 0},
                 {"../examples/form.pdf", 0},
                 {"../examples/form.pdf", 1}};
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_image page = render(cases[i].path, cases[i].page);
        as_rects regions = segment(&page);
        assert_true(regions.n >= 3);
        for (size_t k = 0; k < regions.n; k++) {
            as_rect r = regions.items[k];
            assert_true(r.x0 >= 0 && r.y0 >= 0 && r.x0 < r.x1 && r.y0 < r.y1);
            assert_true(r.x1 <= page.w && r.y1 <= page.h);
            for (int y = r.y0; y < r.y1; y++)
                memset(page.bgr + (y * page.w + r.x0) * 3, 255, (size_t)(r.x1 - r.x0) * 3);
        }
        size_t n_left = 0;
        for (int p = 0; p < page.w * (page.h - 150); p++) /* the page number stands below */
            n_left += page.bgr[3 * p] < 128;
        assert_int_equal(n_left, 0);
        as_rects_free(&regions);
        as_image_free(&page);
    }
}

static void columns_are_read_one_after_the_other(void **state)
{
    (void)state;
    as_image page = render("../examples/two-column.pdf", 0);
    as_rects regions = segment(&page);
    size_t first_right = regions.n;
    /* The title and the line below it go over both columns. */
    for (size_t i = 2; i < regions.n; i++) {
        as_rect r = regions.items[i];
        bool is_right = r.x0 > page.w / 2;
        assert_true(is_right || r.x1 < page.w / 2 + 20);
        if (is_right && first_right == regions.n) first_right = i;
        assert_int_equal(is_right, i >= first_right);
        if (i != 2 && i != first_right) assert_true(r.y0 >= regions.items[i - 1].y0);
    }
    assert_in_range(first_right, 10, regions.n - 10);
    as_rects_free(&regions);
    as_image_free(&page);
}

static void paragraphs_of_a_column_share_its_width(void **state)
{
    (void)state;
    as_image page = render("../examples/two-column.pdf", 0);
    as_rects regions = segment(&page);
    size_t n_of_four_lines = 0;
    for (size_t i = 0; i < regions.n; i++) {
        int w = regions.items[i].x1 - regions.items[i].x0;
        int h = regions.items[i].y1 - regions.items[i].y0;
        n_of_four_lines +=
            h >= 112 && h < 144 && w >= 656 && w < 688; /* 128x672 to the network */
    }
    assert_true(n_of_four_lines >= 16);
    as_rects_free(&regions);
    as_image_free(&page);
}

static void boxes_of_a_form_stand_alone_and_a_ruled_table_is_one(void **state)
{
    (void)state;
    as_image page = render("../examples/form.pdf", 0);
    as_rects regions = segment(&page);
    assert_int_equal(regions.n, 31);
    for (size_t i = 1; i < regions.n; i++)
        assert_in_range(regions.items[i].x1 - regions.items[i].x0, 434, 438); /* 150 points */
    as_rects_free(&regions);
    as_image_free(&page);
    page = render("../examples/form.pdf", 1);
    regions = segment(&page);
    assert_int_equal(regions.n, 3); /* caption, table, signature */
    assert_true(regions.items[1].y1 - regions.items[1].y0 > 800);
    as_rects_free(&regions);
    as_image_free(&page);
}

static void indents_and_short_lines_begin_paragraphs(void **state)
{
    (void)state;
    as_image page;
    assert_int_equal(as_image_init(&page, 800, 1000, NULL), ASSAY_OK);
    for (int i = 0; i < 12; i++)
        draw_line(&page, i == 4 ? 140 : 100, i == 8 ? 500 : 900, 100 + 30 * i);
    as_rects regions = segment(&page);
    assert_int_equal(regions.n, 3);
    assert_in_range(regions.items[1].y0, 100 + 30 * 3 + 14, 100 + 30 * 4);
    assert_in_range(regions.items[2].y0, 100 + 30 * 8 + 14, 100 + 30 * 9);
    as_rects_free(&regions);
    as_image_free(&page);
}

static void blank_and_tiny_pages_have_no_regions(void **state)
{
    (void)state;
    static const int sides[][2] = {{1, 1}, {2, 3000}, {3000, 2}, {40, 40}, {2339, 1654}};
    for (size_t i = 0; i < AS_COUNT_OF(sides); i++) {
        as_image page;
        assert_int_equal(as_image_init(&page, sides[i][0], sides[i][1], NULL), ASSAY_OK);
        as_rects regions = segment(&page);
        assert_int_equal(regions.n, 0);
        as_rects_free(&regions);
        as_image_free(&page);
    }
}

static void rules_specks_and_page_numbers_are_left_out(void **state)
{
    (void)state;
    as_image page;
    assert_int_equal(as_image_init(&page, 2000, 1400, NULL), ASSAY_OK);
    for (int i = 0; i < 6; i++)
        draw_line(&page, 100, 1300, 300 + 30 * i);
    fill(&page, 100, 200, 1300, 203);  /* a rule */
    fill(&page, 700, 1900, 708, 1914); /* a page number */
    fill(&page, 50, 1000, 52, 1002);   /* a speck */
    as_rects regions = segment(&page);
    assert_int_equal(regions.n, 1);
    assert_in_range(regions.items[0].y0, 203, 300);
    as_rects_free(&regions);
    as_image_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_lie_inside_the_page_and_miss_no_text),
        cmocka_unit_test(columns_are_read_one_after_the_other),
        cmocka_unit_test(paragraphs_of_a_column_share_its_width),
        cmocka_unit_test(boxes_of_a_form_stand_alone_and_a_ruled_table_is_one),
        cmocka_unit_test(indents_and_short_lines_begin_paragraphs),
        cmocka_unit_test(blank_and_tiny_pages_have_no_regions),
        cmocka_unit_test(rules_specks_and_page_numbers_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
