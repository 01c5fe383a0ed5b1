/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_kernel.c - loads wait_kernel.bpf.c, names what threads wait for as soon as they do, and makes the wall clock of
 * what the kernel has added up.
 */
#include <assert.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/perf/perf_sampling.h"
#include "collect/sample/processes.h"
#include "collect/waits/wait_parts.h"
#include "common/base/finder.h"
#include "common/base/text.h"
#include "cpu/identify/tracepoint.h"

#define NS	     1e-9
#define FIRST_SERIAL 0x80000000u /* of threads that topdown adds; the kernel counts its own from 1 */
#define MOST_NAMED   1024	 /* causes of a thread; others have their kind alone */
#define MOST_PATH    4096

static_assert(KERNEL_PART_BITS == LOG_BITS, "times without a CPU");

/* What the build has made of wait_kernel.bpf.c. */
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".local wait_kernel_object, wait_kernel_object_end\n"
	"wait_kernel_object: .incbin \"" WAIT_KERNEL_OBJECT "\"\n"
	"wait_kernel_object_end:\n"
	".popsection\n");
extern const unsigned char wait_kernel_object[], wait_kernel_object_end[];

#define MOST_PROGRAMS 8

struct named_cause {
	struct kernel_key key;
	struct wait_found found;
	struct kernel_cause sums;
};

struct wait_kernel {
	struct arena *arena;
	struct lock_names *locks;
	struct bpf_object *object;
	struct bpf_link *links[MOST_PROGRAMS];
	struct kernel_sums *sums; /* that the program has, too */
	int threads_map, causes_map;
	size_t nlinks;
	struct ring_buffer *messages;
	struct loop_descriptor wakeup;
	struct finder by_key;
	struct named_cause *causes;
	struct kernel_thread *threads; /* those that have ended, and at the end all */
	size_t room, nthreads, threads_room;
	uint32_t ncauses, added;
	int stats;
	bool is_of_many; /* no thread is the first one */
	struct number_table by_tid;
};

/* ---- names ---- */

static bool is_key(const void *owner, uint32_t number, const void *key)
{
	const struct wait_kernel *kernel = owner;

	return !memcmp(&kernel->causes[number].key, key, sizeof(struct kernel_key));
}

static struct named_cause *cause_take(struct wait_kernel *kernel, const struct kernel_key *key)
{
	const uint64_t numbers[] = { key->serial, key->call, key->image, key->object };
	const struct finder_key wanted = { hash_numbers(numbers, COUNT_OF(numbers)), is_key, kernel, key };
	bool is_new;
	uint32_t number = finder_take(&kernel->by_key, &wanted, &kernel->ncauses, &is_new, kernel->arena);

	if (is_new) {
		kernel->causes =
			arena_grow(kernel->arena, kernel->causes, number, &kernel->room, sizeof(*kernel->causes));
		kernel->causes[number] =
			(struct named_cause){ .key = *key, .found = { .kind = WAIT_UNKNOWN, .name = NULL } };
	}
	return &kernel->causes[number];
}

/* The kernel gives the last part of a path. Where the descriptor still leads to such a file, all of it is known. */
static const char *whole_path(const struct kernel_cause_message *message, struct arena *arena)
{
	bool is_second = wait_shown_by(message->key.call) == SHOWN_BY_SECOND_FD;
	const char *link = arena_printf(arena, "/proc/%u/fd/%u", task_with_memory(message->pid, message->tid),
					(unsigned)message->arguments[is_second]);
	char target[MOST_PATH], *last;
	ssize_t length = readlink(link, target, sizeof(target) - 1);

	target[length > 0 ? length : 0] = '\0';
	last = strrchr(target, '/');
	return arena_strdup(arena, last && !strcmp(last + 1, message->file) ? target : message->file);
}

static const char *peer_of(const struct kernel_cause_message *message, struct arena *arena)
{
	unsigned char ip[sizeof(message->address)];

	memcpy(ip, &message->address, sizeof(ip));
	if (!message->port)
		return arena_printf(arena, "own port %u", message->own_port);
	if (!message->address)
		return arena_printf(arena, "port %u", message->port);
	return arena_printf(arena, "%u.%u.%u.%u:%u", ip[0], ip[1], ip[2], ip[3], message->port);
}

static void name_descriptor(struct wait_found *found, const struct kernel_cause_message *message, struct arena *arena)
{
	const char *call = system_call_name(message->key.call), *what = NULL;

	switch (message->object) {
	case OBJECT_FILE: what = whole_path(message, arena); break;
	case OBJECT_PEER: what = peer_of(message, arena); break;
	case OBJECT_PIPE: what = "pipe"; break;
	case OBJECT_SOCKET: what = "local socket"; break;
	case OBJECT_DEVICE: what = whole_path(message, arena); break;
	default: return;
	}
	found->kind = message->object == OBJECT_FILE   ? WAIT_DISK
		      : message->object == OBJECT_PEER ? WAIT_NETWORK
						       : WAIT_PIPE;
	found->call = call;
	found->name = arena_printf(arena, "%s, %s", call ? call : "call", what);
}

static void name_cause(struct wait_kernel *kernel, const struct kernel_cause_message *message)
{
	struct waiting_call call = { .pid = message->pid,
				     .tid = message->tid,
				     .image = lock_names_image(kernel->locks, message->pid),
				     .number = message->key.call,
				     .arguments = { message->arguments[0], message->arguments[1],
						    message->arguments[2] } };
	struct wait_found *found = &cause_take(kernel, &message->key)->found;

	if (message->key.call == NO_CALL_NUMBER)
		*found = message->is_uninterruptible ? (struct wait_found){ .kind = WAIT_FAULT, .name = "page fault" }
						     : (struct wait_found){ .kind = WAIT_OTHER, .name = "stopped" };
	else if (message->object == OBJECT_NONE)
		wait_of_call(found, &call, kernel->locks, kernel->arena);
	else
		name_descriptor(found, message, kernel->arena);
}

static void keep_thread(struct wait_kernel *kernel, const struct kernel_thread *thread)
{
	kernel->threads = arena_grow(kernel->arena, kernel->threads, kernel->nthreads, &kernel->threads_room,
				     sizeof(*kernel->threads));
	kernel->threads[kernel->nthreads++] = *thread;
}

static int take_message(void *context, void *data, size_t size)
{
	struct wait_kernel *kernel = context;
	uint32_t kind;

	if (size < sizeof(kind))
		return 0;
	memcpy(&kind, data, sizeof(kind));
	if (kind == MESSAGE_CAUSE && size >= sizeof(struct kernel_cause_message))
		name_cause(kernel, data);
	else if (kind == MESSAGE_EXEC && size >= sizeof(struct kernel_exec_message))
		lock_names_exec(kernel->locks, ((const struct kernel_exec_message *)data)->pid);
	else if (kind == MESSAGE_END && size >= sizeof(struct kernel_end_message))
		keep_thread(kernel, &((const struct kernel_end_message *)data)->thread);
	return 0;
}

/* ---- loading ---- */

static int be_silent(enum libbpf_print_level level UNUSED, const char *format UNUSED, va_list list UNUSED)
{
	return 0;
}

static void close_kernel(struct wait_kernel *kernel)
{
	for (size_t i = 0; i < kernel->nlinks; i++)
		bpf_link__destroy(kernel->links[i]);
	if (kernel->stats >= 0)
		close(kernel->stats);
	if (kernel->sums)
		munmap(kernel->sums, sizeof(*kernel->sums));
	ring_buffer__free(kernel->messages);
	bpf_object__close(kernel->object);
}

static struct wait_kernel *kernel_refused(struct wait_kernel *kernel, int status, struct error *err)
{
	close_kernel(kernel);
	if (status == -EPERM || status == -EACCES)
		error_set(err, "BPF needs root, or CAP_BPF and CAP_PERFMON");
	else
		error_set(err, "the kernel refuses topdown's BPF program (%s): it needs Linux 5.15 with BTF",
			  strerror(-status));
	return NULL;
}

static int map_of(const struct wait_kernel *kernel, const char *name)
{
	return bpf_object__find_map_fd_by_name(kernel->object, name);
}

/* Variables of a kind are a map. NULL: there is none. */
static struct bpf_map *variables_of(const struct wait_kernel *kernel, const char *section)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, kernel->object)
	{
		const char *found = strstr(bpf_map__name(map), section);

		if (found && !found[strlen(section)])
			return map;
	}
	return NULL;
}

static int kernel_set(struct wait_kernel *kernel, enum kernel_scope scope)
{
	struct bpf_map *map = variables_of(kernel, ".rodata");
	struct kernel_settings settings = { .scope = scope };
	size_t bytes = 0;

	if (map)
		bpf_map__initial_value(map, &bytes);
	if (bytes != sizeof(settings))
		return -EINVAL;
	for (uint64_t i = 0; i < KERNEL_CALLS; i++)
		settings.shown_by[i] = (unsigned char)wait_shown_by(i);
	return bpf_map__set_initial_value(map, &settings, sizeof(settings));
}

static int load(struct wait_kernel *kernel, enum kernel_scope scope)
{
	const size_t bytes = (size_t)(wait_kernel_object_end - wait_kernel_object);
	const struct bpf_object_open_opts options = { .sz = sizeof(options), .object_name = "topdown_wall" };
	struct bpf_map *sums;
	void *memory;
	int status;

	kernel->object = bpf_object__open_mem(wait_kernel_object, bytes, &options);
	if (!kernel->object)
		return -errno;
	sums = variables_of(kernel, ".bss");
	if (!sums || bpf_map__value_size(sums) < sizeof(*kernel->sums))
		return -EINVAL;
	status = kernel_set(kernel, scope);
	if (status == 0)
		status = bpf_object__load(kernel->object);
	if (status < 0)
		return status;
	memory = mmap(NULL, sizeof(*kernel->sums), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(sums), 0);
	if (memory == MAP_FAILED)
		return -errno;
	kernel->sums = memory;
	kernel->threads_map = map_of(kernel, "threads");
	kernel->causes_map = map_of(kernel, "causes");
	return 0;
}

static int attach(struct wait_kernel *kernel)
{
	struct bpf_program *program;

	kernel->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	kernel->messages = ring_buffer__new(map_of(kernel, "messages"), take_message, kernel, NULL);
	if (!kernel->messages)
		return -errno;
	bpf_object__for_each_program(program, kernel->object)
	{
		struct bpf_link *link = kernel->nlinks < MOST_PROGRAMS ? bpf_program__attach(program) : NULL;

		if (!link)
			return -errno;
		kernel->links[kernel->nlinks++] = link;
	}
	return 0;
}

struct wait_kernel *wait_kernel_open(enum kernel_scope scope, int cgroup, struct lock_names *locks, struct arena *arena,
				     struct error *err)
{
	struct wait_kernel *kernel = arena_alloc(arena, sizeof(*kernel));
	const uint32_t first = 0;
	int status;

	*kernel = (struct wait_kernel){
		.arena = arena, .locks = locks, .stats = -1, .is_of_many = scope != KERNEL_TASKS
	};
	libbpf_set_print(be_silent);
	status = load(kernel, scope);
	if (status == 0 && scope == KERNEL_CGROUP &&
	    bpf_map_update_elem(map_of(kernel, "cgroups"), &first, &cgroup, BPF_ANY) < 0)
		status = -errno;
	if (status == 0)
		status = attach(kernel);
	return status < 0 ? kernel_refused(kernel, status, err) : kernel;
}

/* What it waits for already is looked at; a thread that runs waits for nothing. */
void wait_kernel_add(struct wait_kernel *kernel, uint32_t pid, uint32_t tid)
{
	struct kernel_thread thread = {
		.pid = pid, .tid = tid, .serial = FIRST_SERIAL + kernel->added++, .state = KERNEL_WAITS
	};
	const struct waiting_thread own = { .pid = pid, .tid = tid };
	const struct kernel_cause none = { .time = 0 };
	struct wait_found *found;

	thread.key = (struct kernel_key){ .serial = thread.serial, .call = NO_CALL_NUMBER };
	found = &cause_take(kernel, &thread.key)->found;
	if (wait_look(found, &own, kernel->locks, NULL, kernel->arena) != LOOK_FOUND) {
		*found = (struct wait_found){ .kind = WAIT_UNKNOWN, .name = NULL };
		thread.state = KERNEL_RUNS;
	}
	bpf_map_update_elem(kernel->causes_map, &thread.key, &none, BPF_NOEXIST);
	bpf_map_update_elem(kernel->threads_map, &tid, &thread, BPF_ANY);
}

static int messages_are_there(void *context, struct error *err UNUSED)
{
	struct wait_kernel *kernel = context;

	ring_buffer__consume(kernel->messages);
	return 0;
}

void wait_kernel_attach(struct wait_kernel *kernel, struct loop *loop)
{
	kernel->wakeup = (struct loop_descriptor){ .fd = ring_buffer__epoll_fd(kernel->messages),
						   .events = POLLIN,
						   .call = messages_are_there,
						   .context = kernel };
	loop_add(loop, &kernel->wakeup);
}

/* The program reads the clock meanwhile: it stands first, and goes on last. */
void wait_kernel_switch(struct wait_kernel *kernel, bool is_on)
{
	volatile struct kernel_clock *clock = &kernel->sums->clock;
	uint64_t now = perf_sampling_clock(), begun = clock->begun;

	clock->begun = 0;
	clock->measured += begun && now > begun ? now - begun : 0;
	clock->begun = is_on ? now : 0;
}

/* ---- the end ---- */

static void read_threads(struct wait_kernel *kernel)
{
	uint32_t tid, *last = NULL;
	struct kernel_thread thread;

	for (size_t i = 0; i < KERNEL_THREADS && bpf_map_get_next_key(kernel->threads_map, last, &tid) == 0; i++) {
		last = &tid;
		if (bpf_map_lookup_elem(kernel->threads_map, &tid, &thread) < 0)
			continue;
		thread_read_name(thread.name, thread.pid, thread.tid);
		keep_thread(kernel, &thread);
	}
}

static void read_causes(struct wait_kernel *kernel)
{
	struct kernel_key key, *last = NULL;
	struct kernel_cause sums;

	for (size_t i = 0; i < KERNEL_CAUSES && bpf_map_get_next_key(kernel->causes_map, last, &key) == 0; i++) {
		last = &key;
		if (bpf_map_lookup_elem(kernel->causes_map, &key, &sums) == 0)
			cause_take(kernel, &key)->sums = sums;
	}
}

/* A state goes on at the end. */
static void settle_thread(struct wait_kernel *kernel, struct kernel_thread *thread, uint64_t end)
{
	uint64_t length = end > thread->since ? end - thread->since : 0;
	uint64_t queued = thread->woken && end > thread->woken ? end - thread->woken : 0;
	struct kernel_cause *sums;

	switch (thread->state) {
	case KERNEL_RUNS: thread->running += length; break;
	case KERNEL_READY: thread->preempted += length; break;
	case KERNEL_WAITS:
		sums = &cause_take(kernel, &thread->key)->sums;
		queued = queued < length ? queued : length;
		sums->time += length - queued;
		sums->waits++;
		sums->longest = length > sums->longest ? length : sums->longest;
		thread->queued += queued;
		break;
	default: break;
	}
	thread->since = end;
}

static int compare_by_serial(const void *first, const void *second)
{
	const struct named_cause *a = first, *b = second;

	return (a->key.serial > b->key.serial) - (a->key.serial < b->key.serial);
}

static const char *name_of_tid(const struct wait_kernel *kernel, uint32_t tid)
{
	const struct kernel_thread *thread = number_table_get(&kernel->by_tid, tid);

	return thread ? arena_strdup(kernel->arena, thread->name) : NULL;
}

/* The same file that was opened anew, or the same lock of another program of that thread. */
static struct wait_cause *cause_named(struct waiting_thread *own, const struct wait_found *found)
{
	for (size_t i = 0; i < own->ncauses; i++)
		if (own->causes[i].kind == found->kind && compare_texts(own->causes[i].name, found->name) == 0)
			return &own->causes[i];
	own->causes[own->ncauses] =
		(struct wait_cause){ .kind = found->kind, .name = found->name, .call = found->call };
	return &own->causes[own->ncauses++];
}

static void take_causes(struct waiting_thread *own, const struct wait_kernel *kernel, const struct named_cause *causes,
			size_t count)
{
	own->causes = arena_array(kernel->arena, count + 1, sizeof(*own->causes));
	for (size_t i = 0; i < count; i++) {
		const struct kernel_cause *sums = &causes[i].sums;
		struct wait_found found = causes[i].found;
		struct wait_cause *cause;

		if (!sums->time)
			continue;
		if (own->ncauses >= MOST_NAMED)
			found.name = "others";
		cause = cause_named(own, &found);
		cause->time_s += (double)sums->time * NS;
		cause->longest_s = fmax(cause->longest_s, (double)sums->longest * NS);
		cause->waits += sums->waits;
		if (sums->by && found.kind == WAIT_LOCK) {
			cause->by = sums->by;
			cause->by_name = name_of_tid(kernel, sums->by);
		}
	}
	waits_sort_causes(own);
}

static struct waiting_thread thread_of(const struct wait_kernel *kernel, const struct kernel_thread *thread)
{
	return (struct waiting_thread){ .pid = thread->pid,
					.tid = thread->tid,
					.name = arena_strdup(kernel->arena, thread->name),
					.from_s = (double)thread->from * NS,
					.running_s = (double)thread->running * NS,
					.preempted_s = (double)thread->preempted * NS,
					.queued_s = (double)thread->queued * NS,
					.waits = thread->waits,
					.preemptions = thread->preemptions,
					.migrations = thread->migrations,
					.ready_longest_s = (double)thread->longest_ready * NS };
}

static void take_ready(struct waits *waits, const struct wait_kernel *kernel)
{
	struct log_histogram *ready = arena_alloc(kernel->arena, sizeof(*ready));

	memcpy(ready->buckets, kernel->sums->ready, sizeof(ready->buckets));
	for (size_t i = 0; i < LOG_BUCKETS; i++)
		ready->count += ready->buckets[i];
	ready->sum = kernel->sums->ready_sum;
	ready->most = kernel->sums->ready_longest;
	waits->ready = ready->count ? ready : NULL;
}

static int compare_by_beginning(const void *first, const void *second)
{
	const struct kernel_thread *a = first, *b = second;
	int order = (b->serial >= FIRST_SERIAL) - (a->serial >= FIRST_SERIAL);

	return order ? order : (a->serial > b->serial) - (a->serial < b->serial);
}

static double kernel_cpu_s(const struct wait_kernel *kernel)
{
	struct bpf_program *program;
	double used = 0;

	bpf_object__for_each_program(program, kernel->object)
	{
		struct bpf_prog_info info = { .type = 0 };
		uint32_t bytes = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0)
			used += (double)info.run_time_ns * NS;
	}
	return used;
}

/* The first cause of the thread with this serial, of those that are sorted by it. */
static size_t first_cause(const struct wait_kernel *kernel, uint32_t serial)
{
	size_t low = 0, high = kernel->ncauses;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kernel->causes[middle].key.serial < serial)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_thread(struct waiting_thread *own, const struct wait_kernel *kernel,
			const struct kernel_thread *thread)
{
	size_t first = first_cause(kernel, thread->serial), count = 0;

	while (first + count < kernel->ncauses && kernel->causes[first + count].key.serial == thread->serial)
		count++;
	*own = thread_of(kernel, thread);
	take_causes(own, kernel, kernel->causes + first, count);
	own->to_s = own->from_s + own->running_s + own->preempted_s + own->queued_s + thread_waited(own, WAIT_KINDS);
}

/* Everything that the kernel has, with what goes on at the end, sorted. */
static void read_all(struct wait_kernel *kernel, uint64_t end)
{
	size_t living;

	ring_buffer__consume(kernel->messages);
	read_causes(kernel);
	living = kernel->nthreads;
	read_threads(kernel);
	for (size_t i = living; i < kernel->nthreads; i++)
		settle_thread(kernel, &kernel->threads[i], end);
	if (kernel->nthreads)
		qsort(kernel->threads, kernel->nthreads, sizeof(*kernel->threads), compare_by_beginning);
	if (kernel->ncauses)
		qsort(kernel->causes, kernel->ncauses, sizeof(*kernel->causes), compare_by_serial);
	for (size_t i = 0; i < kernel->nthreads; i++)
		number_table_set(&kernel->by_tid, kernel->threads[i].tid, &kernel->threads[i]);
}

static void sort_tasks(struct waits *waits, const char *wanted)
{
	size_t i = 0;

	while (wanted && i < waits->count && !is_thread_called(&waits->threads[i], wanted))
		i++;
	if (wanted && i < waits->count)
		waits_lead(waits, waits->threads[i].tid);
	waits_sort_threads(waits);
}

struct waits *wait_kernel_finish(struct wait_kernel *kernel, const char *wanted)
{
	struct waits *waits = arena_alloc(kernel->arena, sizeof(*waits));
	uint64_t end;

	wait_kernel_switch(kernel, false);
	end = kernel->sums->clock.measured;
	read_all(kernel, end);
	*waits = (struct waits){ .threads = arena_array(kernel->arena, kernel->nthreads + 2, sizeof(*waits->threads)),
				 .count = kernel->nthreads,
				 .lost = kernel->sums->lost,
				 .length_s = (double)end * NS,
				 .cpu_s = kernel_cpu_s(kernel),
				 .has_calls = true,
				 .is_summed = true };
	for (size_t i = 0; i < kernel->nthreads; i++)
		take_thread(&waits->threads[i], kernel, &kernel->threads[i]);
	take_ready(waits, kernel);
	if (kernel->is_of_many)
		waits_sum(waits, kernel->arena);
	else
		sort_tasks(waits, wanted);
	number_table_release(&kernel->by_tid);
	close_kernel(kernel);
	return waits;
}
