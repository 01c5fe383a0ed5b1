/* SPDX-License-Identifier: GPL-2.0-or-later */
/* embedded_files.h - the files inside the program, as embed.cmake puts them there when it is built. */
#ifndef TOPDOWN_EMBEDDED_FILES_H
#define TOPDOWN_EMBEDDED_FILES_H

#include <stddef.h>

struct embedded_file {
	const char *name;      /* "events/sapphirerapids.json" */
	size_t offset, packed; /* bytes of embedded_bytes: one member in gzip's format (RFC 1952) */
	size_t size;	       /* bytes of the file */
};

extern const struct embedded_file embedded_files[];
extern const size_t embedded_count;
extern const unsigned char embedded_bytes[];

#endif
