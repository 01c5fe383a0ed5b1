/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/system_calls.h"

#include "simulator/guest/gate.h"

/* The block that makes the call has begun, and is not accounted for yet. */
static Bool system_calls_is_counted(struct guest_threads *threads)
{
	const struct guest_thread *thread = threads->current;
	const struct trace *trace = threads->trace;

	if (LIKELY(!threads->has_toggle && !threads->delay))
		return True;
	guest_threads_drain(threads);
	if (!sampler_is_outside(&thread->sampler) && !gate_is_due(thread))
		return True;
	return threads->has_toggle && !threads->delay && trace->end > trace->words &&
	       trace_block(trace->words)->is_marked;
}

void system_calls_count(struct system_calls *calls, struct guest_threads *threads, UInt number)
{
	if (!threads->current || !system_calls_is_counted(threads))
		return;
	calls->all++;
	if (number < SYSTEM_CALLS)
		calls->by_number[number]++;
	if (threads->current->share)
		threads->current->share->totals.system_calls++;
}

void system_calls_write(struct writer *writer, const struct system_calls *calls)
{
	HChar line[48];

	for (UInt number = 0; number < SYSTEM_CALLS; number++) {
		if (!calls->by_number[number])
			continue;
		VG_(sprintf)(line, "%c%u\t%llu\n", WIRE_CALL_MARK, number, calls->by_number[number]);
		writer_add(writer, line);
	}
}
