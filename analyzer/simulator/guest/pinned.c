/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#include "simulator/guest/arch.h"

#define SECOND	      1000000000ull
#define STEP_NS	      1000ull		       /* from one question for the time to the next */
#define REALTIME_BASE (1577836800ull * SECOND) /* 2020-01-01 */
#define UPTIME_BASE   (1000ull * SECOND)
#define CPUS	      0xful /* those that the program may run on */
#define GIB	      (1ul << 30)
#define DESCRIPTORS   1024 /* of random numbers; those with a higher number are the kernel's */

#define MOST_WAITS 5001 /* threads; those with a higher number wait by the kernel's clock */

#define ETIMEDOUT 110 /* asm-generic/errno.h */

#define AT_NULL	  0 /* linux/auxvec.h */
#define AT_RANDOM 25

/* One clock for all: time passes with each question, and with each wait. */
static struct {
	ULong elapsed;		      /* nanoseconds */
	ULong random;		      /* the state of the generator */
	UChar is_random[DESCRIPTORS]; /* opened on /dev/random or /dev/urandom */
	struct wait {
		struct vki_timespec *moment, kept; /* what the wait had before it was translated; NULL: no wait is */
	} waits[MOST_WAITS];			   /* by thread: while one waits, others run */
} pinned = { .random = 0x746f70646f776e };

/* ---- time ---- */

static ULong ask_time(void)
{
	return pinned.elapsed += STEP_NS;
}

static Bool is_realtime(Int clock)
{
	return clock == VKI_CLOCK_REALTIME || clock == 5 || clock == 11; /* _COARSE, TAI */
}

static ULong pinned_base_of(Int clock)
{
	if (is_realtime(clock))
		return REALTIME_BASE;
	return clock == 2 || clock == 3 || clock < 0 ? 0 : UPTIME_BASE; /* CPU time begins with the program */
}

static void set_time(struct vki_timespec *to, ULong time)
{
	to->tv_sec = (long)(time / SECOND);
	to->tv_nsec = (long)(time % SECOND);
}

static ULong time_of(const struct vki_timespec *from)
{
	return (ULong)from->tv_sec * SECOND + (ULong)from->tv_nsec;
}

/* ---- waiting until a moment ---- */

/* The moment that the program gives the kernel to wait for, and its clock; NULL: this is no such wait. */
static struct vki_timespec *find_moment(UInt number, const UWord *arguments, Int *clock)
{
	UInt operation = (UInt)arguments[1];

	*clock = VKI_CLOCK_MONOTONIC;
	if (number == __NR_clock_nanosleep && arguments[1] & 1) { /* TIMER_ABSTIME */
		*clock = (Int)arguments[0];
		return (struct vki_timespec *)arguments[2];
	}
	/* FUTEX_WAIT_BITSET, with FUTEX_CLOCK_REALTIME; FUTEX_LOCK_PI, whose clock is that one */
	if (number != __NR_futex || ((operation & 0x7f) != 9 && (operation & 0x7f) != 6))
		return NULL;
	if (operation & 0x100 || (operation & 0x7f) == 6)
		*clock = VKI_CLOCK_REALTIME;
	return (struct vki_timespec *)arguments[3];
}

static ULong kernel_time(Int clock)
{
	struct vki_timespec now = { 0 };

	VG_(do_syscall)(__NR_clock_gettime, (UWord)clock, (UWord)&now, 0, 0, 0, 0, 0, 0);
	return time_of(&now);
}

void pinned_call(ThreadId id, UInt number, const UWord *arguments)
{
	Int clock;
	struct vki_timespec *moment = find_moment(number, arguments, &clock);
	ULong now = pinned_base_of(clock) + pinned.elapsed;

	/* One that is no memory of the program the kernel refuses. */
	if (!moment || id >= MOST_WAITS ||
	    !VG_(am_is_valid_for_client)((Addr)moment, sizeof(*moment), VKI_PROT_READ | VKI_PROT_WRITE))
		return;
	pinned.waits[id] = (struct wait){ moment, *moment };
	set_time(moment, kernel_time(clock) + (time_of(moment) > now ? time_of(moment) - now : 0));
}

static void end_wait(ThreadId id, UInt number, const UWord *arguments, SysRes result)
{
	Int clock;
	struct vki_timespec *moment = find_moment(number, arguments, &clock);
	Bool is_over = number == __NR_futex ? sr_isError(result) && sr_Err(result) == ETIMEDOUT : !sr_isError(result);
	ULong until;

	if (!moment || id >= MOST_WAITS || moment != pinned.waits[id].moment)
		return;
	*moment = pinned.waits[id].kept;
	pinned.waits[id].moment = NULL;
	until = time_of(moment) > pinned_base_of(clock) ? time_of(moment) - pinned_base_of(clock) : 0;
	if (is_over && until > pinned.elapsed)
		pinned.elapsed = until;
}

static void pinned_pass(const struct vki_timespec *wait, Bool is_over)
{
	if (wait && is_over)
		pinned.elapsed += time_of(wait);
}

/* ---- random numbers: splitmix64 (Steele, Lea and Flood, OOPSLA 2014) ---- */

static UChar next_byte(void)
{
	ULong mixed = pinned.random += 0x9e3779b97f4a7c15ull;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
	return (UChar)(mixed ^ mixed >> 31);
}

static void pinned_fill(UChar *bytes, SizeT count)
{
	for (SizeT i = 0; i < count; i++)
		bytes[i] = next_byte();
}

static void note_opened(const HChar *path, UWord descriptor)
{
	if (descriptor < DESCRIPTORS)
		pinned.is_random[descriptor] = !VG_(strcmp)(path, "/dev/urandom") || !VG_(strcmp)(path, "/dev/random");
}

/* ---- answers ---- */

static void set_result(ThreadId id, UWord value)
{
	VG_(set_shadow_regs_area)(id, 0, arch_result(), sizeof(value), (const UChar *)&value);
}

static void answer_sysinfo(struct vki_sysinfo *info)
{
	VG_(memset)(info, 0, sizeof(*info));
	info->uptime = (long)(UPTIME_BASE / SECOND);
	info->totalram = 16 * GIB;
	info->freeram = 8 * GIB;
	info->procs = 100;
	info->mem_unit = 1;
}

static void answer_affinity(ThreadId id, const UWord *arguments, UWord length)
{
	UWord *mask = (UWord *)arguments[2];

	if (length < sizeof(*mask))
		return;
	VG_(memset)(mask, 0, length);
	*mask = CPUS;
	set_result(id, sizeof(*mask));
}

static void answer_time_of_day(struct vki_timeval *to)
{
	ULong time = REALTIME_BASE + ask_time();

	if (!to)
		return;
	to->tv_sec = (long)(time / SECOND);
	to->tv_usec = (long)(time % SECOND / 1000);
}

static void answer_usage(struct vki_rusage *usage)
{
	ULong time = ask_time();

	VG_(memset)(usage, 0, sizeof(*usage));
	usage->ru_utime.tv_sec = (long)(time / SECOND);
	usage->ru_utime.tv_usec = (long)(time % SECOND / 1000);
}

static void answer_rest(ThreadId id, UInt number, const UWord *arguments, UWord value)
{
	switch (number) {
	case __NR_getrandom: pinned_fill((UChar *)arguments[0], value); break;
	case __NR_openat: note_opened((const HChar *)arguments[1], value); break;
	case __NR_read:
		if (arguments[0] < DESCRIPTORS && pinned.is_random[arguments[0]])
			pinned_fill((UChar *)arguments[1], value);
		break;
	case __NR_close:
		if (arguments[0] < DESCRIPTORS)
			pinned.is_random[arguments[0]] = 0;
		break;
	case __NR_sysinfo: answer_sysinfo((struct vki_sysinfo *)arguments[0]); break;
	case __NR_sched_getaffinity: answer_affinity(id, arguments, value); break;
	default: break;
	}
}

void pinned_returned(ThreadId id, UInt number, const UWord *arguments, SysRes result)
{
	end_wait(id, number, arguments, result);
	if (sr_isError(result))
		return;
	switch (number) {
	case __NR_clock_gettime:
		set_time((struct vki_timespec *)arguments[1], pinned_base_of((Int)arguments[0]) + ask_time());
		break;
	case __NR_gettimeofday: answer_time_of_day((struct vki_timeval *)arguments[0]); break;
#if defined(__NR_time)
	case __NR_time:
		if (arguments[0])
			*(long *)arguments[0] = (long)((REALTIME_BASE + pinned.elapsed) / SECOND);
		set_result(id, (REALTIME_BASE + ask_time()) / SECOND);
		break;
#endif
	case __NR_getrusage: answer_usage((struct vki_rusage *)arguments[1]); break;
	case __NR_times: set_result(id, (UPTIME_BASE + ask_time()) / (SECOND / 100)); break;
	case __NR_nanosleep: pinned_pass((const struct vki_timespec *)arguments[0], True); break;
	case __NR_clock_nanosleep: pinned_pass((const struct vki_timespec *)arguments[2], !(arguments[1] & 1)); break;
	case __NR_ppoll: pinned_pass((const struct vki_timespec *)arguments[2], sr_Res(result) == 0); break;
	default: answer_rest(id, number, arguments, sr_Res(result)); break;
	}
}

/* ---- the start ---- */

/* argc, the arguments, NULL, the environment, NULL, and pairs of the auxiliary vector (System V ABI, figure 3.9). */
void pinned_stack(ThreadId id)
{
	UWord *word = (UWord *)VG_(get_SP)(id), value;

	word += 1 + *word + 1;
	while (*word)
		word++;
	for (word++; word[0] != AT_NULL; word += 2) {
		if (word[0] == AT_RANDOM)
			pinned_fill((UChar *)word[1], 16);
		else if (pinned_cpu_auxiliary(word[0], &value))
			word[1] = value;
	}
}

const HChar *pinned_begin(const struct parameters *parameters)
{
	return pinned_cpu_begin(parameters, ask_time);
}
