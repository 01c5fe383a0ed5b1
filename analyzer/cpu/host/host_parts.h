/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_parts.h - what a snapshot is made of. */
#ifndef TOPDOWN_CPU_HOST_HOST_PARTS_H
#define TOPDOWN_CPU_HOST_HOST_PARTS_H

#include "cpu/host/host_snapshot.h"

/* The next line of text, which moves on behind it; it goes on to the text's end. NULL: none is left, or no text. */
const char *host_line(const char **text);

/* Up to count numbers between blanks; returns the number that it found. */
size_t host_numbers(const char *text, double *numbers, size_t count);

void host_read_disks(struct host_snapshot *snapshot, const struct sysfiles *files);
void host_read_links(struct host_snapshot *snapshot, const struct sysfiles *files);

#endif
