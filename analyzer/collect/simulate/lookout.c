/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/lookout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/system/loop.h"
#include "simulator/wire.h"

#define PART 4096 /* bytes that are read at once */

static int make_file(const char *path, struct error *err)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	close(fd);
	return 0;
}

int lookout_open(struct lookout *lookout, const struct simulation_listener *listener, const char *folder,
		 struct arena *arena, struct error *err)
{
	*lookout = (struct lookout){ .listener = listener, .began_s = clock_now() };
	if (!listener->so_far)
		return 0;
	lookout->progress = arena_printf(arena, "%s/" WIRE_PROGRESS, folder);
	lookout->shown = arena_printf(arena, "%s/" WIRE_SHOWN, folder);
	return make_file(lookout->progress, err);
}

/* Behind what was read before: a mark for each step, and for output. */
static void read_marks(struct lookout *lookout, struct simulated_so_far *now)
{
	int fd = open(lookout->progress, O_RDONLY | O_CLOEXEC);
	off_t read_before = (off_t)(lookout->last.instructions / WIRE_PROGRESS_STEP);
	char marks[PART];
	ssize_t length;

	while (fd >= 0 && (length = pread(fd, marks, sizeof(marks), read_before)) > 0) {
		now->is_taken |= memchr(marks, *WIRE_PROGRESS_OUTPUT, (size_t)length) != NULL;
		now->instructions += (double)length * WIRE_PROGRESS_STEP;
		read_before += length;
	}
	if (fd >= 0)
		close(fd);
}

/* Who removes the file owns the line: here it is wiped by the listener, else the program's process has done it. */
static bool take_back(struct lookout *lookout)
{
	bool is_ours = lookout->is_shown && unlink(lookout->shown) == 0;

	lookout->is_shown = false;
	return is_ours;
}

static void tell(struct lookout *lookout, struct simulated_so_far *now)
{
	struct error ignored = { .text = "" };
	bool was_shown = lookout->is_shown;

	if (!lookout->listener->has_line) {
		if (!now->is_idle)
			lookout->listener->so_far(lookout->listener->context, now);
		return;
	}
	if (now->is_taken || now->is_idle) {
		now->is_taken = was_shown && !take_back(lookout);
		if (was_shown)
			lookout->listener->so_far(lookout->listener->context, now);
		return;
	}
	lookout->is_shown = make_file(lookout->shown, &ignored) == 0;
	if (lookout->is_shown)
		lookout->listener->so_far(lookout->listener->context, now);
}

void lookout_report(struct lookout *lookout)
{
	struct simulated_so_far now = lookout->last;

	now.seconds = clock_now() - lookout->began_s;
	if (!lookout->progress || lookout->last.is_taken || now.seconds - lookout->last.seconds < LOOKOUT_PERIOD_S)
		return;
	read_marks(lookout, &now);
	now.is_taken &= lookout->listener->has_line;
	now.is_sampled = now.instructions >= lookout->head;
	now.is_idle = now.is_taken || now.instructions <= lookout->last.instructions;
	lookout->last = now;
	tell(lookout, &now);
}

void lookout_close(struct lookout *lookout)
{
	struct simulated_so_far now = lookout->last;

	if (!lookout->progress)
		return;
	now.is_idle = true;
	tell(lookout, &now);
	unlink(lookout->progress);
}
