/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

enum { BAR_WIDTH = 24, REDRAW_NS = 100 * 1000 * 1000 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void as_progress_duration(double seconds, char *text, size_t room)
{
    long whole = seconds < 0 ? 0 : (long)(seconds + 0.5);
    if (whole < 60)
        snprintf(text, room, "%ld s", whole);
    else if (whole < 3600)
        snprintf(text, room, "%ld:%02ld", whole / 60, whole % 60);
    else
        snprintf(text, room, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

static void draw(as_progress *bar, size_t done, const char *detail, int64_t now)
{
    char picture[BAR_WIDTH + 1];
    size_t filled = bar->total ? (size_t)((double)done / (double)bar->total * BAR_WIDTH) : 0;
    if (filled > BAR_WIDTH) filled = BAR_WIDTH;
    memset(picture, ' ', BAR_WIDTH);
    memset(picture, '=', filled);
    if (filled > 0 && filled < BAR_WIDTH) picture[filled - 1] = '>';
    picture[BAR_WIDTH] = '\0';
    const char *behind = detail ? detail : "";
    if (bar->total == 0) {
        fprintf(stderr, "\r\033[K%s  %zu  %.40s", bar->what, done, behind);
        return;
    }
    char left[32] = "";
    if (done > 0 && done < bar->total) {
        double spent = (double)(now - bar->start_ns) / 1e9;
        char duration[24];
        as_progress_duration(spent / (double)done * (double)(bar->total - done), duration,
                             sizeof duration);
        snprintf(left, sizeof left, "  %s left", duration);
    }
    fprintf(stderr, "\r\033[K%s  [%s]  %zu/%zu  %.40s%s", bar->what, picture, done, bar->total,
            behind, left);
}

void as_progress_start(as_progress *bar, const struct as_cli *cli, const char *what,
                       size_t total)
{
    *bar = (as_progress){.what = what, .total = total, .start_ns = now_ns()};
    bar->is_drawn = cli && cli->has_terminal;
    as_progress_step(bar, 0, NULL);
}

void as_progress_step(as_progress *bar, size_t done, const char *detail)
{
    if (!bar->is_drawn) return;
    int64_t now = now_ns();
    if (bar->drawn_ns && now - bar->drawn_ns < REDRAW_NS && done < bar->total) return;
    bar->drawn_ns = now;
    draw(bar, done, detail, now);
}

void as_progress_end(as_progress *bar)
{
    if (bar->is_drawn) fputs("\r\033[K", stderr);
    bar->is_drawn = false;
}
