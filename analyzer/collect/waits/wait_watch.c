/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_watch.c - the wall clock of the first run's threads, as an observer. The kernel says when each gets and leaves a
 * CPU (PERF_RECORD_SWITCH, which any user may have of own processes), and WAIT_LOOK_S apart /proc is asked what those
 * that wait are waiting for. Nothing is stopped, and the program is not changed.
 */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collect/observe/observer.h"
#include "collect/perf/perf_sampling.h"
#include "collect/sample/sampler.h"
#include "collect/waits/wait_machine.h"
#include "collect/waits/wait_parts.h"
#include "common/base/text.h"
#include "common/measurement/counts.h"
#include "common/request/request.h"
#include "cpu/identify/tracepoint.h"

#define RING_BYTES  ((size_t)1024 * 1024) /* or what this user is allowed */
#define MOST_BYTES  (8 * RING_BYTES)
#define ALL_RINGS   (64 * RING_BYTES)
#define MOST_LOOKS  64	    /* at once */
#define QUOTA_TURNS 10	    /* looks from one at the quota to the next */
#define IN_RUN	    5000000 /* ns: records of other CPUs that are just being written */

struct wait_watch {
	struct observer observer;
	struct arena *arena;
	struct wait_machine machine;
	struct lock_names *locks;
	struct wait_calls *calls;   /* NULL: nobody's registers are seen */
	struct wait_kernel *kernel; /* that adds up this repeat's waits; NULL: they are recorded */
	enum bpf_choice by_bpf;
	const char *wanted; /* the thread whose clock it is; NULL: the first one */
	uint64_t interval;  /* ns, of a clock each; 0: for the whole time alone */
	bool has_cpu_list;
	struct number_table about; /* of threads that are leaving their CPUs: what they wait for */
	struct rings rings;
	size_t ring_bytes;
	struct perf_sampled *open;
	size_t nopen, room;
	struct loop_alarm look;
	size_t turns;	     /* of looking */
	size_t next;	     /* of the table of threads: where the next turn begins */
	bool is_done;	     /* the first run of this repeat has ended: others are not watched */
	struct waits *first; /* what came of the first repeat; NULL: nothing, yet */
	double **repeats;    /* of each its main thread's clock, NULL: unknown */
	size_t nrepeats, repeats_room;
	double cpu_s;
	const char *refused, *unlooked;
	uint64_t end;
	bool has_waking;  /* this machine reports who wakes whom */
	uint64_t waking;  /* the tracepoint's number */
	size_t woken_at;  /* where it says whom */
	uint32_t process; /* the first of them: whose cgroup's quota counts */
	uint64_t throttled, last_throttled;
};

#define WAKING "sched/sched_waking"
/* common_flags of all tracepoints: it was an interrupt (include/linux/trace_events.h) */
#define FLAGS_AT     2
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

#define EXTRA (PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER)

static struct record_format format_of(const struct wait_watch *watch)
{
	return (struct record_format){ .sample_type = SAMPLING_TYPE | (watch->calls ? EXTRA : PERF_SAMPLE_RAW),
				       .regs_user = watch->calls ? wait_calls_registers() : 0,
				       .has_ids = true };
}

/* ---- records ---- */

/* What the thread waits for, if it is to wait: the record of its turn comes next. */
static void take_registers(struct wait_watch *watch, const struct record *record)
{
	struct wait_found *about = number_table_get(&watch->about, record->identity.tid);

	if (!about) {
		about = arena_alloc(watch->arena, sizeof(*about));
		number_table_set(&watch->about, record->identity.tid, about);
	}
	about->is_recorded = wait_calls_find(watch->calls, about, record);
}

static void take_turn(struct wait_watch *watch, const struct record *record)
{
	const struct record_identity *who = &record->identity;
	struct wait_found *about = number_table_get(&watch->about, who->tid);
	const struct thread_turn turn = { who->pid, who->tid,
					  !record->of.turn.is_out      ? THREAD_RUNS
					  : record->of.turn.is_preempt ? THREAD_READY
								       : THREAD_WAITS,
					  who->cpu };

	wait_machine_move(&watch->machine, &turn, who->time);
	if (!about)
		return;
	if (about->is_recorded && turn.state == THREAD_WAITS)
		wait_machine_look(&watch->machine, who->tid, about);
	about->is_recorded = false;
}

/* Whoever was interrupted when a timer or a device woke somebody has not done it. */
static void take_waking(struct wait_watch *watch, const struct record *record)
{
	const struct record_sample *sample = &record->of.sample;
	uint32_t woken;

	if (watch->calls && sample->raw_bytes <= FLAGS_AT + sizeof(woken)) {
		take_registers(watch, record);
		return;
	}
	if (!sample->raw || sample->raw_bytes < watch->woken_at + sizeof(woken) || sample->raw_bytes <= FLAGS_AT)
		return;
	memcpy(&woken, sample->raw + watch->woken_at, sizeof(woken));
	wait_machine_wake(&watch->machine, woken,
			  sample->raw[FLAGS_AT] & (FLAG_HARDIRQ | FLAG_SOFTIRQ) ? 0 : record->identity.tid,
			  record->identity.time);
}

static void take_record(void *context, const struct record *record)
{
	struct wait_watch *watch = context;
	struct wait_machine *machine = &watch->machine;
	const struct record_identity *who = &record->identity;
	const struct record_task *task = &record->of.task;

	switch (record->type) {
	case PERF_RECORD_SAMPLE: take_waking(watch, record); break;
	case PERF_RECORD_SWITCH: take_turn(watch, record); break;
	case PERF_RECORD_FORK:
		wait_machine_add(machine, &(struct new_thread){ task->pid, task->tid, task->parent_tid, THREAD_READY },
				 who->time);
		break;
	case PERF_RECORD_EXIT: wait_machine_remove(machine, task->tid, who->time); break;
	case PERF_RECORD_COMM:
		wait_machine_rename(machine, record->of.comm.tid, record->of.comm.name);
		if (record->of.comm.is_exec)
			lock_names_exec(watch->locks, record->of.comm.pid);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: machine->lost += record->of.loss.count; break;
	default: break;
	}
}

static void read_records(struct wait_watch *watch, uint64_t until)
{
	const struct record_format format = format_of(watch);

	rings_read(&watch->rings, &format, until, take_record, watch);
}

/* ---- looks ---- */

static void look_at(struct wait_watch *watch, struct machine_thread *thread)
{
	struct wait_found found;
	uint64_t delay = thread_delay(thread->own.pid, thread->own.tid);

	if (delay)
		wait_machine_delay(thread, delay);
	if (thread->state != THREAD_WAITS || (thread->current != SIZE_MAX && !thread->is_vague))
		return;
	switch (wait_look(&found, &thread->own, watch->locks, watch->calls, watch->arena)) {
	case LOOK_FOUND: wait_machine_look(&watch->machine, thread->own.tid, &found); break;
	case LOOK_REFUSED: watch->unlooked = "this user may not look at them (/proc/PID/syscall)"; break;
	case LOOK_RUNS: break;
	}
}

/* A thread whose wait is known, and that has not run since, says nothing new. */
static bool is_worth_a_look(const struct machine_thread *thread)
{
	return !(thread->state == THREAD_WAITS && thread->current != SIZE_MAX && !thread->is_vague);
}

/* Where there are more than can be looked at, the next turn goes on behind them. */
static void look_around(struct wait_watch *watch)
{
	const struct number_table *alive = &watch->machine.by_tid;
	size_t looks = 0;

	for (size_t i = 0; i < alive->capacity && looks < MOST_LOOKS; i++) {
		struct machine_thread *thread;

		watch->next = (watch->next + 1) % alive->capacity;
		thread = alive->entries[watch->next].value;
		if (!thread || !is_worth_a_look(thread))
			continue;
		look_at(watch, thread);
		looks++;
	}
}

/* While the process is there: its cgroup is forgotten with it. */
static void look_at_quota(struct wait_watch *watch)
{
	uint64_t throttled = process_throttled(watch->process);

	watch->last_throttled = throttled ? throttled : watch->last_throttled;
}

static double own_cpu_s(void)
{
	struct timespec used;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) < 0 ? 0
								 : (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Everything until now is read first, so that a look belongs to the wait that it finds. */
static int wait_watch_look_is_due(void *context, struct error *err UNUSED)
{
	struct wait_watch *watch = context;
	double begun = own_cpu_s();

	read_records(watch, perf_sampling_clock());
	look_around(watch);
	if (++watch->turns % QUOTA_TURNS == 0)
		look_at_quota(watch);
	watch->cpu_s += own_cpu_s() - begun;
	return 0;
}

static int records_are_there(void *context, struct error *err UNUSED)
{
	struct wait_watch *watch = context;
	double begun = own_cpu_s();

	read_records(watch, perf_sampling_clock() - IN_RUN);
	if (rings_are_tight(&watch->rings))
		read_records(watch, perf_sampling_clock());
	watch->cpu_s += own_cpu_s() - begun;
	return 0;
}

/* ---- the events of a run ---- */

static void wait_watch_drop(struct wait_watch *watch)
{
	rings_release(&watch->rings);
	for (size_t i = 0; i < watch->nopen; i++)
		perf_sampled_close(&watch->open[i]);
	watch->nopen = 0;
}

static struct perf_sampling how_of(const struct wait_watch *watch)
{
	const struct record_format format = format_of(watch);

	return (struct perf_sampling){ .extra = format.sample_type & ~(uint64_t)SAMPLING_TYPE,
				       .registers = format.regs_user };
}

/* Whoever may not see registers has the turns alone. */
static int open_switches(struct wait_watch *watch, struct perf_sampled *sampled, const struct perf_target *target)
{
	struct perf_sampling how = how_of(watch);
	int status = perf_switches_open(sampled, target, &how);

	if (watch->calls && !watch->nopen && (status == -EACCES || status == -EPERM)) {
		watch->calls = NULL;
		how = how_of(watch);
		status = perf_switches_open(sampled, target, &how);
	}
	return status;
}

/* Where this user may not: nobody knows then who woke whom. */
static void open_waking(struct wait_watch *watch, const struct perf_target *target, int ring)
{
	struct perf_sampling how = how_of(watch);
	struct perf_sampled *sampled;

	how.config = watch->waking;
	watch->open = arena_grow(watch->arena, watch->open, watch->nopen, &watch->room, sizeof(*watch->open));
	sampled = &watch->open[watch->nopen];
	if (perf_tracepoint_sampled_open(sampled, target, &how) < 0) {
		watch->has_waking = false;
		return;
	}
	watch->nopen++;
	if (perf_sampled_share(sampled, ring) < 0)
		watch->has_waking = false;
}

/* 0, or -errno. The CPU may be offline. */
static int open_on_cpu(struct wait_watch *watch, const struct perf_target *target, unsigned cpu)
{
	struct perf_target own = *target;
	struct perf_sampled *sampled;
	const struct cpu_ring *ring = rings_find(&watch->rings, cpu);
	int status;

	own.cpu = &cpu;
	watch->open = arena_grow(watch->arena, watch->open, watch->nopen, &watch->room, sizeof(*watch->open));
	sampled = &watch->open[watch->nopen];
	status = open_switches(watch, sampled, &own);
	if (status < 0)
		return status == -ENODEV || perf_target_is_gone(target, -status) ? 0 : status;
	watch->nopen++;
	status = ring ? perf_sampled_share(sampled, ring->fd)
		      : rings_add(&watch->rings, cpu, sampled->fd, &watch->ring_bytes);
	if (status == 0 && watch->has_waking)
		open_waking(watch, &own, rings_find(&watch->rings, cpu)->fd);
	return status;
}

static const char *refusal(int status, struct arena *arena)
{
	if (status == -EACCES || status == -EPERM)
		return "the kernel lets this user record nothing (`sudo sysctl kernel.perf_event_paranoid=2` would)";
	return arena_printf(arena, "the kernel refuses to record switches: %s", strerror(-status));
}

static int wait_watch_open_site(struct wait_watch *watch, const struct perf_target *target)
{
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	int status = 0;

	for (long i = 0; i < ncpus && status == 0; i++)
		status = open_on_cpu(watch, target, (unsigned)i);
	return status;
}

/* One that waits for its exec, or that was there before. */
static void wait_watch_add_thread(struct wait_watch *watch, const struct perf_target *target)
{
	uint32_t tid = (uint32_t)target->pid, pid = target->is_attached ? process_of_thread(tid) : tid;
	char name[NAME_BYTES] = "";
	struct machine_thread *thread;

	if (!pid)
		return;
	thread = wait_machine_add(&watch->machine, &(struct new_thread){ pid, tid, 0, THREAD_WAITS },
				  perf_sampling_clock());
	thread->delay = thread_delay(pid, tid);
	if (!watch->process) {
		watch->process = pid;
		watch->throttled = process_throttled(pid);
	}
	thread_read_name(name, pid, tid);
	if (*name)
		wait_machine_rename(&watch->machine, tid, name);
}

/* Of several the first is shown; of all it is known how long each part was. */
static void begin_repeat(struct wait_watch *watch)
{
	wait_machine_init(&watch->machine, watch->arena);
	watch->machine.wanted = watch->wanted;
	watch->machine.interval = watch->interval;
	watch->process = 0;
	watch->throttled = watch->last_throttled = 0;
}

/* Else rings count against the memory that this user may lock, and large ones would leave none to sampling. */
static bool may_lock_memory(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, data) == 0 && data[0].effective & 1u << CAP_IPC_LOCK;
}

/*
 * Where sampling copies stacks of the same switches, a record of registers takes the room of a stack as well: the
 * kernel keeps one count of bytes for all software events of a switch (kernel/events/core.c, do_perf_sw_event).
 */
static size_t wanted_bytes(const struct wait_watch *watch)
{
	const size_t ncpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	size_t bytes = watch->calls && may_lock_memory() ? MOST_BYTES : RING_BYTES;

	while (bytes > RING_BYTES && bytes * ncpus > ALL_RINGS)
		bytes /= 2;
	return bytes;
}

/* 0, or -errno. */
static int open_records(struct wait_watch *watch, const struct observer_sites *sites)
{
	int status = 0;

	watch->ring_bytes = wanted_bytes(watch);
	for (size_t i = 0; i < sites->count && status == 0; i++) {
		const struct perf_target *target = &sites->items[i].target;

		if (sites->items[i].type != 0 && !target->cpu)
			continue;
		status = wait_watch_open_site(watch, target);
		wait_watch_add_thread(watch, target);
	}
	return status;
}

/* ---- or the kernel adds up ---- */

/* Whole CPUs and cgroups have no records of their tasks alone. */
static bool is_by_kernel(const struct wait_watch *watch, const struct observer_sites *sites)
{
	return watch->by_bpf == BPF_ON || (sites->count && !perf_target_is_task(&sites->items[0].target));
}

static void add_to_kernel(struct wait_watch *watch, const struct perf_target *target)
{
	uint32_t tid = (uint32_t)target->pid, pid = target->is_attached ? process_of_thread(tid) : tid;

	if (pid)
		wait_kernel_add(watch->kernel, pid, tid);
}

static void open_kernel(struct wait_watch *watch, const struct observer_sites *sites)
{
	const struct perf_target *first = sites->count ? &sites->items[0].target : NULL;
	struct error err = { .text = "" };

	if (!first || watch->by_bpf == BPF_OFF || watch->has_cpu_list) {
		watch->refused = watch->has_cpu_list ? "it is of threads, which are not on some CPUs alone"
						     : arena_worded(watch->arena,
								    "whole CPUs and a cgroup need BPF ({by-bpf off})");
		return;
	}
	watch->kernel = wait_kernel_open(first->is_cgroup	      ? KERNEL_CGROUP
					 : perf_target_is_task(first) ? KERNEL_TASKS
								      : KERNEL_ALL,
					 first->pid, watch->locks, watch->arena, &err);
	if (!watch->kernel)
		watch->refused = arena_strdup(watch->arena, err.text);
	for (size_t i = 0; watch->kernel && i < sites->count && perf_target_is_task(first); i++)
		if (sites->items[i].type == 0)
			add_to_kernel(watch, &sites->items[i].target);
}

static int on_open(void *context, const struct observer_sites *sites, struct error *err UNUSED)
{
	struct wait_watch *watch = context;
	int status;

	if (sites->run || watch->refused)
		return 0;
	begin_repeat(watch);
	if (is_by_kernel(watch, sites)) {
		open_kernel(watch, sites);
		return 0;
	}
	status = open_records(watch, sites);
	watch->machine.has_wakes = watch->has_waking;
	if (status < 0)
		watch->refused = refusal(status, watch->arena);
	if (watch->refused)
		wait_watch_drop(watch);
	return 0;
}

static void wait_watch_on_attach(void *context, struct loop *loop)
{
	struct wait_watch *watch = context;

	if (watch->kernel)
		wait_kernel_attach(watch->kernel, loop);
	if (!watch->rings.count)
		return;
	for (size_t i = 0; i < watch->rings.count; i++) {
		struct cpu_ring *ring = &watch->rings.items[i];

		ring->wakeup = (struct loop_descriptor){
			.fd = ring->fd, .events = POLLIN, .call = records_are_there, .context = watch
		};
		loop_add(loop, &ring->wakeup);
	}
	watch->look = (struct loop_alarm){ .call = wait_watch_look_is_due, .context = watch, .period_s = WAIT_LOOK_S };
	loop_set(loop, &watch->look, clock_now() + WAIT_LOOK_S);
}

static void on_change(void *context, bool is_on)
{
	struct wait_watch *watch = context;
	uint64_t now = perf_sampling_clock();

	if (watch->kernel)
		wait_kernel_switch(watch->kernel, is_on);
	if (!watch->rings.count)
		return;
	read_records(watch, now);
	wait_machine_switch(&watch->machine, is_on, now);
}

static struct waits *finish_machine(struct wait_watch *watch)
{
	struct waits *waits;

	if (watch->kernel) {
		waits = wait_kernel_finish(watch->kernel, watch->wanted);
		watch->cpu_s += waits->cpu_s;
		watch->kernel = NULL;
		return waits;
	}
	waits = wait_machine_finish(&watch->machine, watch->end);

	waits_throttle(waits, watch->last_throttled > watch->throttled ? watch->last_throttled - watch->throttled : 0);
	number_table_release(&watch->about);
	watch->about = (struct number_table){ .count = 0 };
	wait_machine_release(&watch->machine);
	return waits;
}

static void end_repeat(struct wait_watch *watch)
{
	struct waits *waits = finish_machine(watch);
	double *parts = waits->count ? arena_array(watch->arena, WALL_PARTS, sizeof(*parts)) : NULL;

	if (parts)
		wall_parts(parts, &waits->threads[0]);
	watch->repeats = arena_grow(watch->arena, watch->repeats, watch->nrepeats, &watch->repeats_room,
				    sizeof(*watch->repeats));
	watch->repeats[watch->nrepeats++] = parts;
	if (!watch->first)
		watch->first = waits;
}

static void on_close(void *context)
{
	struct wait_watch *watch = context;

	if (watch->kernel) {
		watch->is_done = true;
		end_repeat(watch);
	}
	if (!watch->rings.count)
		return;
	watch->end = perf_sampling_clock();
	read_records(watch, UINT64_MAX);
	watch->is_done = true;
	wait_watch_drop(watch);
	end_repeat(watch);
}

static void on_finish(void *context, struct measurement *measured)
{
	struct wait_watch *watch = context;
	struct counts *counts = measured && measured->count ? &measured->parts[0] : NULL;

	if (measured) {
		measured->waits = watch->first ? watch->first : finish_machine(watch);
		measured->waits->cpu_s = watch->cpu_s;
		measured->waits->has_wakes = watch->has_waking || measured->waits->is_summed;
		measured->waits->has_calls = watch->calls != NULL || measured->waits->is_summed;
		measured->waits->refused = watch->is_done ? NULL : watch->refused;
		measured->waits->unlooked = watch->unlooked;
	}
	for (size_t i = 0; counts && i < counts->nrepeats && i < watch->nrepeats; i++)
		counts->repeats[i].wall = watch->repeats[i];
	number_table_release(&watch->about);
	lock_names_release(watch->locks);
	wait_machine_release(&watch->machine);
}

/* ---- what is asked for ---- */

static bool is_wanted(const struct request *request)
{
	return request->setup->packing.wants_wall;
}

static struct observer *make(const struct request *request)
{
	struct wait_watch *watch = arena_alloc(request->arena, sizeof(*watch));
	struct error unknown = { .text = "" };

	watch->arena = request->arena;
	watch->wanted = request->question->filter.thread;
	watch->by_bpf = request->setup->packing.by_bpf;
	watch->interval = (uint64_t)(request->setup->timing.interval_ms * 1e6);
	watch->has_cpu_list = request->setup->subject.cpus != NULL;
	watch->locks = lock_names_new(request->arena);
	if (wait_calls_registers())
		watch->calls = wait_calls_new(watch->locks, request->arena);
	watch->has_waking = tracepoint_identify(&watch->waking, "", WAKING, request->arena, &unknown) == 0 &&
			    tracepoint_field(&watch->woken_at, "", WAKING, "pid_t pid", request->arena);
	wait_machine_init(&watch->machine, request->arena);
	watch->observer = (struct observer){ .context = watch,
					     .open = on_open,
					     .attach = wait_watch_on_attach,
					     .change = on_change,
					     .close = on_close,
					     .finish = on_finish };
	return &watch->observer;
}

const struct observer_kind observe_waits = { is_wanted, NULL, make };
