/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/steady_run.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/personality.h>
#include <time.h>

#include "common/base/text.h"
#include "cpu/identify/usage.h"
#include "engine/target.h"

#define LOOK_S	  0.1 /* in which the load of each CPU is seen: ten of the kernel's clock ticks */
#define CPU_FIRST 0   /* which takes most interrupts */

static int recover(const struct request *request, struct error *err)
{
	int count = steady_recover(request->setup->machine.sysroot, request->arena, err);

	if (count <= 0)
		return count < 0 ? -1 : 0;
	identified_forget_machine(request);
	request_notice(
		request, NOTICE_PLAIN,
		"an earlier topdown was killed while {steady} was on: %d setting%s of the machine %s now restored",
		count, count == 1 ? "" : "s", count == 1 ? "is" : "are");
	return 0;
}

/* What is about a program that somebody else has started can't be done. */
static int check_program(const struct steady_wish *wish, const struct request *request, struct error *err)
{
	int before;

	if (request->setup->program.nwords == 0 && (wish->wants[STEADY_PIN] || wish->wants[STEADY_ASLR]))
		return error_set(err,
				 "{steady}=%s applies to a program that topdown starts; `taskset -cp CPU PID` pins a "
				 "running one, and {steady}=governor,turbo,smt applies to the machine",
				 wish->wants[STEADY_PIN] ? "pin" : "aslr");
	if (!wish->wants[STEADY_ASLR])
		return 0;
	before = personality(0xffffffff);
	if (before < 0 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
		return error_set(err, "{steady}=aslr: the kernel or a seccomp filter refuses it: %s; leave aslr out",
				 strerror(errno));
	return personality((unsigned long)before) < 0 ? error_set(err, "{steady}=aslr: %s", strerror(errno)) : 0;
}

/* "policy0/scaling_governor: performance (was powersave)"; of several alike the first, and their number. */
static void say_changes(const struct steady *steady, const struct request *request)
{
	struct string text = STRING_INIT(request->arena);

	for (size_t i = 0; i < steady->count; i++) {
		const struct steady_change *change = &steady->changes[i];

		if (i && change->kind == steady->changes[i - 1].kind)
			continue;
		string_printf(&text, "%s/%s is %s (was %s)", i ? ", " : "", change->name, change->wanted,
			      change->before);
	}
	if (steady->count)
		request_notice(
			request, NOTICE_PLAIN,
			"{steady}: %s; %zu setting%s in all, restored at the end. Where topdown and its guard are both "
			"killed, the next topdown restores them (%s)",
			text.text, steady->count, steady->count == 1 ? "" : "s", steady->record);
}

int steady_run_begin(struct steady_run *steady_run, const struct request *request, struct error *err)
{
	const char *asked = request->setup->machine.steady;

	*steady_run = (struct steady_run){ .steady = { .count = 0 } };
	if (recover(request, err) < 0)
		return -1;
	if (!asked)
		return 0;
	if (steady_parse(&steady_run->wish, asked, err) < 0 || check_program(&steady_run->wish, request, err) < 0)
		return -1;
	if (steady_begin(&steady_run->steady, &steady_run->wish, request->setup->machine.sysroot, request->arena, err) <
	    0)
		return -1;
	identified_forget_machine(request);
	say_changes(&steady_run->steady, request);
	return 0;
}

/* ---- the program's CPU ---- */

/* A CPU that the program may start on. */
struct candidate {
	unsigned cpu;
	bool is_isolated;
	double busy; /* share of the time in which others used it; NAN: unknown */
};

static double used_s(unsigned cpu, const char *sysroot)
{
	struct arena arena;
	struct sysfiles files;
	struct usage usage;
	double sum = NOT_COUNTED;

	arena_init(&arena);
	files = sysfiles_below(sysroot, &arena);
	if (usage_of_cpu(&usage, &files, cpu))
		sum = usage.user_s + usage.system_s;
	arena_release(&arena);
	return sum;
}

static bool steady_run_is_listed(const char *list, unsigned cpu)
{
	const char *part;
	size_t length;
	uint64_t low, high;

	while (list && (length = text_next(&list, ",", &part)) > 0)
		if (text_range(part, length, &low, &high) && cpu >= low && cpu <= high)
			return true;
	return false;
}

/* Those that topdown itself may use, of the machine's first core type. */
static size_t find_candidates(struct candidate *found, const struct machine *machine, const struct request *request)
{
	const struct sysfiles files = sysfiles_below(request->setup->machine.sysroot, request->arena);
	const char *isolated = sysfile_read(&files, "sys/devices/system/cpu/isolated");
	const bool *counts_for = machine->npmus ? machine_cpus_of(machine, &machine->pmus[0], request->arena) : NULL;
	size_t count = 0;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return 0;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		size_t i = 0;

		while (i < machine->online_cpus && machine->cpus && machine->cpus[i].number != cpu)
			i++;
		if (!CPU_ISSET(cpu, &allowed) || (machine->cpus && i == machine->online_cpus) ||
		    (machine->cpus && counts_for && !counts_for[i]))
			continue;
		found[count++] = (struct candidate){ .cpu = cpu, .is_isolated = steady_run_is_listed(isolated, cpu) };
	}
	return count;
}

static void look_at_load(struct candidate *candidates, size_t count, const struct request *request)
{
	const struct timespec pause = { .tv_nsec = (long)(LOOK_S * 1e9) };
	const char *sysroot = request->setup->machine.sysroot;

	for (size_t i = 0; i < count; i++)
		candidates[i].busy = used_s(candidates[i].cpu, sysroot);
	nanosleep(&pause, NULL);
	for (size_t i = 0; i < count; i++)
		candidates[i].busy = (used_s(candidates[i].cpu, sysroot) - candidates[i].busy) / LOOK_S;
}

/* Isolated before busy with little, within a tick; then any but the first CPU, then the last. */
static bool steady_run_is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->is_isolated != b->is_isolated)
		return a->is_isolated;
	if (a->busy < b->busy - LOOK_S || a->busy > b->busy + LOOK_S)
		return a->busy < b->busy;
	if ((a->cpu == CPU_FIRST) != (b->cpu == CPU_FIRST))
		return b->cpu == CPU_FIRST;
	return a->cpu > b->cpu;
}

int steady_run_place(struct steady_run *steady_run, const struct machine *machine, const struct request *request,
		     struct error *err)
{
	struct candidate candidates[CPU_SETSIZE], *best = candidates;
	size_t count;

	if (!steady_run->wish.wants[STEADY_PIN])
		return 0;
	count = find_candidates(candidates, machine, request);
	if (!count)
		return error_set(err, "{steady}=pin: none of the machine's CPUs may be used by topdown");
	look_at_load(candidates, count, request);
	for (size_t i = 1; i < count; i++)
		if (steady_run_is_better(&candidates[i], best))
			best = &candidates[i];
	steady_run->cpu = best->cpu;
	request_notice(request, NOTICE_PLAIN,
		       "{steady}: the program starts on CPU %u alone, with all its threads: %s%s%s", best->cpu,
		       best->is_isolated ? "it is isolated" : "it was the least busy of those that may be used",
		       isnan(best->busy) ? ""
					 : arena_printf(request->arena, " (%.0f %% in the last %g s)",
							100 * (best->busy < 1 ? best->busy : 1), LOOK_S),
		       count == 1 ? "; it is the only one" : "");
	return 0;
}

void steady_run_program(struct program *program, const struct steady_run *steady_run)
{
	program->cpu = steady_run->wish.wants[STEADY_PIN] ? &steady_run->cpu : NULL;
	program->has_fixed_addresses = steady_run->wish.wants[STEADY_ASLR];
}

void steady_run_end(struct steady_run *steady_run, const struct request *request)
{
	struct error err = { .text = "" };

	if (steady_run->steady.count)
		identified_forget_machine(request);
	if (steady_end(&steady_run->steady, &err) < 0)
		request_notice(request, NOTICE_WARNING, "%s", err.text);
}
