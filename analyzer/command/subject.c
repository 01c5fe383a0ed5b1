/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/subject.h"

#include <limits.h>

#include "base/text.h"
#include "identify/cpulist.h"

/* One row for each way to say whose work is meant. */
static const struct way {
	const char *option;
	enum subject_kind kind;
	const char *thing; /* before the list, for the report */
	size_t offset;	   /* of the list in struct options */
} ways[] = {
	/* clang-format off */
	{ "-p",       SUBJECT_PROCESSES, "process", offsetof(struct options, processes) },
	{ "--tid",    SUBJECT_THREADS,   "thread",  offsetof(struct options, threads) },
	{ "-C",       SUBJECT_CPUS,      "CPU",     offsetof(struct options, cpus) },
	{ "--cgroup", SUBJECT_CGROUP,    "cgroup",  offsetof(struct options, cgroup) },
	/* clang-format on */
};

static const char *list_of(const struct options *options, const struct way *way)
{
	return *(const char *const *)((const char *)options + way->offset);
}

static int choose_way(const struct way **chosen, const struct options *options, struct error *err)
{
	const char *taken = options->is_all_cpus ? "-a" : NULL;

	*chosen = NULL;
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		if (!list_of(options, &ways[i]))
			continue;
		if (taken)
			return error_set(err, "%s and %s: one of them says whose work is counted", taken,
					 ways[i].option);
		taken = ways[i].option;
		*chosen = &ways[i];
	}
	return 0;
}

/* A list and what it is read for. */
struct reading {
	const struct way *way;
	const char *list;
	const struct machine *machine;
	struct arena *arena;
};

static int parse_ids(struct subject *subject, const struct reading *r, struct error *err)
{
	const char *cursor = r->list, *part;
	size_t capacity = 0, length;
	uint64_t number;

	while ((length = text_next(&cursor, ",", &part)) > 0) {
		if (!text_u64(arena_strndup(r->arena, part, length), &number) || number < 1 || number > INT_MAX)
			return error_set(err, "%s %s: '%.*s' is no %s number; `ps -e%s` shows them", r->way->option,
					 r->list, (int)length, part, r->way->thing,
					 r->way->kind == SUBJECT_THREADS ? "L" : "");
		subject->ids = arena_grow(r->arena, subject->ids, subject->nids, &capacity, sizeof(*subject->ids));
		subject->ids[subject->nids++] = (pid_t)number;
	}
	return subject->nids ? 0 : error_set(err, "%s '%s': which %s?", r->way->option, r->list, r->way->thing);
}

static bool is_online(const struct machine *machine, unsigned cpu)
{
	for (size_t i = 0; machine->cpus && i < machine->online_cpus; i++)
		if (machine->cpus[i].number == cpu)
			return true;
	return false;
}

/* As the kernel lists CPUs. */
static const char *online_text(const struct machine *machine, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	size_t count = machine->cpus ? machine->online_cpus : 0;

	for (size_t first = 0, last; first < count; first = last + 1) {
		for (last = first; last + 1 < count; last++)
			if (machine->cpus[last + 1].number != machine->cpus[last].number + 1)
				break;
		string_printf(&text, "%s%u", first ? "," : "", machine->cpus[first].number);
		if (last > first)
			string_printf(&text, "-%u", machine->cpus[last].number);
	}
	return text.text;
}

/* cpulist_parse leaves out what it does not understand, so it gets one part at a time. */
static int add_cpus(struct subject *subject, const struct reading *r, const char *part, size_t *capacity,
		    struct error *err)
{
	unsigned *some;
	size_t count = cpulist_parse(part, &some, r->arena);

	if (!count)
		return error_set(err, "-C %s: '%s' is no CPU and no range of CPUs; write 0-3,8", r->list, part);
	for (size_t i = 0; i < count; i++) {
		if (!is_online(r->machine, some[i]))
			return error_set(err, "-C %s: CPU %u is not online; these are: %s", r->list, some[i],
					 online_text(r->machine, r->arena));
		subject->cpus = arena_grow(r->arena, subject->cpus, subject->ncpus, capacity, sizeof(*subject->cpus));
		subject->cpus[subject->ncpus++] = some[i];
	}
	return 0;
}

/* cpulist_parse leaves out what it does not understand, so it gets one part at a time. */
static int parse_cpus(struct subject *subject, const struct reading *r, struct error *err)
{
	const char *cursor = r->list, *part;
	size_t capacity = 0, length;

	while ((length = text_next(&cursor, ",", &part)) > 0)
		if (add_cpus(subject, r, arena_strndup(r->arena, part, length), &capacity, err) < 0)
			return -1;
	return subject->ncpus ? 0 : error_set(err, "-C '%s': which CPUs? Write 0-3,8", r->list);
}

static int read_list(struct subject *subject, const struct reading *r, struct error *err)
{
	switch (r->way->kind) {
	case SUBJECT_CPUS: return parse_cpus(subject, r, err);
	case SUBJECT_CGROUP: subject->cgroup = r->list; return 0;
	case SUBJECT_PROCESSES:
	case SUBJECT_THREADS: return parse_ids(subject, r, err);
	case SUBJECT_PROGRAM: break;
	}
	return 0;
}

static const char *subject_name(const struct subject *subject, const struct reading *r)
{
	size_t count = subject->kind == SUBJECT_CPUS ? subject->ncpus : subject->nids;
	const char *plural = count < 2 ? "" : subject->kind == SUBJECT_PROCESSES ? "es" : "s";

	return arena_printf(r->arena, "%s%s %s", r->way->thing, plural, r->list);
}

static const char *selector_text(const struct reading *r)
{
	struct string text = STRING_INIT(r->arena);

	string_printf(&text, "%s ", r->way->option);
	string_add_shell_word(&text, r->list);
	return text.text;
}

static int find_split(struct subject *subject, const struct options *options, struct error *err)
{
	bool is_by_task = subject->kind == SUBJECT_PROCESSES || subject->kind == SUBJECT_THREADS;

	if (options->is_per_thread + options->is_per_core + options->is_per_socket > 1)
		return error_set(err, "--per-thread, --per-core and --per-socket: one of them at a time");
	if (options->is_per_thread && is_by_task)
		subject->split = SPLIT_THREADS;
	else if (options->is_per_core)
		subject->split = SPLIT_CORES;
	else if (options->is_per_socket)
		subject->split = SPLIT_SOCKETS;
	return 0;
}

int subject_find(struct subject *subject, const struct options *options, const struct machine *machine,
		 struct arena *arena, struct error *err)
{
	const struct way *way;

	*subject = (struct subject){ .kind = SUBJECT_PROGRAM };
	if (choose_way(&way, options, err) < 0)
		return -1;
	if (options->is_all_cpus) {
		subject->kind = SUBJECT_CPUS;
		subject->name = "all CPUs";
		subject->selector = "-a";
	} else if (way) {
		const struct reading reading = { way, list_of(options, way), machine, arena };

		subject->kind = way->kind;
		if (read_list(subject, &reading, err) < 0)
			return -1;
		subject->name = subject_name(subject, &reading);
		subject->selector = selector_text(&reading);
	}
	return find_split(subject, options, err);
}

/* A program decides how long it takes, unless --timeout ends it; without one --duration or Ctrl-C does. */
int timing_find(struct timing *timing, const struct options *options, struct error *err)
{
	if (options->nwords && options->duration_s > 0)
		return error_set(err, "--duration is for what has no end of its own; to end a program use --timeout");
	if (!options->nwords && options->timeout_s > 0)
		return error_set(err,
				 "--timeout ends the program, and there is none; --duration says how long to count");
	if (options->interval_plan == INTERVAL_ROTATE && options->interval_ms <= 0)
		return error_set(err, "--interval-plan rotate: how long is an interval? Give it with -I MS");
	*timing = (struct timing){
		.delay_s = options->delay_ms < 0 ? WAIT_FOR_SIGN : options->delay_ms * 1e-3,
		.control = options->control,
		.limit_s = options->nwords ? options->timeout_s : options->duration_s,
		.interval_s = options->interval_ms * 1e-3,
		.is_rotating = options->interval_plan == INTERVAL_ROTATE,
	};
	return 0;
}

int scope_find(enum scope *scope, const struct options *options, struct error *err)
{
	if (options->is_user_only && options->is_kernel_only)
		return error_set(err, "-u and -k: without both, user and kernel mode are counted");
	*scope = options->is_user_only ? SCOPE_USER : options->is_kernel_only ? SCOPE_KERNEL : SCOPE_ALL;
	return 0;
}

/* Threads of a core of which only some are counted. */
static bool is_core_split(const struct subject *subject, const struct machine *machine, unsigned core)
{
	size_t threads = 0, counted = 0;

	for (size_t i = 0; i < machine->online_cpus; i++) {
		if (machine->cpus[i].core != core)
			continue;
		threads++;
		for (size_t k = 0; k < subject->ncpus; k++)
			if (subject->cpus[k] == machine->cpus[i].number) {
				counted++;
				break;
			}
	}
	return counted && counted < threads;
}

bool is_core_wide(const struct subject *subject, const struct machine *machine)
{
	if (subject->kind != SUBJECT_CPUS || !machine->cpus)
		return false;
	for (unsigned core = 0; subject->ncpus && core < machine->cores; core++)
		if (is_core_split(subject, machine, core))
			return false;
	return true;
}
