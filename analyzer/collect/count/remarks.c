/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remarks.c - what a reader must know of how something was counted. */
#include <fcntl.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "collect/count/collector.h"
#include "common/base/text.h"

static void remark(struct repeat *repeat, struct arena *arena, const char *text)
{
	const char **remarks = arena_array(arena, repeat->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < repeat->nremarks; i++)
		remarks[i] = repeat->remarks[i];
	remarks[repeat->nremarks++] = text;
	repeat->remarks = remarks;
}

/* The repeat of a part that is being measured. */
static struct repeat *repeat_of(const struct collector *c, size_t part)
{
	return &c->measured->parts[part].repeats[c->repeat];
}

void part_remark(struct collector *c, size_t part, const char *text)
{
	remark(repeat_of(c, part), c->arena, text);
}

static void remark_idle_part(struct collector *c, struct repeat *repeat)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (repeat->items[i].state != COUNT_NEVER_RAN || repeat->items[i].enabled_ns)
			return;
	if (repeat->count)
		remark(repeat, c->arena, REMARK_NOTHING_RAN);
}

void parts_remark(struct collector *c, const char *text)
{
	for (size_t i = 0; i < c->measured->count; i++)
		remark(repeat_of(c, i), c->arena, text);
}

static void remark_control(struct collector *c)
{
	if (*c->control.unknown)
		parts_remark(c,
			     arena_worded(c->arena,
					  "{control} got '%s', which is not enable, disable or stop, and was ignored.",
					  c->control.unknown));
}

static void remark_delay(struct collector *c)
{
	double delay_s = c->request->timing.delay_s;

	if (c->is_uncounted && delay_s > 0)
		parts_remark(c, arena_printf(c->arena,
					     "Nothing was counted: it ended before the delay of %g ms had passed.",
					     1000 * delay_s));
	else if (c->is_uncounted)
		parts_remark(c, "Nothing was counted: it ended before SIGUSR2 or \"enable\" came.");
	else if (delay_s > 0)
		parts_remark(c, arena_worded(c->arena, "The first %g ms were not counted ({delay}).", 1000 * delay_s));
	else if (delay_s < 0)
		parts_remark(c, arena_worded(c->arena, "Nothing was counted before SIGUSR2 or \"enable\" ({delay})."));
}

/* The program has the limit that topdown was started with. */
static void remark_descriptors(struct collector *c)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) < 0 || now.rlim_cur <= c->descriptors.rlim_cur)
		return;
	parts_remark(
		c,
		arena_printf(
			c->arena,
			"Each event at each place takes a descriptor: topdown raised its own limit of open files from "
			"%llu to %llu.",
			(unsigned long long)c->descriptors.rlim_cur, (unsigned long long)now.rlim_cur));
}

static void remark_single_reads(struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++)
		for (size_t k = 0; k < c->sites.items[i].ngroups; k++) {
			if (!c->sites.items[i].groups[k].is_read_singly)
				continue;
			parts_remark(c, "This kernel can't read a group including child processes, so events were read "
					"one by one: what ran in between is in only some of them.");
			return;
		}
}

/*
 * Why the kernel takes the events away where the program begins: who may not look into it may not count it either
 * (begin_new_exec in fs/exec.c: perf_event_exit_task without SUID_DUMP_USER). NULL: it does not.
 */
static const char *find_guard(const char *path)
{
	struct stat file;

	if (stat(path, &file) < 0) /* it has removed itself */
		return NULL;
	if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 && errno == EACCES)
		return "this user may execute it, but not read it";
	if ((file.st_mode & S_ISUID) && file.st_uid != getuid())
		return "it runs with another user's rights (set-user-ID)";
	if ((file.st_mode & S_ISGID) && (file.st_mode & S_IXGRP) && file.st_gid != getgid())
		return "it runs with another group's rights (set-group-ID)";
	if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "it has capabilities that this user lacks";
	return NULL;
}

static void remark_guard(struct collector *c)
{
	const struct program *program = &c->request->program;
	const char *guard = c->request->subject.kind == SUBJECT_PROGRAM && program->path && c->sites.count &&
					    c->sites.items[0].ngroups
				    ? find_guard(program->path)
				    : NULL;

	if (guard)
		parts_remark(c, arena_printf(c->arena,
					     "The kernel does not let this user count %s: %s. Only the moment before "
					     "it began was counted; `sudo topdown` counts all of it.",
					     program->path, guard));
}

void remark_first_run(struct collector *c, const struct count_run *run)
{
	remark_control(c);
	remark_delay(c);
	remark_descriptors(c);
	remark_single_reads(c);
	remark_guard(c);
	if (c->is_uncounted)
		return;
	meanwhile_remark(c, run);
	for (size_t i = 0; i < c->measured->count; i++)
		remark_idle_part(c, repeat_of(c, i));
}
