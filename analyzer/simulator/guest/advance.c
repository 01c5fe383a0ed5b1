/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#include "simulator/wire.h"

#define LAST_STREAM 2 /* standard error */

/* False when there is no room for it. */
static Bool advance_file_name(HChar name[VKI_PATH_MAX], const struct advance *advance, const HChar *file)
{
	if (VG_(strlen)(advance->directory) + VG_(strlen)(file) + 2 > VKI_PATH_MAX)
		return False;
	VG_(sprintf)(name, "%s/%s", advance->directory, file);
	return True;
}

/* Opened each time: no descriptor of ours is in the program's way. */
static void append(const struct advance *advance, const HChar *mark)
{
	HChar name[VKI_PATH_MAX];
	SysRes opened;

	if (!advance_file_name(name, advance, WIRE_PROGRESS))
		return;
	opened = VG_(open)(name, VKI_O_WRONLY | VKI_O_APPEND, 0);
	if (sr_isError(opened))
		return;
	VG_(write)((Int)sr_Res(opened), mark, 1);
	VG_(close)((Int)sr_Res(opened));
}

static Bool is_to_stop(const struct advance *advance)
{
	HChar name[VKI_PATH_MAX];
	struct vg_stat file;

	return advance_file_name(name, advance, WIRE_STOP) && !sr_isError(VG_(stat)(name, &file));
}

Bool advance_count(struct advance *advance, ULong *instructions)
{
	if (advance->limit && advance->steps * WIRE_PROGRESS_STEP + *instructions >= advance->limit)
		return True;
	if (*instructions < WIRE_PROGRESS_STEP)
		return False;
	for (; *instructions >= WIRE_PROGRESS_STEP; *instructions -= WIRE_PROGRESS_STEP) {
		append(advance, WIRE_PROGRESS_TICK);
		advance->steps++;
	}
	return is_to_stop(advance);
}

static Bool is_terminal(Int fd)
{
	struct vki_termios settings;

	return !sr_isError(VG_(do_syscall)(__NR_ioctl, (UWord)fd, VKI_TCGETS, (UWord)&settings, 0, 0, 0, 0, 0));
}

void advance_call(struct advance *advance, UInt number, const UWord *arguments)
{
	static const HChar wipe[] = "\r\033[K";
	HChar name[VKI_PATH_MAX];

	if (advance->has_written || (number != __NR_write && number != __NR_writev) ||
	    (Int)arguments[0] > LAST_STREAM || !is_terminal((Int)arguments[0]))
		return;
	advance->has_written = True;
	append(advance, WIRE_PROGRESS_OUTPUT);
	if (advance_file_name(name, advance, WIRE_SHOWN) && VG_(unlink)(name) == 0)
		VG_(write)(LAST_STREAM, wipe, sizeof(wipe) - 1);
}
