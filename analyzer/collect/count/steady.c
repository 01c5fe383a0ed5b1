/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/steady.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "common/system/output_file.h"
#include "common/system/state_file.h"
#include "cpu/identify/sysfile.h"

#define RECORD	 "topdown-steady"
#define CPU	 "sys/devices/system/cpu/"
#define POLICIES CPU "cpufreq"

static const char *const kind_names[STEADY_KINDS] = {
	[STEADY_PIN] = "pin", [STEADY_GOVERNOR] = "governor", [STEADY_TURBO] = "turbo",
	[STEADY_SMT] = "smt", [STEADY_ASLR] = "aslr",
};

const char *steady_word(enum steady_kind kind)
{
	return kind_names[kind];
}

int steady_parse(struct steady_wish *wish, const char *text, struct error *err)
{
	const char *rest = text, *part;
	size_t length;

	*wish = (struct steady_wish){ .wants = { false } };
	while ((length = text_next(&rest, ",", &part)) > 0) {
		size_t kind = 0;

		while (kind < STEADY_KINDS &&
		       (strlen(kind_names[kind]) != length || memcmp(kind_names[kind], part, length) != 0))
			kind++;
		if (kind == STEADY_KINDS)
			return error_set(err, "{steady}=%s: '%.*s' is none of pin, governor, turbo, smt and aslr", text,
					 (int)length, part);
		wish->wants[kind] = true;
	}
	return *text ? 0 : error_set(err, "{steady}=: it names some of pin, governor, turbo, smt and aslr");
}

/* ---- files ---- */

static const char *path_of(const struct steady *steady, const char *name)
{
	return arena_printf(steady->arena, "%s/%s", steady->sysroot, name);
}

static bool steady_write_text(const char *path, const char *text)
{
	char line[40];
	int length = snprintf(line, sizeof(line), "%s\n", text), fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, line, (size_t)length) == length;

	if (fd >= 0)
		close(fd);
	return is_written;
}

/* ---- what is to be changed ---- */

/* A setting that the machine may have, and the value that makes it steady. */
static void steady_add(struct steady *steady, enum steady_kind kind, const char *name, const char *wanted)
{
	const struct sysfiles files = sysfiles_below(steady->sysroot, steady->arena);
	const char *before = sysfile_read(&files, "%s", name);
	struct steady_change *change = &steady->changes[steady->count];

	if (!before || !strcmp(before, wanted))
		return;
	*change = (struct steady_change){ .kind = kind, .name = name };
	snprintf(change->before, sizeof(change->before), "%s", before);
	snprintf(change->wanted, sizeof(change->wanted), "%s", wanted);
	steady->count++;
}

static int add_governors(struct steady *steady, struct error *err)
{
	const struct sysfiles files = sysfiles_below(steady->sysroot, steady->arena);
	const char **policies, *known;
	size_t count = sysfile_list(&files, POLICIES, &policies), found = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = arena_printf(steady->arena, POLICIES "/%s/scaling_governor", policies[i]);

		if (!has_name_prefix(policies[i], "policy") || !sysfile_read(&files, "%s", name))
			continue;
		known = sysfile_read(&files, POLICIES "/%s/scaling_available_governors", policies[i]);
		if (known && !has_word(known, " ", "performance"))
			return error_set(err,
					 "{steady}=governor: the kernel has no governor 'performance' for %s, but %s",
					 policies[i], known);
		found++;
		steady_add(steady, STEADY_GOVERNOR, name, "performance");
	}
	return found ? 0
		     : error_set(err,
				 "{steady}=governor: this kernel has no clock governor (no /" POLICIES "/policy*): the "
				 "firmware or the host of a virtual machine chooses the clock");
}

static int add_turbo(struct steady *steady, struct error *err)
{
	const struct sysfiles files = sysfiles_below(steady->sysroot, steady->arena);

	if (sysfile_read(&files, CPU "intel_pstate/no_turbo"))
		steady_add(steady, STEADY_TURBO, CPU "intel_pstate/no_turbo", "1");
	else if (sysfile_read(&files, CPU "cpufreq/boost"))
		steady_add(steady, STEADY_TURBO, CPU "cpufreq/boost", "0");
	else
		return error_set(
			err, "{steady}=turbo: this kernel has no switch for turbo (neither intel_pstate/no_turbo nor "
			     "cpufreq/boost below /" CPU "): the firmware's settings may have one");
	return 0;
}

/* Off in another way, or not there at all, it is no source of noise. */
static int add_smt(struct steady *steady, struct error *err)
{
	const struct sysfiles files = sysfiles_below(steady->sysroot, steady->arena);
	const char *control = sysfile_read(&files, CPU "smt/control");

	if (!control)
		return error_set(err, "{steady}=smt: this kernel has no switch for SMT (no /" CPU "smt/control)");
	if (!strcmp(control, "on"))
		steady_add(steady, STEADY_SMT, CPU "smt/control", "off");
	return 0;
}

/* SMT last: it takes CPUs away, with their other settings. Restored in the opposite order. */
static int find_changes(struct steady *steady, const struct steady_wish *wish, struct error *err)
{
	const struct sysfiles files = sysfiles_below(steady->sysroot, steady->arena);
	const char **policies;

	steady->changes =
		arena_array(steady->arena, sysfile_list(&files, POLICIES, &policies) + 2, sizeof(*steady->changes));
	if (wish->wants[STEADY_GOVERNOR] && add_governors(steady, err) < 0)
		return -1;
	if (wish->wants[STEADY_TURBO] && add_turbo(steady, err) < 0)
		return -1;
	return wish->wants[STEADY_SMT] ? add_smt(steady, err) : 0;
}

static int check_rights(const struct steady *steady, struct error *err)
{
	for (size_t i = 0; i < steady->count; i++) {
		const struct steady_change *change = &steady->changes[i];

		if (access(path_of(steady, change->name), W_OK) < 0)
			return error_set(
				err, "{steady}=%s: /%s can't be changed: %s; run topdown as root, or leave %s out",
				kind_names[change->kind], change->name, strerror(errno), kind_names[change->kind]);
	}
	return 0;
}

/* ---- the record: who has changed what, for the next topdown ---- */

static const char *record_path(const char *sysroot, struct arena *arena)
{
	if (*sysroot || geteuid() == 0)
		return arena_printf(arena, "%s/run/" RECORD, sysroot);
	return state_path(RECORD, arena);
}

/* Field 22 of /proc/PID/stat: no other process with this number began then. "" when there is none. */
static const char *start_of(long pid, struct arena *arena)
{
	const struct sysfiles files = sysfiles_below("", arena);
	const char *text = sysfile_read(&files, "proc/%ld/stat", pid), *rest = text ? strrchr(text, ')') : NULL,
		   *part = "";
	size_t length = 0;

	for (int field = 2; rest && field <= 22; field++)
		length = text_next(&rest, " ", &part);
	return arena_strndup(arena, part, length);
}

static int write_record(FILE *stream, const void *what, struct error *err UNUSED)
{
	const struct steady *steady = what;

	fprintf(stream, RECORD " %ld %s\n", (long)getpid(), start_of((long)getpid(), steady->arena));
	for (size_t i = 0; i < steady->count; i++)
		fprintf(stream, "%s %s\n", steady->changes[i].name, steady->changes[i].before);
	return 0;
}

/* /run is root's, where nobody else can plant a link. */
static int make_record(const struct steady *steady, struct error *err)
{
	struct output_file file;

	if (!*steady->sysroot && geteuid() != 0)
		return state_replace(RECORD, write_record, steady, err);
	if (output_file_open(&file, steady->record, OUTPUT_PRIVATE, err) == 0 &&
	    output_file_end(&file, write_record(file.stream, steady, err), err) == 0)
		return 0;
	return error_in(err, "{steady}: the next topdown would restore the machine by this file");
}

/* Only files that topdown changes, and plain words: whoever wrote it, it can do no more harm than --steady. */
static bool steady_is_known(const char *name, const char *value)
{
	static const char *const names[] = { POLICIES "/policy*/scaling_governor", CPU "intel_pstate/no_turbo",
					     CPU "cpufreq/boost", CPU "smt/control" };
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

	if (!*value || value[strspn(value, plain)])
		return false;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (fnmatch(names[i], name, FNM_PATHNAME) == 0)
			return true;
	return false;
}

static void read_changes(struct steady *steady, const char *text)
{
	const char *line, *rest = text;
	size_t length;

	steady->changes = arena_array(steady->arena, strlen(text) + 1, sizeof(*steady->changes));
	while ((length = text_next(&rest, "\n", &line)) > 0) {
		const char *blank = memchr(line, ' ', length);
		struct steady_change *change = &steady->changes[steady->count];

		if (!blank || length - (size_t)(blank - line) > sizeof(change->before))
			continue;
		change->name = arena_strndup(steady->arena, line, (size_t)(blank - line));
		snprintf(change->before, sizeof(change->before), "%.*s", (int)(length - (size_t)(blank - line) - 1),
			 blank + 1);
		steady->count += steady_is_known(change->name, change->before);
	}
}

/* ---- restoring ---- */

/* In the guard, or in the next topdown. */
static bool restore(const void *what)
{
	const struct steady *steady = what;
	bool is_done = true;

	for (size_t i = steady->count; i > 0; i--)
		is_done &=
			steady_write_text(path_of(steady, steady->changes[i - 1].name), steady->changes[i - 1].before);
	if (is_done)
		unlink(steady->record);
	return is_done;
}

static int change_all(struct steady *steady, struct error *err)
{
	const struct sysfiles files = sysfiles_below(steady->sysroot, steady->arena);

	for (size_t i = 0; i < steady->count; i++) {
		const struct steady_change *change = &steady->changes[i];
		const char *name = kind_names[change->kind], *after;

		if (!steady_write_text(path_of(steady, change->name), change->wanted))
			return error_set(err, "{steady}=%s: the kernel refuses '%s' in /%s: %s", name, change->wanted,
					 change->name, strerror(errno));
		after = sysfile_read(&files, "%s", change->name);
		if (!after || strcmp(after, change->wanted) != 0)
			return error_set(err, "{steady}=%s: the kernel keeps /%s at '%s'", name, change->name,
					 after ? after : "-");
	}
	return 0;
}

/* A record whose topdown still runs. */
static bool is_owned(const char *record, struct arena *arena)
{
	long pid = 0;
	char start[32] = "";

	return record && sscanf(record, RECORD " %ld %31s", &pid, start) == 2 && !strcmp(start_of(pid, arena), start);
}

static const char *read_record(const char *path, struct arena *arena)
{
	const struct sysfiles here = { .root = "", .arena = arena };

	return path ? sysfile_read(&here, "%s", path + strspn(path, "/")) : NULL;
}

static int check_record(const struct steady *steady, struct error *err)
{
	if (!steady->record)
		return error_set(err,
				 "{steady}: there is no home directory in which to note how to restore the machine");
	if (is_owned(read_record(steady->record, steady->arena), steady->arena))
		return error_set(
			err,
			"{steady}: another topdown has changed the machine for its own measurement, and restores "
			"it at its end (%s)",
			steady->record);
	return 0;
}

int steady_begin(struct steady *steady, const struct steady_wish *wish, const char *sysroot, struct arena *arena,
		 struct error *err)
{
	struct error again = { .text = "" };

	*steady = (struct steady){ .sysroot = sysroot, .arena = arena };
	steady->record = record_path(sysroot, arena);
	if (!wish->wants[STEADY_GOVERNOR] && !wish->wants[STEADY_TURBO] && !wish->wants[STEADY_SMT])
		return 0;
	if (check_record(steady, err) < 0 || find_changes(steady, wish, err) < 0 || check_rights(steady, err) < 0) {
		steady->count = 0;
		return -1;
	}
	if (!steady->count)
		return 0;
	if (make_record(steady, err) < 0 || setting_guard(&steady->guard, restore, steady, err) < 0) {
		unlink(steady->record);
		steady->count = 0;
		return -1;
	}
	if (change_all(steady, err) == 0)
		return 0;
	return steady_end(steady, &again) < 0 ? error_set(err, "%s", again.text) : -1;
}

int steady_end(struct steady *steady, struct error *err)
{
	bool is_done = !steady->count || setting_restore(&steady->guard) || restore(steady);

	steady->count = 0;
	return is_done ? 0
		       : error_set(err, "{steady}: not all settings could be restored; %s has what they were",
				   steady->record);
}

int steady_recover(const char *sysroot, struct arena *arena, struct error *err)
{
	struct steady left = { .sysroot = sysroot, .arena = arena, .record = record_path(sysroot, arena) };
	const char *text = read_record(left.record, arena);

	if (!text || is_owned(text, arena))
		return 0;
	read_changes(&left, text);
	if (restore(&left))
		return (int)left.count;
	return error_set(err,
			 "an earlier topdown was killed while {steady} was on, and not all of it can be restored: %s "
			 "has what the settings were; run topdown as root once",
			 left.record);
}
