/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampling_remarks.c - what a profile lacks of what was asked for, in sentences. */
#include <inttypes.h>

#include "collect/perf/abilities.h"
#include "collect/sample/sampler.h"
#include "common/base/text.h"

static void remark_precision(struct sampler *sampler, const struct profile_event *event)
{
	if (event->precise >= event->wanted)
		return;
	profile_remark(sampler->profile,
		       arena_printf(sampler->arena,
				    "%s was sampled with precise_ip %u instead of %u, as this PMU takes no more: %s.",
				    event->event, event->precise, event->wanted,
				    event->precise ? "samples may be an instruction late"
						   : "samples are some instructions late"));
}

static void remark_loss(struct sampler *sampler, const struct profile_event *event)
{
	if (event->lost)
		profile_remark(
			sampler->profile,
			arena_worded(sampler->arena,
				     "%" PRIu64 " samples of %s were lost, in addition to %" PRIu64
				     " that came, because the buffer was full; a lower {F}, or {g} fp, needs less "
				     "room.",
				     event->lost, event->event, event->samples));
	if (event->throttled)
		profile_remark(
			sampler->profile,
			arena_worded(sampler->arena,
				     "The kernel paused %s %" PRIu64 " times, because too many samples came at "
				     "once: what ran then is missing; a longer {c}, or a lower {F}, avoids that.",
				     event->event, event->throttled));
}

static void remark_event(struct sampler *sampler, size_t i)
{
	const struct event_fate *fate = &sampler->fates[i];
	const struct profile_event *event = &sampler->profile->events[sampler->first + i];

	if (!fate->was_opened && fate->refusal) {
		profile_remark(sampler->profile,
			       arena_printf(sampler->arena, "%s was not sampled: %s.", event->event, fate->refusal));
		return;
	}
	if (!fate->was_opened)
		return;
	if (fate->was_by_ibs)
		profile_remark(sampler->profile,
			       arena_printf(sampler->arena,
					    "%s was sampled by AMD's IBS (ibs_op), whose samples are precise.",
					    event->event));
	else
		remark_precision(sampler, event);
	remark_loss(sampler, event);
}

static void remark_buffer(struct sampler *sampler)
{
	if (sampler->ring_bytes && sampler->ring_bytes < sampler->wanted_bytes)
		profile_remark(
			sampler->profile,
			arena_printf(sampler->arena,
				     "The kernel allowed a buffer of %zu KiB per CPU instead of %zu KiB, so samples "
				     "are lost sooner; `sudo sysctl kernel.perf_event_mlock_kb=%zu` allows more.",
				     sampler->ring_bytes / 1024, sampler->wanted_bytes / 1024,
				     sampler->wanted_bytes / 1024 + 4));
	if (sampler->lost_changes)
		profile_remark(sampler->profile,
			       arena_printf(sampler->arena,
					    "%" PRIu64 " records of new processes and mappings were lost, because the "
					    "buffer was full: some addresses may be of an unknown module.",
					    sampler->lost_changes));
	if (sampler->rings.broken)
		profile_remark(sampler->profile,
			       arena_printf(sampler->arena, "%" PRIu64 " records made no sense and were left out.",
					    sampler->rings.broken));
}

static void remark_alone(struct sampler *sampler)
{
	bool was_alone = false;

	for (size_t i = 0; i < sampler->request.nevents; i++)
		was_alone = was_alone || sampler->fates[i].was_alone;
	if (was_alone)
		profile_remark(sampler->profile,
			       "Values per function are of the program's first thread only: this kernel can't read "
			       "groups of what that starts; Linux 6.12 and later can.");
}

static void remark_outside(struct sampler *sampler)
{
	if (intake_processes(sampler->intake)->has_outside)
		profile_remark(
			sampler->profile,
			"Processes outside this container (PID namespace) have no numbers in it: together they are "
			"\"outside (0)\", and their code has no names.");
}

void remark_given_up(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->request.nevents; i++)
		remark_event(sampler, i);
	remark_buffer(sampler);
	remark_alone(sampler);
	remark_outside(sampler);
	if (sampler->has_no_branches)
		profile_remark(sampler->profile,
			       arena_worded(sampler->arena,
					    "The CPU has no branch records ({g} lbr) for these events, so stacks were "
					    "made from frame pointers."));
	if (sampler->frequency_limit)
		profile_remark(
			sampler->profile,
			arena_printf(
				sampler->arena,
				"The kernel takes at most %u samples per second (kernel.perf_event_max_sample_rate), "
				"so that was used.",
				sampler->frequency_limit));
	if (sampler->is_user_only && !sampler->request.is_kernel_unwanted && is_scope_user_only())
		profile_remark(sampler->profile, "The kernel's part is missing, because this user may sample user mode "
						 "only (kernel.perf_event_paranoid is 2).");
}
