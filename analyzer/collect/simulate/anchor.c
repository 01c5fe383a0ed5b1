/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/anchor.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/chain.h"
#include "common/system/loop.h"
#include "common/system/output_file.h"

/* ---- a program from its start to its end ---- */

#define LOOK_MS	      100 /* while there is more to look at than the signals' descriptor */
#define WRITING_TIMES 10  /* ENDING_S, for what writes its counts */

static int next_look_ms(const struct plain_run *run)
{
	if (run->limit_s > 0 || run->signals->fd < 0 || run->signals->has_to_end)
		return LOOK_MS;
	return run->lookout ? (int)(LOOKOUT_PERIOD_S * 1000) : -1;
}

/* A program that a signal was to end does not go on for ever. */
static bool is_late(const struct child *child, const struct plain_run *run, double asked_s)
{
	bool is_ending = run->is_ending && run->is_ending(run->context, child->pid);

	return clock_now() >= asked_s + ENDING_S * (is_ending ? WRITING_TIMES : 1);
}

#define STOPPING_S 2.0 /* until what does not stop by itself is asked to, as it waits for something */

/* A simulation whose time is up. */
struct stopping {
	double due_s, made_s; /* of clock_now() */
	bool is_asked;
};

/* What runs, however slowly, comes to where it looks whether it is to stop. */
static bool is_waiting(pid_t pid)
{
	char text[512];
	const char *end = task_file_read(pid, "stat", text, sizeof(text)) ? strrchr(text, ')') : NULL;

	return !end || strncmp(end, ") R", 3) != 0;
}

static void stop_at_limit(struct stopping *stopping, const struct child *child, const struct plain_run *run)
{
	double now_s = clock_now();
	struct error ignored = { .text = "" };

	if (!(run->limit_s > 0) || now_s < stopping->due_s)
		return;
	if (!(stopping->made_s > 0)) {
		stopping->made_s = now_s;
		if (output_file_write(run->stop, "", &ignored) < 0)
			stopping->made_s = now_s - STOPPING_S; /* then it is asked to */
	}
	if (!stopping->is_asked && now_s >= stopping->made_s + STOPPING_S && is_waiting(child->pid) &&
	    !(run->is_ending && run->is_ending(run->context, child->pid)))
		stopping->is_asked = kill(child->pid, SIGTERM) == 0;
	if (now_s >= stopping->made_s + STOPPING_S + ENDING_S * WRITING_TIMES)
		kill(child->pid, SIGKILL);
}

/* Until the program has ended; what comes for topdown meanwhile is passed on to it. */
static void wait_for(struct child *child, const struct plain_run *run)
{
	struct pollfd signal_file = { .fd = run->signals->fd, .events = POLLIN };
	struct stopping stopping = { .due_s = clock_now() + run->limit_s };
	double asked_s = INFINITY;

	while (!child_has_ended(child)) {
		poll(&signal_file, 1, next_look_ms(run));
		signals_take(run->signals, child->pid);
		if (run->lookout)
			lookout_report(run->lookout);
		stop_at_limit(&stopping, child, run);
		if (!run->signals->has_to_end)
			continue;
		asked_s = fmin(asked_s, clock_now());
		if (is_late(child, run, asked_s))
			kill(child->pid, SIGKILL);
	}
	signals_take_end(run->signals, child->status);
}

/* What can't be opened beside it costs nothing but that. */
static void open_beside(const struct plain_run *run, const struct child *program)
{
	static const struct count_request request = { .subject = { .kind = SUBJECT_PROGRAM } };
	const struct observer_site site = {
		.target = { .pid = program->pid, .start = PERF_START_WITH_EXEC, .scope = run->scope }
	};
	const struct observer_sites sites = { .items = &site, .count = 1, .request = &request, .program = program };
	struct error refused = { .text = "" };

	if (observers_open(run->observers, &sites, &refused) == 0)
		observers_change(run->observers, true);
}

/* stdin, as it is: what is read from a file without a position is gone then. */
static bool is_read_once(void)
{
	struct stat file;

	return fstat(STDIN_FILENO, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode) &&
	       !(S_ISCHR(file.st_mode) && major(file.st_rdev) == 1);
}

int plain_run_start(struct child *child, const struct plain_run *run, struct error *err)
{
	struct child_setup setup = { .program = run->program,
				     .signals = run->signals,
				     .input = input_open(run->input, run->number, err),
				     .is_quiet = run->program->is_output_hidden ||
						 (run->number > 0 && !run->program->is_output_shown),
				     .is_confined = run->is_confined,
				     .supervisor = run->supervisor };
	int status;

	if (setup.input == -1)
		return -1;
	if (run->supervisor)
		run->supervisor->is_input_once = setup.input == INPUT_INHERITED && is_read_once();
	getrlimit(RLIMIT_NOFILE, &setup.descriptors);
	status = child_start(child, &setup, err);
	if (setup.input != INPUT_INHERITED)
		close(setup.input);
	if (status < 0)
		return -1;
	open_beside(run, child);
	return child_release(child, run->program, err);
}

int plain_run(struct child *child, struct count_run *ended, const struct plain_run *run, struct error *err)
{
	double begun = clock_now();
	int status = plain_run_start(child, run, err);

	if (status == 0) {
		wait_for(child, run);
		*ended = (struct count_run){ .wall_s = clock_now() - begun,
					     .cpu_s = child->cpu_s,
					     .preemptions = child->preemptions > 0 ? child->preemptions : 0,
					     .status = child->status };
		if (run->signals->is_interrupted)
			descendants_end(&run->signals->descendants, REACH_SESSION, ENDING_S);
	}
	input_end_run(run->input);
	return status;
}

/* ---- the clock rate ---- */

#define TRIES  12    /* the fastest counts: whatever interrupts one makes it slower */
#define ROUNDS 16384 /* 0.3 ms at 3.5 GHz, shorter than a time slice */

/* "": not on this architecture. */
#if defined(__x86_64__)
#define ONE(number) "\tadd $1, %" number "\n"
#elif defined(__aarch64__)
#define ONE(number) "\tadd %" number ", %" number ", #1\n"
#else
#define ONE(number) ""
#endif

static double try_once(void)
{
	double start = clock_now(), additions = chain_run(ROUNDS);

	return additions / (clock_now() - start);
}

double clock_rate_measure(void)
{
	double fastest = 0;

	for (unsigned i = 0; i < TRIES; i++)
		fastest = fmax(fastest, try_once());
	return fastest > 0 && isfinite(fastest) ? fastest : NOT_COUNTED;
}

/* ---- neighbours ---- */

#define EIGHT	     ONE("0") ONE("1") ONE("2") ONE("3") ONE("4") ONE("5") ONE("6") ONE("7")
#define EIGHTS	     ".rept 16\n" EIGHT ".endr"
#define EIGHT_ROUNDS 320000 /* times 32 cycles: 3 ms at 3.5 GHz */

double additions_measure(double hz)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
	double start = clock_now();

	if (!*ONE("0"))
		return NOT_COUNTED;
	for (unsigned i = 0; i < EIGHT_ROUNDS; i++)
		__asm__ volatile(EIGHTS
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h)
				 :
				 : "cc");
	return (clock_now() - start) * hz / (16.0 * EIGHT_ROUNDS);
}
