/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/tracepoint.h"

#include <asm/unistd.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/identify/sysfile.h"

/* The build lists what the kernel's headers have: NAME(read) NAME(write) ... */
static const char *const names[] = {
#define NAME(call) [__NR_##call] = #call,
#include "system_call_names.inc"
#undef NAME
};
static_assert(COUNT_OF(names) <= MOST_SYSTEM_CALLS, "MOST_SYSTEM_CALLS");

const char *system_call_name(uint64_t number)
{
	return number < COUNT_OF(names) ? names[number] : NULL;
}

bool system_call_number(uint64_t *number, const char *name)
{
	for (*number = 0; *number < COUNT_OF(names); ++*number)
		if (names[*number] && !strcmp(names[*number], name))
			return true;
	return false;
}

const char *near_system_calls(const char *typed, struct arena *arena)
{
	const char **known = arena_array(arena, COUNT_OF(names), sizeof(*known));
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i])
			known[count++] = names[i];
	return nearest_names(arena, typed, known, count);
}

bool tracepoint_field(size_t *offset, const char *sysroot, const char *name, const char *field, struct arena *arena)
{
	const struct sysfiles files = sysfiles_below(sysroot, arena);
	const char *format = sysfile_read(&files, "sys/kernel/tracing/events/%s/format", name), *found;

	format = format ? format : sysfile_read(&files, "sys/kernel/debug/tracing/events/%s/format", name);
	found = format ? strstr(format, arena_printf(arena, "field:%s;", field)) : NULL;
	found = found ? strstr(found, "offset:") : NULL;
	return found && sscanf(found, "offset:%zu", offset) == 1;
}

int tracepoint_identify(uint64_t *number, const char *sysroot, const char *name, struct arena *arena, struct error *err)
{
	const struct sysfiles files = sysfiles_below(sysroot, arena);

	/* Before Linux 4.1 it was below debugfs only, and there it still is where that is mounted. */
	if (sysfile_u64(&files, number, "sys/kernel/tracing/events/%s/id", name) ||
	    sysfile_u64(&files, number, "sys/kernel/debug/tracing/events/%s/id", name))
		return 0;
	return error_set(err,
			 "/sys/kernel/tracing/events/%s/id can't be read: as root, and after "
			 "`mount -t tracefs none /sys/kernel/tracing`, it can",
			 name);
}
