/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_target.c - what a word names: FUNC, LIB:FUNC, kernel:FUNC, syscall:NAME, or a tracepoint of a pair. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collect/latency/latency_parts.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/identify/sysfile.h"
#include "cpu/identify/tracepoint.h"

#define TRACEFS	      "sys/kernel/tracing"
#define DEBUG_TRACEFS "sys/kernel/debug/tracing"
#define MOUNT	      "`sudo mount -t tracefs nodev /sys/kernel/tracing` mounts it"

/* What a word is read into, and by whom. */
struct word_reading {
	struct latency_target *target;
	const struct latency_owner *owner;
	struct arena *arena;
};

/* ---- tracefs ---- */

static const char *tracefs_folder(void)
{
	if (is_directory("/" TRACEFS "/events"))
		return "/" TRACEFS "/events";
	return is_directory("/" DEBUG_TRACEFS "/events") ? "/" DEBUG_TRACEFS "/events" : NULL;
}

static bool is_tracepoint(const char *system, const char *name, struct arena *arena)
{
	const char *folder = tracefs_folder();

	return folder && is_directory(arena_printf(arena, "%s/%s/%s", folder, system, name));
}

/* NULL and err: it can't be read. */
static const char *tracefs_check(const char *what, struct error *err)
{
	const char *folder = tracefs_folder();

	if (folder)
		return folder;
	if (access("/" TRACEFS, X_OK) < 0 && errno == EACCES)
		error_set(err, "%s is a tracepoint, and only root may see those: run topdown as root", what);
	else
		error_set(err, "%s needs the kernel's tracepoints, and tracefs is not mounted: " MOUNT, what);
	return NULL;
}

static int identify_both(const struct word_reading *reading, const char *begin, const char *end, struct error *err)
{
	struct latency_target *target = reading->target;

	target->type = PERF_TYPE_TRACEPOINT;
	if (tracepoint_identify(&target->begin, "", begin, reading->arena, err) < 0)
		return -1;
	return tracepoint_identify(&target->end, "", end, reading->arena, err);
}

/* ---- syscall:NAME ---- */

static int read_syscall(const struct word_reading *reading, const char *name, struct error *err)
{
	struct arena *arena = reading->arena;
	const char *near;
	uint64_t number;

	reading->target->kind = CALL_SYSCALL;
	reading->target->name = name;
	if (!system_call_number(&number, name)) {
		near = near_system_calls(name, arena);
		return error_set(err, "syscall:%s: this machine's kernel has no system call of that name%s%s%s", name,
				 near ? ": did you mean " : "; `man 2 syscalls` lists them", near ? near : "",
				 near ? "?" : "");
	}
	if (!tracefs_check(arena_printf(arena, "syscall:%s", name), err))
		return -1;
	if (is_tracepoint("syscalls", arena_printf(arena, "sys_enter_%s", name), arena))
		return identify_both(reading, arena_printf(arena, "syscalls/sys_enter_%s", name),
				     arena_printf(arena, "syscalls/sys_exit_%s", name), err);
	reading->target->filter = arena_printf(arena, "id == %llu", (unsigned long long)number);
	return identify_both(reading, "raw_syscalls/sys_enter", "raw_syscalls/sys_exit", err);
}

/* ---- tracepoints ---- */

/* How the kernel calls the two ends. */
static const char *const ends[][2] = {
	{ "entry", "exit" }, { "enter", "exit" }, { "begin", "end" }, { "start", "end" }, { "start", "done" },
};

/* Where the word stands in the name, between underscores; NULL: nowhere. */
static const char *word_in(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = name; (at = strstr(at, word)); at++)
		if ((at == name || at[-1] == '_') && (!at[length] || at[length] == '_'))
			return at;
	return NULL;
}

/* The name with that word in the place of another one. */
static const char *with_word(const char *name, const char *word, const char *other, struct arena *arena)
{
	const char *at = word_in(name, word);

	return at ? arena_printf(arena, "%.*s%s%s", (int)(at - name), name, other, at + strlen(word)) : NULL;
}

struct tracepoint_pair {
	const char *begin, *end;
};

/* "softirq", "softirq_entry" and "softirq_exit" are one pair. */
static bool find_pair(struct tracepoint_pair *pair, const char *system, const char *name, struct arena *arena)
{
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const char *const *own = ends[i];
		const struct tracepoint_pair ways[] = {
			{ name, with_word(name, own[0], own[1], arena) },
			{ with_word(name, own[1], own[0], arena), name },
			{ arena_printf(arena, "%s_%s", name, own[0]), arena_printf(arena, "%s_%s", name, own[1]) },
		};

		for (size_t k = 0; k < COUNT_OF(ways); k++) {
			*pair = ways[k];
			if (pair->begin && pair->end && is_tracepoint(system, pair->begin, arena) &&
			    is_tracepoint(system, pair->end, arena))
				return true;
		}
	}
	return false;
}

/* The pair's name: without the word that its ends have. */
static const char *pair_name(const char *system, const char *begin, struct arena *arena)
{
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const char *at = word_in(begin, ends[i][0]);

		if (at && at > begin && !at[strlen(ends[i][0])])
			return arena_printf(arena, "%s:%.*s", system, (int)(at - begin - 1), begin);
	}
	return arena_printf(arena, "%s:%s", system, begin);
}

/* The nearest pairs, by the names that they have here; NULL: none is near. */
static const char *near_pairs(const char *system, const char *name, struct arena *arena)
{
	struct error unknown = { .text = "" };
	size_t count = 0;
	const char **names =
		directory_list(arena_printf(arena, "%s/%s", tracefs_folder(), system), "", &count, arena, &unknown);

	for (size_t i = 0; names && i < count; i++)
		names[i] = strchr(pair_name(system, names[i], arena), ':') + 1;
	return names ? nearest_names(arena, name, names, count) : NULL;
}

/* Always -1. */
static int refuse_tracepoint(const char *system, const char *name, struct arena *arena, struct error *err)
{
	const char *near;

	if (is_tracepoint(system, name, arena))
		return error_set(err,
				 "%s:%s has no partner that would end it: what takes time has two tracepoints, "
				 "NAME_entry and NAME_exit, _enter and _exit, _begin and _end, or _start and _end; "
				 "`ls %s/%s` lists them",
				 system, name, tracefs_folder(), system);
	near = near_pairs(system, name, arena);
	return error_set(err, "there is no tracepoint %s:%s%s%s; `ls %s/%s` lists those that there are", system, name,
			 near ? ": did you mean " : "", near ? near : "", tracefs_folder(), system);
}

static int read_tracepoint(const struct word_reading *reading, const char *system, const char *name, struct error *err)
{
	struct arena *arena = reading->arena;
	struct tracepoint_pair pair;

	reading->target->kind = CALL_TRACEPOINT;
	if (!find_pair(&pair, system, name, arena))
		return refuse_tracepoint(system, name, arena, err);
	reading->target->name = pair_name(system, pair.begin, arena);
	return identify_both(reading, arena_printf(arena, "%s/%s", system, pair.begin),
			     arena_printf(arena, "%s/%s", system, pair.end), err);
}

/* ---- functions ---- */

/* The kernel's PMU for such probes. */
static bool probe_type(uint32_t *type, const char *pmu, struct arena *arena)
{
	const struct sysfiles files = sysfiles_below("", arena);
	uint64_t number;

	if (!sysfile_u64(&files, &number, "sys/bus/event_source/devices/%s/type", pmu))
		return false;
	*type = (uint32_t)number;
	return true;
}

static int read_kernel_function(const struct word_reading *reading, const char *name, struct error *err)
{
	reading->target->kind = CALL_KERNEL_FUNCTION;
	reading->target->name = name;
	reading->target->noffsets = 1;
	if (!probe_type(&reading->target->type, "kprobe", reading->arena))
		return error_set(err,
				 "kernel:%s: this kernel has no kprobes (CONFIG_KPROBE_EVENTS); syscall:NAME and "
				 "tracepoints, as irq:softirq, need none",
				 name);
	return 0;
}

/* Of a process: without where its root is seen from here. */
static const char *shown_path(const char *path, struct arena *arena)
{
	char link[4096];
	const char *root = has_name_prefix(path, "/proc/") ? strstr(path, "/root/") : NULL;
	ssize_t length;

	if (root)
		return root + strlen("/root");
	if (!has_name_prefix(path, "/proc/") || (length = readlink(path, link, sizeof(link))) <= 0)
		return path;
	return arena_strndup(arena, link, (size_t)length);
}

static int read_function(const struct word_reading *reading, const char *path, const char *name, struct error *err)
{
	struct latency_target *target = reading->target;

	target->kind = CALL_FUNCTION;
	target->name = name;
	target->path = path;
	target->file = shown_path(path, reading->arena);
	if (!probe_type(&target->type, "uprobe", reading->arena))
		return error_set(err, "%s: this kernel has no uprobes (CONFIG_UPROBE_EVENTS)", name);
	return function_place_find(target, name, reading->arena, err);
}

static int read_own_function(const struct word_reading *reading, const char *name, struct error *err)
{
	const struct latency_owner *owner = reading->owner;

	if (owner->pid)
		return read_function(reading, arena_printf(reading->arena, "/proc/%u/exe", owner->pid), name, err);
	if (owner->program)
		return read_function(reading, owner->program, name, err);
	return error_set(err,
			 "%s: of which file? Name a program, a process, or the file, as in libc:malloc or ./prog:%s",
			 name, name);
}

/* Before a colon stands a library, or tracepoints' system. */
static int read_pair(const struct word_reading *reading, const char *first, const char *name, struct error *err)
{
	struct arena *arena = reading->arena;
	const char *folder = tracefs_folder(), *path;

	if (!strcmp(first, "syscall"))
		return read_syscall(reading, name, err);
	if (!strcmp(first, "kernel") || !strcmp(first, "kprobe"))
		return read_kernel_function(reading, name, err);
	if (folder && !strchr(first, '/') && is_directory(arena_printf(arena, "%s/%s", folder, first)))
		return read_tracepoint(reading, first, name, err);
	path = library_file_find(first, reading->owner, arena);
	if (path)
		return read_function(reading, path, name, err);
	if (strchr(first, '/'))
		return error_set(err, "%s: there is no such file", first);
	if (reading->owner->pid)
		error_set(err, "process %u has no library %s mapped; /proc/%u/maps lists those that it has",
			  reading->owner->pid, first, reading->owner->pid);
	else if (folder)
		error_set(err,
			  "%s is neither a library that the loader finds (`ldconfig -p`; a path works too, as "
			  "./libfoo.so:%s) nor a group of tracepoints (`ls %s`)",
			  first, name, folder);
	else
		error_set(
			err,
			"%s is no library that the loader finds (`ldconfig -p`; a path works too, as ./libfoo.so:%s); "
			"if it is a group of tracepoints: tracefs is not mounted, " MOUNT,
			first, name);
	return -1;
}

int latency_target_find(struct latency_target *target, const char *word, const struct latency_owner *owner,
			struct arena *arena, struct error *err)
{
	const struct word_reading reading = { target, owner, arena };
	const char *colon = strchr(word, ':');
	int status;

	*target = (struct latency_target){ .name = word };
	/* "std::sort" is one name, "libfoo:std::sort" has a library. */
	if (colon && colon > word && colon[1] && colon[1] != ':')
		status = read_pair(&reading, arena_strndup(arena, word, (size_t)(colon - word)), colon + 1, err);
	else if (!*word || colon == word || (colon && !colon[1]))
		status = error_set(err, "'%s' names no function, as decode_block or libc:malloc", word);
	else
		status = read_own_function(&reading, word, err);
	return status;
}
