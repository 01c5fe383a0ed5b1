/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_first.c - topdown first: what a machine is short of, from /proc and /sys. It changes nothing. */
#include <math.h>
#include <signal.h>
#include <time.h>

#include "analyse/host/host_findings.h"
#include "command/commands.h"
#include "common/system/file.h"
#include "common/system/signal_table.h"

#define USUAL_S	    10.0
#define LOOK_S	    0.1 /* from one look at who runs to the next */
#define SCAN_S	    1.0 /* the same of all processes, but... */
#define SCAN_FACTOR 50	/* ...as long as 50 scans take, so that they cost 2 % of a CPU at most */

/* Until due_s of clock_now(), or a signal to end: its number, else 0. */
static int wait_until(double due_s, const sigset_t *ending)
{
	double left_s = fmax(due_s - clock_now(), 0);
	struct timespec left = { .tv_sec = (time_t)left_s, .tv_nsec = (long)(1e9 * (left_s - floor(left_s))) };
	int number = sigtimedwait(ending, NULL, &left);

	return number > 0 && signal_row_of(number)->deed != SIGNAL_DROPPED ? number : 0;
}

/* Looks and scans for so long; the signal that ended it, else 0. */
static int keep_watching(struct host_watch *watch, double seconds, const sigset_t *ending)
{
	double now_s = clock_now(), end_s = now_s + seconds, scan_s = now_s + SCAN_S;
	int number = 0;

	host_watch_scan(watch);
	while (!number && now_s < end_s) {
		number = wait_until(fmin(now_s + LOOK_S, end_s), ending);
		host_watch_look(watch);
		now_s = clock_now();
		if (now_s < scan_s || now_s >= end_s)
			continue;
		host_watch_scan(watch);
		scan_s = now_s + fmax(SCAN_S, SCAN_FACTOR * watch->cost_s);
	}
	host_watch_scan(watch);
	return number;
}

static int show_first(const struct options *options, const struct host_findings *findings, struct error *err)
{
	struct output output;

	if (output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	if (render_first(output.file, findings, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

static int run_first(const struct options *options, struct arena *arena, struct error *err)
{
	const char *sysroot = options->setup.machine.sysroot;
	const struct sysfiles files = sysfiles_below(sysroot, arena);
	double seconds = options->setup.timing.duration_s > 0 ? options->setup.timing.duration_s : USUAL_S;
	struct host_snapshot before, after;
	struct host_findings findings;
	struct host_watch watch;
	sigset_t ending, usual;
	int number;

	if (options->nwords)
		return error_set(err, "first: '%s'? It takes no arguments: it looks at this machine",
				 options->words[0]);
	if (!is_directory(arena_printf(arena, "%s/proc", files.root)))
		return error_set(err, "%s/proc: there is no such folder", files.root);
	if (options->output.path && file_check_writable(options->output.path, err) < 0)
		return -1;
	signal_table_fill(&ending);
	sigprocmask(SIG_BLOCK, &ending, &usual);
	host_watch_init(&watch, sysroot);
	host_snapshot_read(&before, &files);
	number = keep_watching(&watch, seconds, &ending);
	host_snapshot_read(&after, &files);
	host_judge(&findings, &(struct host_seen){ &before, &after, &watch }, arena);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	if (show_first(options, &findings, err) < 0)
		number = -1;
	else if (number)
		number += STATUS_OF_SIGNAL;
	host_watch_release(&watch);
	return number;
}

/* clang-format off */
static const struct option_row first_rows[] = {
	{ "duration", 0, TAKE_SECONDS, REPEATED_NEVER, "SECONDS", AT(setup.timing.duration_s), NULL,
	  "look for SECONDS (default 10); Ctrl-C ends it earlier" },
};
/* clang-format on */

static const struct option_set first_options = OPTION_SET("when", first_rows);

const struct command command_first = {
	.name = "first",
	.arguments = "[OPTION]...",
	.summary = "what a machine is short of, and what to type next",
	.examples = "topdown first\n"
		    "topdown first --duration 3\n"
		    "topdown first --duration 60 --format json -o machine.json\n",
	.run = run_first,
	.sets = { &first_options, &sysroot_options, &file_options, &style_options, &general_options },
};
