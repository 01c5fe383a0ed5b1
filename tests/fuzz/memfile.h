/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memfile.h - a file of given bytes that lives in memory, for readers that take a path. */
#ifndef TOPDOWN_FUZZ_MEMFILE_H
#define TOPDOWN_FUZZ_MEMFILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memfile {
	int fd;
	char path[32];
};

static inline void memfile_open(struct memfile *file, const void *data, size_t size)
{
	file->fd = memfd_create("input", MFD_CLOEXEC);
	if (file->fd < 0 || write(file->fd, data, size) != (ssize_t)size)
		abort();
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

static inline void memfile_close(struct memfile *file)
{
	close(file->fd);
}

#endif
