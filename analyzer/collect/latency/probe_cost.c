/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_cost.c - what probes cost a call: they are set on a function of topdown's own that does nothing, or on a short
 * system call, and it is called with them and without.
 */
#include <link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collect/latency/latency_parts.h"

#define OWN_FILE "/proc/self/exe"
#define CHUNKS	 21
#define CALLS	 50 /* of a chunk */
/* ---- what is called ---- */

/*
 * The kernel does what stood in the place of a breakpoint: some instructions by itself (arch/x86/kernel/uprobes.c,
 * arch/arm64/kernel/probes), others by a single step, which is another exception.
 */
void probe_cost_done(void), probe_cost_stepped(void);
#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	"probe_cost_done: push %rbp; pop %rbp; ret\n"
	"probe_cost_stepped: xor %eax, %eax; ret\n"
	".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
	"probe_cost_done: nop; ret\n"
	"probe_cost_stepped: mov x0, #0; ret\n"
	".popsection\n");
#endif

/* Pushes, jumps and calls of x86; nothing and branches of Arm. */
static bool is_stepped(const unsigned char code[4])
{
#if defined(__x86_64__)
	unsigned char first = code[0] == 0x41 ? code[1] : code[0];

	return !((first >= 0x50 && first <= 0x57) || (first >= 0x70 && first <= 0x7f) || first == 0x90 ||
		 first == 0xe8 || first == 0xe9 || first == 0xeb || (first == 0x0f && (code[1] & 0xf0) == 0x80));
#else
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word != 0xd503201f && (word & 0x7c000000) != 0x14000000 && (word & 0x9f000000) != 0x10000000;
#endif
}

static double thread_cpu_s(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* CPU seconds of a call: what waits for a CPU meanwhile is none of it. */
static double time_calls(const struct latency_target *own)
{
	void (*const function)(void) = is_stepped(own->code) ? probe_cost_stepped : probe_cost_done;
	double began = thread_cpu_s();

	for (int i = 0; i < CALLS; i++) {
		if (own->kind == CALL_FUNCTION)
			function();
		else
			(void)syscall(SYS_getppid);
	}
	return (thread_cpu_s() - began) / CALLS;
}

static int compare_times(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* ---- where that is ---- */

struct own_place {
	uint64_t address, offset;
};

/* The first module is the program. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	struct own_place *place = context;
	uint64_t address = place->address - info->dlpi_addr;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && address >= header->p_vaddr &&
		    address - header->p_vaddr < header->p_filesz)
			place->offset = address - header->p_vaddr + header->p_offset;
	}
	return 1;
}

/* The same kind of probe at what is called here. */
static int stand_in(struct latency_target *own, const struct latency_target *target, struct arena *arena,
		    struct error *err)
{
	struct own_place place = { 0 };

	if (target->kind == CALL_KERNEL_FUNCTION)
		return error_set(err, "a function of the kernel has no stand-in");
	if (target->kind != CALL_FUNCTION)
		return latency_target_find(own, "syscall:getppid", &(struct latency_owner){ 0 }, arena, err);
	place.address = (uint64_t)(uintptr_t)(is_stepped(target->code) ? probe_cost_stepped : probe_cost_done);
	dl_iterate_phdr(find_offset, &place);
	*own = *target;
	own->path = OWN_FILE;
	own->noffsets = 1;
	own->offsets[0] = place.offset;
	return place.offset ? 0 : error_set(err, "topdown does not find its own file");
}

/* ---- the trial ---- */

/* The chunk in the middle. */
static double middle_time(const struct latency_target *own)
{
	double times[CHUNKS];

	for (size_t i = 0; i < CHUNKS; i++)
		times[i] = time_calls(own);
	qsort(times, CHUNKS, sizeof(*times), compare_times);
	return times[CHUNKS / 2];
}

static int try_probe(struct probe_cost *cost, const struct latency_target *own, struct arena *arena, struct error *err)
{
	static const struct machine unknown = { .paranoid = PARANOID_UNKNOWN };
	struct call_times *times = arena_alloc(arena, sizeof(*times));
	const struct observer *watch = latency_watch_new(own, times, arena);
	const struct observer_site self = { .target = { .pid = getpid(),
							.is_attached = true,
							.start = PERF_START_LATER,
							.machine = &unknown,
							.arena = arena } };
	const double alone_s = middle_time(own);
	int status = watch->open(watch->context, &(struct observer_sites){ .items = &self, .count = 1 }, err);

	if (status == 0) {
		watch->change(watch->context, true);
		cost->added_s = middle_time(own) - alone_s;
		watch->change(watch->context, false);
		watch->close(watch->context);
		cost->inside_s = times->all.count ? (double)log_histogram_at(&times->all, 0.5) * 1e-9 : NAN;
	}
	watch->finish(watch->context, NULL);
	return status;
}

int probe_cost_measure(struct probe_cost *cost, const struct latency_target *target, struct arena *arena,
		       struct error *err)
{
	struct error refused = { .text = "" };
	struct latency_target own = { .kind = target->kind };

	*cost = (struct probe_cost){ NAN, NAN, NULL };
	if (stand_in(&own, target, arena, &refused) < 0) {
		cost->refused = arena_strdup(arena, refused.text);
		return 0;
	}
	return try_probe(cost, &own, arena, err);
}
