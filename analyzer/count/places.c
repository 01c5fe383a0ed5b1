/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "count/threads.h"

struct finder {
	struct places *places;
	const struct count_request *request;
	struct arena *arena;
	bool **counts_for; /* [type][machine->cpus] */
};

static size_t part_of(const struct finder *f, const char *label, size_t type)
{
	const char *type_label = f->request->types[type].label;
	struct places *places = f->places;
	size_t found;

	if (!label)
		label = type_label;
	else if (type_label)
		label = arena_printf(f->arena, "%s, %s", label, type_label);
	found = table_get(&places->by_label, label ? label : "");
	if (found != TABLE_NONE)
		return found;
	places->parts =
		arena_grow(f->arena, places->parts, places->nparts, &places->parts_capacity, sizeof(*places->parts));
	places->parts[places->nparts] = (struct part){ .label = label, .type = type };
	table_set(&places->by_label, label ? label : "", places->nparts);
	return places->nparts++;
}

static void add(const struct finder *f, pid_t pid, const unsigned *cpu, size_t part)
{
	struct places *places = f->places;

	places->items = arena_grow(f->arena, places->items, places->count, &places->capacity, sizeof(*places->items));
	places->items[places->count++] =
		(struct place){ .pid = pid, .cpu = cpu, .part = part, .type = places->parts[part].type };
}

/* All that share the core of the CPU, as a list. */
static const char *core_label(const struct finder *f, const struct machine_cpu *cpu)
{
	const struct machine *machine = f->request->machine;
	struct string text = STRING_INIT(f->arena);
	bool is_first = true;

	string_printf(&text, "core %u (CPU", cpu->core);
	for (size_t i = 0; i < machine->online_cpus; i++) {
		if (machine->cpus[i].core != cpu->core)
			continue;
		string_printf(&text, "%s%u", is_first ? " " : ",", machine->cpus[i].number);
		is_first = false;
	}
	string_add(&text, ")");
	return text.text;
}

static const char *cpu_label(const struct finder *f, const struct machine_cpu *cpu)
{
	switch (f->request->subject.split) {
	case SPLIT_SOCKETS: return arena_printf(f->arena, "socket %u", cpu->package);
	case SPLIT_CORES: return core_label(f, cpu);
	case SPLIT_NONE:
	case SPLIT_THREADS: break;
	}
	return NULL;
}

static bool is_wanted(const struct subject *subject, unsigned cpu)
{
	for (size_t i = 0; i < subject->ncpus; i++)
		if (subject->cpus[i] == cpu)
			return true;
	return !subject->ncpus;
}

/* A place on each of the CPUs. */
static void add_cpus(const struct finder *f, pid_t pid)
{
	const struct machine *machine = f->request->machine;

	for (size_t i = 0; i < machine->online_cpus; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];

		if (!is_wanted(&f->request->subject, cpu->number))
			continue;
		for (size_t type = 0; type < f->request->ntypes; type++)
			if (f->counts_for[type][i])
				add(f, pid, &cpu->number, part_of(f, cpu_label(f, cpu), type));
	}
}

static bool is_by_cpu(const struct subject *subject)
{
	return subject->kind == SUBJECT_CPUS || subject->kind == SUBJECT_CGROUP || subject->split == SPLIT_CORES ||
	       subject->split == SPLIT_SOCKETS;
}

static void add_task(const struct finder *f, pid_t pid)
{
	const char *label = NULL;

	if (is_by_cpu(&f->request->subject)) {
		add_cpus(f, pid);
		return;
	}
	if (f->request->subject.split == SPLIT_THREADS)
		label = arena_printf(f->arena, "thread %d %s", (int)pid, thread_name(pid, f->arena));
	for (size_t type = 0; type < f->request->ntypes; type++)
		add(f, pid, NULL, part_of(f, label, type));
}

static int compare(const void *a, const void *b)
{
	pid_t one = *(const pid_t *)a, other = *(const pid_t *)b;

	return (one > other) - (one < other);
}

/* The threads that the subject has now, each once. */
static size_t list_threads(const struct subject *subject, pid_t **threads, struct arena *arena)
{
	size_t count = 0, capacity = 0, different = 0;

	*threads = NULL;
	for (size_t i = 0; i < subject->nids; i++) {
		pid_t lone = subject->ids[i], *some = &lone;
		size_t nsome = subject->kind == SUBJECT_PROCESSES ? threads_list(lone, &some, arena) : 1;

		for (size_t k = 0; k < nsome; k++) {
			*threads = arena_grow(arena, *threads, count, &capacity, sizeof(**threads));
			(*threads)[count++] = some[k];
		}
	}
	if (count)
		qsort(*threads, count, sizeof(**threads), compare);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || (*threads)[i] != (*threads)[i - 1])
			(*threads)[different++] = (*threads)[i];
	return different;
}

static void add_threads(const struct finder *f)
{
	struct places *places = f->places;

	places->nthreads = list_threads(&f->request->subject, &places->threads, f->arena);
	for (size_t i = 0; i < places->nthreads; i++)
		add_task(f, places->threads[i]);
}

/* The directory itself, or its name below the mount of version 2, or of version 1's controller. */
static int open_cgroup(const char *path, struct arena *arena)
{
	static const char *const mounts[] = { "", "/sys/fs/cgroup/", "/sys/fs/cgroup/perf_event/" };

	for (size_t i = 0; i < COUNT_OF(mounts); i++) {
		const char *directory = arena_printf(arena, "%s%s", mounts[i], path);

		if (access(arena_printf(arena, "%s/cgroup.procs", directory), F_OK) == 0)
			return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	errno = ENOENT;
	return -1;
}

static int add_cgroup(const struct finder *f, struct error *err)
{
	const char *path = f->request->subject.cgroup;

	f->places->cgroup = open_cgroup(path, f->arena);
	if (f->places->cgroup < 0 && errno == ENOENT)
		return error_set(err,
				 "%s is no cgroup, nor is there one of that name below /sys/fs/cgroup; "
				 "`systemd-cgls` shows them",
				 path);
	if (f->places->cgroup < 0)
		return error_set(err, "cgroup %s: %s", path, strerror(errno));
	add_cpus(f, f->places->cgroup);
	return 0;
}

static void find_types(struct finder *f)
{
	const struct count_request *request = f->request;

	f->counts_for = arena_array(f->arena, request->ntypes, sizeof(*f->counts_for));
	for (size_t type = 0; type < request->ntypes; type++)
		f->counts_for[type] =
			machine_cpus_of(request->machine, request->types[type].model->events.pmu, f->arena);
}

int places_find(struct places *places, const struct count_request *request, struct arena *arena, struct error *err)
{
	struct finder f = { .places = places, .request = request, .arena = arena };

	*places = (struct places){ .by_label = TABLE_INIT(arena), .cgroup = -1 };
	if (is_by_cpu(&request->subject) && !request->machine->cpus)
		return error_set(err, "this kernel does not list its CPUs in /sys/devices/system/cpu, which counting "
				      "CPU by CPU needs");
	find_types(&f);
	switch (request->subject.kind) {
	case SUBJECT_CPUS: add_cpus(&f, -1); break;
	case SUBJECT_CGROUP: return add_cgroup(&f, err);
	case SUBJECT_PROCESSES:
	case SUBJECT_THREADS: add_threads(&f); break;
	case SUBJECT_PROGRAM: add_task(&f, PID_OF_PROGRAM); break;
	}
	return 0;
}

void places_release(struct places *places)
{
	if (places->cgroup >= 0)
		close(places->cgroup);
	places->cgroup = -1;
}

bool places_are_incomplete(const struct places *places, const struct subject *subject, struct arena *arena)
{
	pid_t *threads;
	size_t count = list_threads(subject, &threads, arena);

	for (size_t i = 0; i < count; i++)
		if (!bsearch(&threads[i], places->threads, places->nthreads, sizeof(*threads), compare))
			return true;
	return false;
}

bool is_place_confined(const struct place *place, const struct count_request *request)
{
	bool is_task = request->subject.kind != SUBJECT_CPUS && request->subject.kind != SUBJECT_CGROUP;

	return is_task && (place->cpu || request->ntypes > 1);
}
