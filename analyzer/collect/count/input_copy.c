/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define MOST_ROOM ((off_t)512 << 20)

off_t input_copy_usual_room(void)
{
	struct sysinfo info;
	off_t quarter;

	if (sysinfo(&info) < 0)
		return MOST_ROOM;
	quarter = (off_t)(info.freeram / 4 * info.mem_unit);
	return quarter < MOST_ROOM ? quarter : MOST_ROOM;
}

int input_copy_open(struct input_copy *kept, off_t room, struct error *err)
{
	*kept = (struct input_copy){ .file = -1, .room = room };
	kept->memory = memfd_create("topdown-stdin", MFD_CLOEXEC);
	if (kept->memory >= 0)
		return 0;
	return error_set(err, "stdin can't be kept for the next runs: %s", strerror(errno));
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void input_copy_close(struct input_copy *kept)
{
	close_one(&kept->memory);
	close_one(&kept->file);
}

static int open_in(const char *directory)
{
	char path[4096];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);

	if (fd >= 0 || errno == ENOENT || errno == EACCES)
		return fd;
	/* A file system without O_TMPFILE. */
	if (snprintf(path, sizeof(path), "%s/topdown-XXXXXX", directory) >= (int)sizeof(path))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int input_copy_open_file(void)
{
	const char *const directories[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < COUNT_OF(directories); i++)
		if (directories[i] && *directories[i])
			fd = open_in(directories[i]);
	return fd;
}

static ssize_t append(struct input_copy *kept, int pipe_end)
{
	bool is_memory = kept->length < kept->room;
	off_t offset = is_memory ? kept->length : kept->length - kept->room;
	size_t size =
		is_memory && kept->room - kept->length < KEPT_BLOCK ? (size_t)(kept->room - kept->length) : KEPT_BLOCK;

	if (!is_memory && kept->file < 0)
		kept->file = input_copy_open_file();
	return splice(pipe_end, NULL, is_memory ? kept->memory : kept->file, &offset, size, SPLICE_F_NONBLOCK);
}

ssize_t input_copy_take(struct input_copy *kept, int pipe_end)
{
	ssize_t taken = append(kept, pipe_end);

	/* Memory may end before the room for it does, as in a container. */
	if (taken < 0 && (errno == ENOSPC || errno == ENOMEM) && kept->length < kept->room) {
		kept->room = kept->length;
		taken = append(kept, pipe_end);
	}
	if (taken > 0)
		kept->length += taken;
	else if (taken < 0 && errno != EAGAIN && errno != EINTR)
		kept->failure = errno;
	return taken;
}

ssize_t input_copy_give(const struct input_copy *kept, off_t *position, int pipe_end)
{
	bool is_memory = *position < kept->room;
	off_t end = is_memory && kept->room < kept->length ? kept->room : kept->length;
	off_t offset = is_memory ? *position : *position - kept->room;
	size_t size = end - *position < KEPT_BLOCK ? (size_t)(end - *position) : KEPT_BLOCK;
	ssize_t given = splice(is_memory ? kept->memory : kept->file, &offset, pipe_end, NULL, size, SPLICE_F_NONBLOCK);

	if (given > 0)
		*position += given;
	return given;
}
