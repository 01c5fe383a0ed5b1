/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_group.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collect/perf/refusals.h"

/*
 * The first that opens leads the others, so that one call switches them all. Each is read by itself: the kernel does
 * not read a group of inherited events while one of its tasks ends.
 */
static const struct software_event {
	enum software_kind kind;
	unsigned config;
	bool is_of_user; /* it happens in user mode, so that counting only that loses nothing */
} events[] = {
	{ SOFTWARE_TASK_CLOCK, PERF_COUNT_SW_TASK_CLOCK, true }, /* which never asks for the mode */
	{ SOFTWARE_SWITCHES, PERF_COUNT_SW_CONTEXT_SWITCHES, false },
	{ SOFTWARE_MIGRATIONS, PERF_COUNT_SW_CPU_MIGRATIONS, false },
	{ SOFTWARE_MINOR, PERF_COUNT_SW_PAGE_FAULTS_MIN, false },
	{ SOFTWARE_MAJOR, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false },
	{ SOFTWARE_ALIGNMENT, PERF_COUNT_SW_ALIGNMENT_FAULTS, true },
	{ SOFTWARE_EMULATION, PERF_COUNT_SW_EMULATION_FAULTS, true },
};

void perf_software_none(struct perf_software *software)
{
	*software = (struct perf_software){ .leader = -1 };
	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		software->fds[i] = -1;
}

static int open_event(const struct software_event *event, const struct perf_target *target, int leader,
		      bool is_user_only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = event->config,
		.disabled = leader < 0,
		.inherit = perf_target_is_task(target),
		.enable_on_exec = leader < 0 && target->start == PERF_START_WITH_EXEC && perf_target_is_task(target),
		.exclude_kernel = is_user_only,
		.exclude_hv = is_user_only,
	};

	return perf_open_at(&attr, target, leader);
}

static const char *reason_of(int error_number, const struct perf_target *target, enum software_kind kind)
{
	struct error err = { .text = "" };

	if (!target->machine)
		return "the kernel refuses it (perf_event_open)";
	refusal(&err, error_number, target->machine, software_rows[kind].event);
	return arena_strdup(target->arena, err.text);
}

void perf_software_open(struct perf_software *software, const struct perf_target *target)
{
	perf_software_none(software);
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		const struct software_event *event = &events[i];
		int fd = open_event(event, target, software->leader, false);

		if ((fd == -EACCES || fd == -EPERM) && event->is_of_user)
			fd = open_event(event, target, software->leader, true);
		software->fds[event->kind] = fd < 0 ? -1 : fd;
		software->leader = software->leader < 0 ? software->fds[event->kind] : software->leader;
		software->is_gone = software->is_gone || (fd < 0 && perf_target_is_gone(target, -fd));
		if (fd < 0)
			software->reasons[event->kind] = reason_of(-fd, target, event->kind);
	}
}

void perf_software_switch(const struct perf_software *software, bool is_on)
{
	if (software->leader >= 0)
		ioctl(software->leader, is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void perf_software_read(struct software *values, const struct perf_software *software)
{
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		enum software_kind kind = events[i].kind;
		double unit = kind == SOFTWARE_TASK_CLOCK ? 1e-9 : 1;
		uint64_t count;

		if (software->fds[kind] < 0)
			values->values[kind] = software_withheld(software->reasons[kind]);
		else if (read(software->fds[kind], &count, sizeof(count)) == (ssize_t)sizeof(count))
			values->values[kind] = software_known((double)count * unit, "perf");
		else
			values->values[kind] = software_withheld("the kernel did not give its count");
	}
}

void perf_software_close(struct perf_software *software)
{
	/* The leader last: without it the others would become single events. */
	for (size_t i = SOFTWARE_KINDS; i > 0; i--) {
		if (software->fds[i - 1] >= 0)
			close(software->fds[i - 1]);
		software->fds[i - 1] = -1;
	}
	software->leader = -1;
}
