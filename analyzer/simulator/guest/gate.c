/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/gate.h"

static struct gate_counts counts_of(const struct guest_thread *thread)
{
	const struct core *core = &thread->core;

	return (struct gate_counts){ .traffic = core->hierarchy.traffic,
				     .branches = core->branches,
				     .mispredicted = core->mispredicted,
				     .unknown_branches = core->unknown_branches };
}

void gate_leave(struct guest_thread *thread)
{
	sampler_leave(&thread->sampler, &thread->core);
	thread->inside = counts_of(thread);
	thread->depth = 0;
}

/* Caches and predictors are as they are. */
void gate_settle(struct guest_thread *thread)
{
	struct core *core = &thread->core;

	if (!sampler_is_outside(&thread->sampler))
		return;
	core->hierarchy.traffic = thread->inside.traffic;
	core->branches = thread->inside.branches;
	core->mispredicted = thread->inside.mispredicted;
	core->unknown_branches = thread->inside.unknown_branches;
}

static void enter(struct guest_thread *thread)
{
	gate_settle(thread);
	sampler_enter(&thread->sampler, &thread->core);
}

void gate_open(struct guest_threads *threads)
{
	threads->delay = 0;
	for (UInt id = 0; id < VG_N_THREADS && !threads->has_toggle; id++)
		if (threads->all[id] && sampler_is_outside(&threads->all[id]->sampler))
			enter(threads->all[id]);
}

void gate_begin(const struct guest_threads *threads, struct guest_thread *thread)
{
	if (threads->has_toggle || threads->delay)
		gate_leave(thread);
}

void gate_pass(struct guest_threads *threads, uint64_t instructions)
{
	if (LIKELY(!threads->delay))
		return;
	if (threads->fast.state == FAST_WARMS_UP) {
		fast_count(&threads->fast, instructions);
		threads->fast.skipped += instructions;
	} else if (instructions < threads->delay)
		threads->delay -= instructions;
	else
		gate_open(threads);
}

void gate_step(const struct guest_threads *threads, struct guest_thread *thread, const struct block *block)
{
	if (LIKELY(!threads->has_toggle))
		return;
	if (gate_is_due(thread))
		gate_leave(thread);
	if (!block->is_marked || threads->delay || !sampler_is_outside(&thread->sampler))
		return;
	enter(thread);
	thread->depth = thread->stack.count;
}

void gate_forget(struct guest_thread *thread)
{
	thread->inside = (struct gate_counts){ .branches = 0 };
}

/* ---- the function ---- */

/* Is it what the user calls a function whose name goes on with rest? Compilers append to those of their variants. */
static Bool is_end_of_name(const HChar *rest)
{
	static const HChar *const appended[] = { ".constprop.", ".isra.", ".part.", ".llvm.", ".lto_priv." };

	for (UInt i = 0; i < sizeof(appended) / sizeof(*appended); i++)
		if (!VG_(strncmp)(rest, appended[i], VG_(strlen)(appended[i])))
			return True;
	return !*rest || *rest == '(' || *rest == '<';
}

/* A template's name stands behind the type that it returns, as in "long ns::total<long>(long)". */
static Bool is_called(const HChar *name, const HChar *wanted)
{
	SizeT length = VG_(strlen)(wanted);
	Int depth = 0;

	for (const HChar *at = name; *at; at++) {
		Bool is_begin = at == name || (depth == 0 && at[-1] == ' ');

		if (is_begin && !VG_(strncmp)(at, wanted, length) && is_end_of_name(at + length))
			return True;
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
	}
	return False;
}

Bool gate_is_at(Addr address, const HChar *wanted)
{
	const HChar *name;
	Bool is_entry;

	VG_(clo_demangle) = True; /* elsewhere topdown does it */
	is_entry = VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name);
	VG_(clo_demangle) = False;
	return is_entry && is_called(name, wanted);
}
