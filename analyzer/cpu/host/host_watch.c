/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_watch.c - what has no count: who could run, who waits, and which processes there are. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/system/loop.h"
#include "cpu/host/host_parts.h"

void host_watch_init(struct host_watch *watch, const char *sysroot)
{
	*watch = (struct host_watch){ .files = sysfiles_below(sysroot, &watch->looked) };
	arena_init(&watch->looked);
	arena_init(&watch->kept[0]);
	arena_init(&watch->kept[1]);
}

void host_watch_release(struct host_watch *watch)
{
	arena_release(&watch->looked);
	arena_release(&watch->kept[0]);
	arena_release(&watch->kept[1]);
}

/* loadavg_proc_show (fs/proc/loadavg.c): three loads, "runnable/threads". It is shorter than /proc/stat. */
void host_watch_look(struct host_watch *watch)
{
	const char *text = sysfile_read(&watch->files, "proc/loadavg");
	double running;

	if (text && sscanf(text, "%*s %*s %*s %lf/", &running) == 1 && running >= 0) {
		watch->running += running >= 1 && is_live(&watch->files) ? running - 1 : running;
		watch->looks++;
	}
	arena_reset(&watch->looked);
}

/* proc_pid_stat (fs/proc/array.c): "7 (name) S" and numbers: the 11th to 14th are CPU time, the 21st is memory. */
static bool parse_process(struct host_process *process, const char *text)
{
	const char *open = text ? strchr(text, '(') : NULL, *close = text ? strrchr(text, ')') : NULL;
	double n[21];

	if (!close || !open || close < open || close[1] != ' ' || !close[2] ||
	    host_numbers(close + 3, n, COUNT_OF(n)) < COUNT_OF(n))
		return false;
	process->state = isalpha((unsigned char)close[2]) ? close[2] : '?';
	process->cpu_s = tick_seconds(n[10] + n[11]);
	process->children_s = tick_seconds(n[12] + n[13]);
	process->began = n[18];
	process->resident_bytes = n[20] * (double)sysconf(_SC_PAGESIZE);
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(close - open - 1), open + 1);
	for (char *c = process->name; *c; c++)
		*c = iscntrl((unsigned char)*c) ? '?' : *c;
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = ((const struct host_process *)a)->pid, right = ((const struct host_process *)b)->pid;

	return (left > right) - (left < right);
}

/* What was known of it before. */
static void take_over(struct host_process *process, const struct host_watch *watch)
{
	const struct host_process *before =
		watch->nprocesses ? bsearch(process, watch->processes, watch->nprocesses, sizeof(*process), by_number)
				  : NULL;

	if (before && !(before->began < process->began)) {
		process->first_s = before->first_s;
		process->first_children_s = before->first_children_s;
		process->blocked = before->blocked;
	} else {
		process->first_s = watch->scans ? 0 : process->cpu_s;
		process->first_children_s = watch->scans ? 0 : process->children_s;
	}
	process->blocked += process->state == 'D';
}

/* Looking costs CPU time too, and is no news to whoever looks. */
static bool is_own(uint64_t pid)
{
	return pid == (uint64_t)getpid();
}

void host_watch_scan(struct host_watch *watch)
{
	struct arena *arena = &watch->kept[watch->scans % COUNT_OF(watch->kept)];
	struct host_process *processes;
	double from_s = clock_now();
	size_t nnames, count = 0;
	const char **names;

	arena_reset(arena);
	nnames = sysfile_list(&watch->files, "proc", &names);
	processes = arena_array(arena, nnames + 1, sizeof(*processes));
	for (size_t i = 0; i < nnames; i++) {
		struct host_process *process = &processes[count];

		if (!text_u64(names[i], &process->pid) || (is_live(&watch->files) && is_own(process->pid)) ||
		    !parse_process(process, sysfile_read(&watch->files, "proc/%s/stat", names[i])))
			continue;
		take_over(process, watch);
		count++;
	}
	qsort(processes, count, sizeof(*processes), by_number);
	watch->processes = processes;
	watch->nprocesses = count;
	watch->scans++;
	watch->cost_s = clock_now() - from_s;
	arena_reset(&watch->looked);
}
