/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

bool as_proc_read(const char *root, const char *path, as_proc_text *out)
{
    size_t have = 0;
    out->text[0] = '\0';
    char *whole = as_path_join(root, path);
    if (!whole) return false;
    int fd = open(whole, O_RDONLY | O_CLOEXEC);
    as_free(whole);
    if (fd < 0) return false;
    ssize_t got = 1;
    while (got > 0 && have < sizeof out->text - 1) {
        got = read(fd, out->text + have, sizeof out->text - 1 - have);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            have += (size_t)got;
    }
    close(fd);
    out->text[have] = '\0';
    return got >= 0;
}

int64_t as_proc_field(const as_proc_text *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text->text; *line;) {
        if (strncmp(line, name, length) == 0) {
            char *end;
            long long value = strtoll(line + length, &end, 10);
            return end == line + length ? -1 : (int64_t)value;
        }
        const char *next = strchr(line, '\n');
        if (!next) break;
        line = next + 1;
    }
    return -1;
}

bool as_proc_line(const char *root, const char *path, char *line, size_t room)
{
    as_proc_text text;
    bool is_read = as_proc_read(root, path, &text);
    size_t length = strcspn(text.text, "\n");
    if (length >= room) length = room - 1;
    memcpy(line, text.text, length);
    line[length] = '\0';
    return is_read;
}
