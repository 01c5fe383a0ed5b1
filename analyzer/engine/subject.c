/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/steps.h"

#include <limits.h>
#include <string.h>

#include "common/base/text.h"
#include "common/measurement/division.h"
#include "common/system/job_place.h"
#include "cpu/identify/machine.h"

/* One row for each way to say whose work is meant. */
static const struct way {
	const char *option;
	enum subject_kind kind;
	const char *thing; /* before the list, for the report */
	size_t offset;	   /* of the list in struct subject_choice */
} ways[] = {
	/* clang-format off */
	{ "{p}",      SUBJECT_PROCESSES, "process", offsetof(struct subject_choice, processes) },
	{ "{tid}",    SUBJECT_THREADS,   "thread",  offsetof(struct subject_choice, threads) },
	{ "{C}",      SUBJECT_CPUS,      "CPU",     offsetof(struct subject_choice, cpus) },
	{ "{cgroup}", SUBJECT_CGROUP,    "cgroup",  offsetof(struct subject_choice, cgroup) },
	/* clang-format on */
};

static const char *list_of(const struct setup *setup, const struct way *way)
{
	return *(const char *const *)((const char *)&setup->subject + way->offset);
}

/* At most one is given. */
static const struct way *way_of(const struct setup *setup)
{
	for (size_t i = 0; i < COUNT_OF(ways); i++)
		if (list_of(setup, &ways[i]))
			return &ways[i];
	return NULL;
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
	const char *cursor = r->list, *part, *option;
	size_t capacity = 0, length;
	uint64_t number;
	char words[32];

	option = text_worded(words, sizeof(words), r->way->option);
	while ((length = text_next(&cursor, ",", &part)) > 0) {
		if (!text_u64(arena_strndup(r->arena, part, length), &number) || number < 1 || number > INT_MAX)
			return error_set(err, "%s %s: '%.*s' is not a %s number; `ps -e%s` shows them", option, r->list,
					 (int)length, part, r->way->thing, r->way->kind == SUBJECT_THREADS ? "L" : "");
		subject->ids = arena_grow(r->arena, subject->ids, subject->nids, &capacity, sizeof(*subject->ids));
		subject->ids[subject->nids++] = (pid_t)number;
	}
	return subject->nids ? 0 : error_set(err, "%s '%s': which %s?", option, r->list, r->way->thing);
}

static bool is_online(const struct machine *machine, uint64_t cpu)
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
	return count ? text.text : "that neither /sys nor /proc lists";
}

/* Socket, core and thread of a core, "S0-C1-T0"; any of them may be missing. */
struct spot {
	uint64_t numbers[3];
	bool is_given[3];
};

static bool parse_spot(struct spot *spot, const char *text)
{
	static const char letters[] = "SCT";

	*spot = (struct spot){ .numbers = { 0 } };
	for (size_t i = 0; i < strlen(letters); i++) {
		if ((*text | 0x20) != (letters[i] | 0x20))
			continue;
		spot->is_given[i] = true;
		if (!text_u64_prefix(text + 1, &text, &spot->numbers[i]))
			return false;
		text += *text == '-' && text[1];
	}
	return !*text && (spot->is_given[0] || spot->is_given[1] || spot->is_given[2]);
}

/* The number of CPUs of its core that come before it. */
static size_t thread_of(const struct machine *machine, size_t cpu)
{
	size_t before = 0;

	for (size_t i = 0; i < cpu; i++)
		before += machine->cpus[i].core == machine->cpus[cpu].core;
	return before;
}

static size_t cpus_at(const struct spot *spot, const struct machine *machine, unsigned **cpus, struct arena *arena)
{
	size_t count = 0;

	*cpus = arena_array(arena, machine->online_cpus + 1, sizeof(**cpus));
	for (size_t i = 0; machine->cpus && i < machine->online_cpus; i++) {
		const uint64_t numbers[] = { machine->cpus[i].package, machine->cpus[i].core, thread_of(machine, i) };
		bool is_there = true;

		for (size_t k = 0; k < COUNT_OF(numbers); k++)
			is_there = is_there && (!spot->is_given[k] || spot->numbers[k] == numbers[k]);
		if (is_there)
			(*cpus)[count++] = machine->cpus[i].number;
	}
	return count;
}

static bool has_cpu(const struct subject *subject, unsigned cpu)
{
	for (size_t i = 0; i < subject->ncpus; i++)
		if (subject->cpus[i] == cpu)
			return true;
	return false;
}

/* Always -1. */
static int no_such_cpu(const struct reading *r, uint64_t cpu, struct error *err)
{
	const char *online = online_text(r->machine, r->arena);
	unsigned long long number = cpu;

	for (size_t i = 0; i < r->machine->npresent; i++)
		if (r->machine->present[i] == cpu)
			return error_set(err,
					 "{C} %s: CPU %llu is offline, online are %s; `echo 1 | sudo tee "
					 "/sys/devices/system/cpu/cpu%llu/online` brings it back",
					 r->list, number, online, number);
	return error_set(err, "{C} %s: there is no CPU %llu; this machine has the CPUs %s", r->list, number, online);
}

static int add_cpu(struct subject *subject, const struct reading *r, uint64_t cpu, size_t *capacity, struct error *err)
{
	if (!is_online(r->machine, cpu))
		return no_such_cpu(r, cpu, err);
	if (has_cpu(subject, (unsigned)cpu))
		return 0;
	subject->cpus = arena_grow(r->arena, subject->cpus, subject->ncpus, capacity, sizeof(*subject->cpus));
	subject->cpus[subject->ncpus++] = (unsigned)cpu;
	return 0;
}

static int add_spot(struct subject *subject, const struct reading *r, const struct spot *spot, size_t *capacity,
		    struct error *err)
{
	unsigned *some;
	size_t count = cpus_at(spot, r->machine, &some, r->arena);

	if (!count)
		return error_set(err, "{C} %s: no online CPU is there; `lscpu -e` shows sockets and cores", r->list);
	for (size_t i = 0; i < count; i++)
		if (add_cpu(subject, r, some[i], capacity, err) < 0)
			return -1;
	return 0;
}

/* The first CPU that is not online ends it, so that a range may be as long as it likes. */
static int subject_add_cpus(struct subject *subject, const struct reading *r, const char *part, size_t *capacity,
			    struct error *err)
{
	uint64_t first, last;
	struct spot spot;

	if (parse_spot(&spot, part))
		return add_spot(subject, r, &spot, capacity, err);
	if (!text_range(part, strlen(part), &first, &last))
		return error_set(err, "{C} %s: '%s' is not a CPU or a range of CPUs; write 0-3,8 or S0-C1-T0", r->list,
				 part);
	for (uint64_t cpu = first; cpu <= last; cpu++)
		if (add_cpu(subject, r, cpu, capacity, err) < 0)
			return -1;
	return 0;
}

static int parse_cpus(struct subject *subject, const struct reading *r, struct error *err)
{
	const char *cursor = r->list, *part;
	size_t capacity = 0, length;

	while ((length = text_next(&cursor, ",", &part)) > 0)
		if (subject_add_cpus(subject, r, arena_strndup(r->arena, part, length), &capacity, err) < 0)
			return -1;
	return subject->ncpus ? 0 : error_set(err, "{C} '%s': which CPUs? Write 0-3,8", r->list);
}

/* What other programs understand too: numbers, where sockets, cores or threads were named. */
static const char *cpu_numbers(const struct subject *subject, const char *list, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (!strpbrk(list, "SCTsct"))
		return list;
	for (size_t i = 0; i < subject->ncpus; i++)
		string_printf(&text, "%s%u", i ? "," : "", subject->cpus[i]);
	return text.text;
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

static const char *quoted(const char *list, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	string_add_shell_word(&text, list);
	return text.text;
}

static void find_parts(struct subject *subject, const struct request *request)
{
	bool is_by_task = subject->kind == SUBJECT_PROCESSES || subject->kind == SUBJECT_THREADS;

	subject->is_by_cpu = is_dividing(&request->question->division);
	subject->is_by_thread = request->setup->subject.is_per_thread && is_by_task;
}

int subject_find(struct subject *subject, const struct request *request, const struct machine *machine,
		 struct error *err)
{
	const struct setup *setup = request->setup;
	struct arena *arena = request->arena;
	const struct way *way = way_of(setup);

	*subject = (struct subject){ .kind = SUBJECT_PROGRAM };
	if (setup->subject.is_all_cpus) {
		subject->kind = SUBJECT_CPUS;
		subject->name = "all CPUs";
	} else if (way) {
		struct reading reading = { way, list_of(setup, way), machine, arena };

		subject->kind = way->kind;
		if (read_list(subject, &reading, err) < 0)
			return -1;
		if (way->kind == SUBJECT_CPUS)
			reading.list = cpu_numbers(subject, reading.list, arena);
		subject->name = subject_name(subject, &reading);
		subject->list = quoted(reading.list, arena);
	}
	find_parts(subject, request);
	return 0;
}

/* A program decides how long it takes, unless --timeout ends it; without one --duration or Ctrl-C does. */
void timing_find(struct timing *timing, const struct setup *setup)
{
	const struct timing_choice *choice = &setup->timing;

	*timing = (struct timing){
		.delay_s = choice->delay.ms < 0 ? WAIT_FOR_SIGUSR2 : choice->delay.ms * 1e-3,
		.control = choice->control,
		.limit_s = setup->program.nwords ? choice->timeout_s : choice->duration_s,
		.interval_s = choice->interval_ms * 1e-3,
		.is_multiplexed_by_interval = choice->interval_plan == INTERVAL_ROTATE,
	};
}

size_t subject_max_runs(const struct subject *subject, const struct timing *timing, const struct setup *setup)
{
	const struct packing_choice *packing = &setup->packing;
	/* processes and threads come and go: the next run would have others */
	bool stays = subject->kind == SUBJECT_CPUS || subject->kind == SUBJECT_CGROUP;
	bool has_end = timing->limit_s > 0 || setup->program.nwords;
	bool is_once = timing->interval_s > 0 || timing->delay_s < 0 || timing->control;

	if (is_repeated(subject, timing) || (packing->max_runs && stays && has_end && !is_once))
		return packing->max_runs;
	return 1;
}

int subject_spread(struct plan *plan, const struct packing_choice *packing, struct error *err)
{
	const struct job_place place = job_place_find();

	if (!packing->spreads_groups)
		return 0;
	if (!place.launcher)
		return error_set(err, "{spread-groups}: no launcher (mpirun, srun ...) has started this process");
	plan_keep_run(plan, place.rank);
	return 0;
}

enum scope scope_of(const struct setup *setup)
{
	return setup->scope.is_user_only ? SCOPE_USER : setup->scope.is_kernel_only ? SCOPE_KERNEL : SCOPE_ALL;
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
