/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/tracepoint.h"

#include <asm/unistd.h>
#include <assert.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- names ---- */

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyz0123456789_-"

bool is_tracepoint_name(const char *text)
{
	size_t kind = strspn(text, NAME_CHARS), name;

	if (!kind || text[kind] != ':')
		return false;
	name = strspn(text + kind + 1, NAME_CHARS);
	return name && !text[kind + 1 + name];
}

/* All directories of the kind that fit, sorted; the number of them, or -1: there is no such kind that can be read. */
static int add_fitting(struct string *list, const char *kind, const char *glob, const char *sysroot)
{
	static const char *const places[] = { "tracing", "debug/tracing" };
	struct dirent **entries;
	int count = -1, fitting = 0;

	for (size_t i = 0; i < COUNT_OF(places) && count < 0; i++)
		count = scandir(arena_printf(list->arena, "%s/sys/kernel/%s/events/%s", sysroot ? sysroot : "",
					     places[i], kind),
				&entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (entries[i]->d_type != DT_REG && name[0] != '.' && fnmatch(glob, name, 0) == 0) {
			string_printf(list, "%s%s:%s", list->length ? "," : "", kind, name);
			fitting++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count < 0 ? -1 : fitting;
}

static int expand_one(struct string *list, const char *event, const char *sysroot, struct error *err)
{
	const char *colon = strchr(event, ':');
	int found;

	if (!colon || !strpbrk(colon, "*?[") || strspn(event, NAME_CHARS) != (size_t)(colon - event)) {
		string_printf(list, "%s%s", list->length ? "," : "", event);
		return 0;
	}
	found = add_fitting(list, arena_strndup(list->arena, event, (size_t)(colon - event)), colon + 1, sysroot);
	if (found < 0)
		return error_set(
			err,
			"%s: /sys/kernel/tracing/events can't be read, or has no such kind; as root, and after "
			"`mount -t tracefs none /sys/kernel/tracing`, it can",
			event);
	return found ? 0 : error_set(err, "%s: no tracepoint of this kernel fits", event);
}

const char *tracepoints_expand(const char *events, const char *sysroot, struct arena *arena, struct error *err)
{
	struct string list = STRING_INIT(arena);
	const char *part;
	size_t length;

	while ((length = text_next(&events, ",", &part)) > 0)
		if (expand_one(&list, arena_strndup(arena, part, length), sysroot, err) < 0)
			return NULL;
	return list.text;
}
