/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_latency.c - topdown latency: how long calls of a function, a system call or a kernel's work take. */
#include "collect/count/count.h"
#include "collect/latency/latency.h"
#include "command/commands.h"
#include "command/jobs/progress.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "present/latency/latency_view.h"

struct latency_listener {
	int status; /* of the program; 0: there was none */
};

static int latency_on_measured(void *context, struct measurement *measured, struct error *err UNUSED)
{
	const struct repeat *first = &measured->parts[0].repeats[0];

	((struct latency_listener *)context)->status = measured->cut_by ? STATUS_OF_SIGNAL + measured->cut_by
						       : first->nruns	? first->runs[0].status
									: 0;
	return 0;
}

static int latency_check(const struct options *options, struct error *err)
{
	const struct setup *setup = &options->setup;

	if (!options->nwords)
		return error_set(err, "latency of what? A function, as decode_block or libc:malloc, syscall:read, or a "
				      "tracepoint, as irq:softirq; `topdown help latency` has examples");
	if (options->nwords > 1)
		return error_set(err, "latency: one at a time, not '%s' too; the program stands behind --",
				 options->words[1]);
	if (!setup->program.nwords && !setup_has_subject(setup))
		return error_set(err,
				 "latency %s: of which program? `topdown latency %s -- PROGRAM [ARG]...`, -p PID or -a",
				 options->words[0], options->words[0]);
	return options->output.path ? file_check_writable(options->output.path, err) : 0;
}

/* Whose function is meant by its name alone: the program's, else the first process'. */
static int find_owner(struct latency_owner *owner, const struct setup *setup, struct arena *arena, struct error *err)
{
	uint64_t pid = 0;
	const char *rest;

	*owner = (struct latency_owner){ 0 };
	if (setup->subject.processes && text_u64_prefix(setup->subject.processes, &rest, &pid))
		owner->pid = (uint32_t)pid;
	if (owner->pid && !is_directory(arena_printf(arena, "/proc/%u", owner->pid)))
		return error_set(err, "-p %u: there is no such process; `ps -e` shows those that there are",
				 owner->pid);
	return setup->program.nwords ? program_find(&owner->program, setup->program.words[0], arena, err) : 0;
}

static int latency_show(const struct options *options, const struct call_times *times, struct error *err)
{
	struct output output;

	if (output_open(&output, &options->output, stderr, err) < 0)
		return -1;
	if (render_latency(output.file, times, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

static int run_latency(const struct options *options, struct arena *arena, struct error *err)
{
	struct latency_listener listener = { 0 };
	const struct sink sink = { .context = &listener, .measured = latency_on_measured, .notice = notice_print };
	struct call_times *times = arena_alloc(arena, sizeof(*times));
	struct observer *observers[2] = { NULL, NULL };
	struct setup setup = options->setup;
	struct latency_target target;
	struct latency_owner owner;

	if (latency_check(options, err) < 0 || find_owner(&owner, &setup, arena, err) < 0 ||
	    latency_target_find(&target, options->words[0], &owner, arena, err) < 0 ||
	    probe_cost_measure(&times->cost, &target, arena, err) < 0)
		return -1;
	if (target.has_exceptions)
		notice_print(
			NULL, NOTICE_WARNING,
			arena_printf(arena,
				     "an exception of C++ that passes through %s ends the program while it is probed: "
				     "the return address is the kernel's, and can't be unwound",
				     target.name));
	observers[0] = latency_watch_new(&target, times, arena);
	setup.observers = observers;
	if (engine_observe(&(struct request){ &options->question, &setup, &sink, arena }, err) < 0)
		return -1;
	return latency_show(options, times, err) < 0 ? -1 : listener.status;
}

/* clang-format off */
static const struct option_row calling_rows[] = {
	{ "pid", 'p', TAKE_TEXT, REPEATED_NEVER, "LIST", AT(setup.subject.processes), NULL,
	  "these processes, with all their threads" },
};
/* clang-format on */

static const struct option_set calling_options = MEASURING_SET("what to measure", calling_rows);

const struct command command_latency = {
	.name = "latency",
	.arguments = "[OPTION]... WHAT [-- PROGRAM [ARG]...]",
	.summary = "how long each call takes: a histogram, by thread and by caller",
	.examples = "topdown latency decode_block -- ./prog\n"
		    "topdown latency libc:malloc -p 1234 --duration 5\n"
		    "topdown latency syscall:read -- ./prog\n"
		    "topdown latency irq:softirq -a --duration 5\n",
	.run = run_latency,
	.has_program = true,
	.sets = { &all_cpus_options, &calling_options, &timing_options, &file_options, &style_options,
		  &general_options },
};
