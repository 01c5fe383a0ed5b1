/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/collector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

struct finder {
	struct sites *sites;
	const struct count_request *request;
	struct arena *arena;
	bool **counts_for; /* [type][machine->cpus] */
};

static int sites_compare(const void *a, const void *b)
{
	pid_t one = *(const pid_t *)a, other = *(const pid_t *)b;

	return (one > other) - (one < other);
}

/* The threads of a process, in ascending order; 0 when it is gone. */
static size_t list_threads_of(pid_t process, pid_t **threads, struct arena *arena)
{
	char path[48];
	size_t count = 0, capacity = 0;
	struct dirent *entry;
	DIR *directory;

	*threads = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		long number = strtol(entry->d_name, NULL, 10);

		if (number <= 0)
			continue;
		*threads = arena_grow(arena, *threads, count, &capacity, sizeof(**threads));
		(*threads)[count++] = (pid_t)number;
	}
	if (directory)
		closedir(directory);
	if (count)
		qsort(*threads, count, sizeof(**threads), sites_compare);
	return count;
}

static const char *thread_name(pid_t thread, struct arena *arena)
{
	char name[64];

	if (!task_file_read(thread, "comm", name, sizeof(name)))
		return "?";
	name[strcspn(name, "\n")] = '\0';
	return arena_strdup(arena, name);
}

bool is_task_running(pid_t task)
{
	char text[512];
	const char *state;

	if (!task_file_read(task, "stat", text, sizeof(text)))
		return false;
	state = strrchr(text, ')'); /* the name before it may hold anything */
	return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

static size_t sites_part_of(const struct finder *f, const char *label, size_t type)
{
	const char *type_label = f->request->types[type].label;
	struct sites *sites = f->sites;
	size_t found;

	if (!label)
		label = type_label;
	else if (type_label)
		label = arena_printf(f->arena, "%s, %s", label, type_label);
	found = table_get(&sites->by_label, label ? label : "");
	if (found != TABLE_NONE)
		return found;
	sites->parts = arena_grow(f->arena, sites->parts, sites->nparts, &sites->parts_capacity, sizeof(*sites->parts));
	sites->parts[sites->nparts] = (struct part){ .label = label, .type = type };
	table_set(&sites->by_label, label ? label : "", sites->nparts);
	return sites->nparts++;
}

static struct site *sites_add(const struct finder *f, pid_t pid, const unsigned *cpu, size_t part)
{
	struct sites *sites = f->sites;

	sites->items = arena_grow(f->arena, sites->items, sites->count, &sites->capacity, sizeof(*sites->items));
	sites->items[sites->count] =
		(struct site){ .pid = pid, .cpu = cpu, .part = part, .type = sites->parts[part].type };
	return &sites->items[sites->count++];
}

/* The number of the CPU among those of the part. Sites come in the order of the CPUs, task by task. */
static size_t number_of_cpu(const struct finder *f, struct part *part, const struct machine_cpu *cpu)
{
	for (size_t i = 0; i < part->ncpus; i++)
		if (part->cpus[i].cpu == cpu->number)
			return i;
	part->cpus = arena_grow(f->arena, part->cpus, part->ncpus, &part->capacity, sizeof(*part->cpus));
	part->cpus[part->ncpus] = (struct counted_cpu){ cpu->number, cpu->core, cpu->package };
	return part->ncpus++;
}

static void add_cpu(const struct finder *f, pid_t pid, const struct machine_cpu *cpu, size_t type)
{
	size_t part = sites_part_of(f, NULL, type);

	sites_add(f, pid, &cpu->number, part)->own_cpu = number_of_cpu(f, &f->sites->parts[part], cpu);
}

static bool sites_is_wanted(const struct subject *subject, unsigned cpu)
{
	for (size_t i = 0; i < subject->ncpus; i++)
		if (subject->cpus[i] == cpu)
			return true;
	return !subject->ncpus;
}

/* A site on each of the CPUs. */
static void sites_add_cpus(const struct finder *f, pid_t pid)
{
	const struct machine *machine = f->request->machine;

	for (size_t i = 0; i < machine->online_cpus; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];

		if (!sites_is_wanted(&f->request->subject, cpu->number))
			continue;
		for (size_t type = 0; type < f->request->ntypes; type++)
			if (f->counts_for[type][i])
				add_cpu(f, pid, cpu, type);
	}
}

static bool is_by_cpu(const struct subject *subject)
{
	return subject->kind == SUBJECT_CPUS || subject->kind == SUBJECT_CGROUP || subject->is_by_cpu;
}

static void add_task(const struct finder *f, pid_t pid)
{
	const char *label = NULL;

	if (is_by_cpu(&f->request->subject)) {
		sites_add_cpus(f, pid);
		return;
	}
	if (f->request->subject.is_by_thread)
		label = arena_printf(f->arena, "thread %d %s", (int)pid, thread_name(pid, f->arena));
	for (size_t type = 0; type < f->request->ntypes; type++)
		sites_add(f, pid, NULL, sites_part_of(f, label, type));
}

/* The threads that the subject has now, each once. */
static size_t list_threads(const struct subject *subject, pid_t **threads, struct arena *arena)
{
	size_t count = 0, capacity = 0, different = 0;

	*threads = NULL;
	for (size_t i = 0; i < subject->nids; i++) {
		pid_t lone = subject->ids[i], *some = &lone;
		size_t nsome = subject->kind == SUBJECT_PROCESSES ? list_threads_of(lone, &some, arena) : 1;

		for (size_t k = 0; k < nsome; k++) {
			*threads = arena_grow(arena, *threads, count, &capacity, sizeof(**threads));
			(*threads)[count++] = some[k];
		}
	}
	if (count)
		qsort(*threads, count, sizeof(**threads), sites_compare);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || (*threads)[i] != (*threads)[i - 1])
			(*threads)[different++] = (*threads)[i];
	return different;
}

static void add_threads(const struct finder *f)
{
	struct sites *sites = f->sites;

	sites->nthreads = list_threads(&f->request->subject, &sites->threads, f->arena);
	for (size_t i = 0; i < sites->nthreads; i++)
		add_task(f, sites->threads[i]);
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

	f->sites->cgroup = open_cgroup(path, f->arena);
	if (f->sites->cgroup < 0 && errno == ENOENT)
		return error_set(err,
				 "%s is not a cgroup, and there is none of that name below /sys/fs/cgroup; "
				 "`systemd-cgls` shows them",
				 path);
	if (f->sites->cgroup < 0)
		return error_set(err, "cgroup %s: %s", path, strerror(errno));
	sites_add_cpus(f, f->sites->cgroup);
	return 0;
}

static void find_types(struct finder *f)
{
	static const struct pmu everywhere; /* it has no list of CPUs */
	const struct count_request *request = f->request;

	f->counts_for = arena_array(f->arena, request->ntypes, sizeof(*f->counts_for));
	for (size_t type = 0; type < request->ntypes; type++) {
		const struct model *model = request->types[type].model;

		f->counts_for[type] =
			machine_cpus_of(request->machine, model ? model->events.pmu : &everywhere, f->arena);
	}
}

/* Which threads there are, and when they end, only /proc says. */
static int check_proc(const struct subject *subject, struct error *err)
{
	bool is_needed = subject->kind == SUBJECT_PROCESSES || subject->kind == SUBJECT_THREADS;

	if (!is_needed || access("/proc/self", F_OK) == 0)
		return 0;
	return error_set(err,
			 "%s: /proc is not mounted, and without it threads can't be found; `sudo mount -t proc proc "
			 "/proc` mounts it",
			 subject->name);
}

int sites_find(struct sites *sites, const struct count_request *request, struct arena *arena, struct error *err)
{
	struct finder f = { .sites = sites, .request = request, .arena = arena };

	*sites = (struct sites){ .by_label = TABLE_INIT(arena), .cgroup = -1 };
	if (check_proc(&request->subject, err) < 0)
		return -1;
	if (is_by_cpu(&request->subject) && !request->machine->cpus)
		return error_set(err, "this kernel does not list its CPUs in /sys/devices/system/cpu, which counting "
				      "CPU by CPU needs");
	find_types(&f);
	switch (request->subject.kind) {
	case SUBJECT_CPUS: sites_add_cpus(&f, -1); break;
	case SUBJECT_CGROUP: return add_cgroup(&f, err);
	case SUBJECT_PROCESSES:
	case SUBJECT_THREADS: add_threads(&f); break;
	case SUBJECT_PROGRAM: add_task(&f, PID_OF_PROGRAM); break;
	}
	return 0;
}

void sites_release(struct sites *sites)
{
	if (sites->cgroup >= 0)
		close(sites->cgroup);
	sites->cgroup = -1;
}

bool sites_are_incomplete(const struct sites *sites, const struct subject *subject, struct arena *arena)
{
	pid_t *threads;
	size_t count = list_threads(subject, &threads, arena);

	for (size_t i = 0; i < count; i++)
		if (!bsearch(&threads[i], sites->threads, sites->nthreads, sizeof(*threads), sites_compare))
			return true;
	return false;
}

bool is_site_confined(const struct site *site, const struct count_request *request)
{
	bool is_task = request->subject.kind != SUBJECT_CPUS && request->subject.kind != SUBJECT_CGROUP;

	return is_task && (site->cpu || request->ntypes > 1);
}
