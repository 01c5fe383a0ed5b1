/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/plain_run.h"

#include <poll.h>
#include <unistd.h>

#include "count/collector.h"

/* Until the program has ended; what comes for topdown meanwhile is passed on to it. */
static void wait_for(struct child *child, struct signals *signals)
{
	struct pollfd signal_file = { .fd = signals->fd, .events = POLLIN };

	while (!child_has_ended(child)) {
		poll(&signal_file, 1, -1);
		signals_take(signals, child->pid);
	}
}

static int start(struct child *child, const struct plain_run *run, struct error *err)
{
	struct child_setup setup = { .program = run->program,
				     .signals = run->signals,
				     .input = input_open(run->input, run->number, err),
				     .is_quiet = run->number > 0 && !run->program->is_heard };
	int status;

	if (setup.input == -1)
		return -1;
	getrlimit(RLIMIT_NOFILE, &setup.descriptors);
	status = child_start(child, &setup, err);
	if (setup.input != INPUT_INHERITED)
		close(setup.input);
	return status == 0 ? child_release(child, run->program, err) : -1;
}

int plain_run(struct child *child, struct count_run *told, const struct plain_run *run, struct error *err)
{
	double begun = clock_now();
	int status = start(child, run, err);

	if (status == 0) {
		wait_for(child, run->signals);
		*told = (struct count_run){ .wall_s = clock_now() - begun,
					    .cpu_s = child->cpu_s,
					    .status = child->status };
	}
	input_end_run(run->input);
	return status;
}
