/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embedded.h - the databases that the program carries inside: events/ and models/ as they were when it was built. Each file is
 * compressed by itself, so that only what is asked for is unpacked. They are handed around by a name in place of a path,
 * "built-in:events/sapphirerapids.json", which also is what messages call them.
 */
#ifndef TOPDOWN_EMBEDDED_H
#define TOPDOWN_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

#define BUILT_IN "built-in:"

/* The name for "events/sapphirerapids.json"; NULL when there is no such file inside. */
const char *embedded_path(const char *file, struct arena *arena) MUST_CHECK;

/* Is it such a name? Of a file on disk that is called so, "./" before it makes a path. */
bool is_embedded(const char *path);

/*
 * A file of a database, on disk or inside: the content, terminated with '\0' behind *length bytes. NULL and "PATH: reason" when it
 * can't be read (base/file.h), is not inside, or is no longer what the build has put there.
 */
char *source_read(const char *path, size_t *length, struct arena *arena, struct error *err) MUST_CHECK;

#endif
