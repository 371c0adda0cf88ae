/* SPDX-License-Identifier: Apache-2.0 */
#include "image/passwords.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { FILE_BYTES_MOST = 64 << 10 };

/* At most room - 1 bytes of a file or pipe; *n is the room when there are more. */
static assay_code read_some(const char *path, char *text, size_t room, size_t *n,
                            assay_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return as_file_open_failed(path, err);
    ssize_t got = 1;
    for (*n = 0; *n < room && got != 0;) {
        got = read(fd, text + *n, room - *n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        *n += (size_t)got;
    }
    int why = errno;
    close(fd);
    if (got >= 0) return ASSAY_OK;
    return as_fail(err, ASSAY_E_IO, "%s cannot be read: %s", path, strerror(why));
}

/* Keep each line that is not empty; `text` has a zero behind its end and is written to. */
static bool take_lines(char *text, as_passwords *out)
{
    size_t room = 0;
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        size_t n = strlen(line);
        if (n > 0 && line[n - 1] == '\r') line[n - 1] = '\0';
        if (line[0] == '\0') continue;
        char **items = as_grow(out->items, out->n, &room, sizeof *items);
        if (!items) return false;
        out->items = items;
        out->items[out->n] = as_strdup(line);
        if (!out->items[out->n]) return false;
        out->n++;
    }
    return true;
}

assay_code as_passwords_read(const char *path, as_passwords *out, assay_error *err)
{
    char text[FILE_BYTES_MOST + 1];
    size_t n = 0;
    *out = (as_passwords){0};
    assay_code code = read_some(path, text, sizeof text, &n, err);
    if (!code && n == sizeof text)
        code = as_fail(err, ASSAY_E_FORMAT, "%s has more than %d bytes, it holds no passwords",
                       path, FILE_BYTES_MOST);
    if (!code && memchr(text, '\0', n))
        code = as_fail(err, ASSAY_E_FORMAT, "%s has a zero byte, passwords are lines of text",
                       path);
    if (!code) {
        text[n] = '\0';
        if (!take_lines(text, out))
            code = as_fail(err, ASSAY_E_MEMORY, "no memory for the passwords of %s", path);
        else if (out->n == 0)
            code =
                as_fail(err, ASSAY_E_FORMAT, "%s has no password, one a line is needed", path);
    }
    explicit_bzero(text, sizeof text);
    if (code) as_passwords_free(out);
    return code;
}

void as_passwords_free(as_passwords *passwords)
{
    for (size_t i = 0; i < passwords->n; i++) {
        explicit_bzero(passwords->items[i], strlen(passwords->items[i]));
        as_free(passwords->items[i]);
    }
    as_free(passwords->items);
    *passwords = (as_passwords){0};
}
