/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/core_totals.h"

#include "simulator/model/host.h"

/* The first kind that fits. */
void work_add(struct work *work, const struct insn *insn, ULong times)
{
	ULong slots = insn->slots * times;

	work->slots += slots;
	work->mixed += insn->flags & INSN_MIXES ? times : 0;
	if (insn->slots > 2 || insn->flags & INSN_MICROCODED)
		work->heavy += slots;
	else if (insn->flags & INSN_FLOATING)
		work->floating += slots;
	else if (insn->flags & INSN_BRANCH)
		work->branch += slots;
	else if (insn->flags & INSN_MEMORY)
		work->memory += slots;
}

static void add_doubtful(struct doubtful *sum, const struct insn *insn, ULong times)
{
	sum->vector += insn->flags & INSN_VECTOR ? times : 0;
	sum->x87 += insn->flags & INSN_X87 ? times : 0;
	sum->crypto += insn->flags & INSN_CRYPTO ? times : 0;
	sum->gathers += insn->flags & INSN_GATHERS ? times : 0;
	sum->strings += insn->flags & INSN_REPEATED ? times : 0;
}

void amounts_add(struct amounts *amounts, const struct insn *insn, ULong times, ULong rounds)
{
	ULong accesses = insn->flags & INSN_REPEATED ? rounds : times;

	amounts->flops[insn->flop_kind] += insn->flops * times;
	amounts->loaded += insn->loaded * accesses;
	amounts->stored += insn->stored * accesses;
}

static void add_amounts(struct amounts *sum, const struct amounts *amounts)
{
	for (UInt i = 0; i < FLOP_KINDS; i++)
		sum->flops[i] += amounts->flops[i];
	sum->loaded += amounts->loaded;
	sum->stored += amounts->stored;
}

void totals_add_blocks(struct totals *totals, const struct block *blocks)
{
	for (const struct block *block = blocks; block; block = block->next) {
		totals->instructions += block->total * block->ninsns;
		totals->detailed_instructions += block->detailed * block->ninsns;
		for (UInt i = 0; i < block->ninsns && block->detailed; i++)
			work_add(&totals->work, &block->insns[i], block->detailed);
		for (UInt i = 0; i < block->ninsns && (block->total || block->rounds); i++) {
			add_doubtful(&totals->doubtful, &block->insns[i], block->total);
			amounts_add(&totals->amounts, &block->insns[i], block->total, block->rounds);
		}
	}
}

static void add_traffic(struct traffic *sum, const struct traffic *traffic)
{
	sum->stores += traffic->stores;
	for (UInt i = 0; i < LEVEL_COUNT; i++) {
		sum->data[i] += traffic->data[i];
		sum->code[i] += traffic->code[i];
	}
	for (UInt i = 0; i < SIDE_COUNT; i++) {
		sum->tlb_misses[i] += traffic->tlb_misses[i];
		sum->walks[i] += traffic->walks[i];
	}
	sum->store_misses += traffic->store_misses;
	sum->prefetches += traffic->prefetches;
	for (UInt i = 0; i < MOVE_COUNT; i++)
		sum->moved[i] += traffic->moved[i];
}

static void add_sums(struct sample_sums *sum, const struct sample_sums *sums)
{
	sum->windows += sums->windows;
	sum->instructions += sums->instructions;
	sum->instructions_squared += sums->instructions_squared;
	sum->slots += sums->slots;
	sum->slots_squared += sums->slots_squared;
	sum->slots_instructions += sums->slots_instructions;
	for (UInt i = 0; i < PART_COUNT; i++) {
		sum->part[i] += sums->part[i];
		sum->part_squared[i] += sums->part_squared[i];
		sum->part_slots[i] += sums->part_slots[i];
	}
}

static void add_work(struct work *sum, const struct work *work)
{
	sum->slots += work->slots;
	sum->heavy += work->heavy;
	sum->floating += work->floating;
	sum->memory += work->memory;
	sum->branch += work->branch;
	sum->mixed += work->mixed;
}

void totals_add(struct totals *totals, const struct totals *more)
{
	totals->instructions += more->instructions;
	totals->rounds.all += more->rounds.all;
	totals->rounds.detailed += more->rounds.detailed;
	totals->detailed_instructions += more->detailed_instructions;
	totals->whole_instructions += more->whole_instructions;
	add_work(&totals->work, &more->work);
	totals->retired += more->retired;
	for (UInt i = 0; i < CAUSE_COUNT; i++)
		totals->lost[i] += more->lost[i];
	totals->branches += more->branches;
	totals->mispredicted += more->mispredicted;
	totals->unknown_branches += more->unknown_branches;
	for (UInt i = 0; i < TRIGGER_COUNT; i++) {
		totals->triggers[i] += more->triggers[i];
		totals->modelled_triggers[i] += more->modelled_triggers[i];
	}
	add_traffic(&totals->traffic, &more->traffic);
	totals->threads += more->threads;
	totals->execs += more->execs;
	totals->failed_execs += more->failed_execs;
	totals->refused_execs += more->refused_execs;
	totals->forks += more->forks;
	totals->system_calls += more->system_calls;
	totals->doubtful.vector += more->doubtful.vector;
	totals->doubtful.x87 += more->doubtful.x87;
	totals->doubtful.crypto += more->doubtful.crypto;
	totals->doubtful.gathers += more->doubtful.gathers;
	totals->doubtful.strings += more->doubtful.strings;
	add_amounts(&totals->amounts, &more->amounts);
	add_sums(&totals->sums, &more->sums);
}

void totals_add_thread(struct totals *totals, const struct guest_thread *thread)
{
	struct slot_counts counts = sampler_counts(&thread->sampler, &thread->core);
	struct totals own = { .threads = 1,
			      .rounds = thread->sampler.rounds,
			      .branches = thread->core.branches,
			      .mispredicted = thread->core.mispredicted,
			      .unknown_branches = thread->core.unknown_branches,
			      .retired = counts.retired,
			      .traffic = thread->core.hierarchy.traffic,
			      .sums = sampler_sums(&thread->sampler) };

	for (UInt i = 0; i < CAUSE_COUNT; i++)
		own.lost[i] = counts.lost[i];
	for (UInt i = 0; i < TRIGGER_COUNT; i++)
		own.modelled_triggers[i] = counts.triggers[i];
	core_triggers(&thread->core, own.triggers);
	totals_add(totals, &own);
}

/* ---- from the windows to the whole ---- */

/* The share of what was executed that was modelled, 0 ... 1. */
static double modelled_share(const struct totals *t)
{
	ULong all = t->instructions + t->rounds.all, detailed = t->detailed_instructions + t->rounds.detailed;

	return all == detailed ? 1 : (double)detailed / (double)all;
}

ULong totals_modelled(const struct totals *totals)
{
	double share = modelled_share(totals);

	return share < 1 ? (ULong)((double)totals->instructions * share + 0.5) : totals->instructions;
}

/* All instructions for each one that was followed. */
static double growth(const struct totals *t)
{
	return t->instructions ? 1 + (double)t->unfollowed / (double)t->instructions : 1;
}

ULong totals_scale_count(ULong count, const struct totals *totals)
{
	double share = modelled_share(totals), factor = growth(totals) / (share > 0 ? share : 1);

	return factor > 1 ? (ULong)((double)count * factor + 0.5) : count;
}

struct work totals_scale_work(const struct work *work, const struct totals *totals)
{
	return (struct work){ .slots = totals_scale_count(work->slots, totals),
			      .heavy = totals_scale_count(work->heavy, totals),
			      .floating = totals_scale_count(work->floating, totals),
			      .memory = totals_scale_count(work->memory, totals),
			      .branch = totals_scale_count(work->branch, totals),
			      .mixed = totals_scale_count(work->mixed, totals) };
}

/* Counts of 64 bits, of so many bytes. */
static void grow(void *first, SizeT size, const struct totals *totals)
{
	uint64_t *counts = first;

	for (SizeT i = 0; i < size / sizeof(*counts); i++)
		counts[i] = (uint64_t)((double)counts[i] * growth(totals) + 0.5);
}

/* What was counted in all that was followed, for what was not. */
static void grow_all(struct totals *t)
{
	grow(&t->branches, sizeof(t->branches), t);
	grow(&t->mispredicted, sizeof(t->mispredicted), t);
	grow(&t->unknown_branches, sizeof(t->unknown_branches), t);
	grow(t->triggers, sizeof(t->triggers), t);
	grow(&t->traffic, sizeof(t->traffic), t);
	grow(&t->doubtful, sizeof(t->doubtful), t);
	grow(&t->amounts, sizeof(t->amounts), t);
}

void totals_scale(struct totals *totals)
{
	if (totals->unfollowed)
		grow_all(totals);
	totals->work = totals_scale_work(&totals->work, totals);
	totals->retired = totals_scale_count(totals->retired, totals);
	for (UInt i = 0; i < CAUSE_COUNT; i++)
		totals->lost[i] = totals_scale_count(totals->lost[i], totals);
}

/* ---- by thread ---- */

/* Natively a thread that has not got one has the program's, where here it has the tool's. */
static void take_program_name(HChar name[TASK_NAME])
{
	const HChar *path = VG_(args_the_exename), *slash = path ? VG_(strrchr)(path, '/') : NULL;

	if (!path)
		return;
	VG_(strncpy)(name, slash ? slash + 1 : path, TASK_NAME - 1);
	name[TASK_NAME - 1] = '\0';
}

void thread_name(HChar name[TASK_NAME], Int tid, const HChar *own)
{
	HChar path[64];
	SysRes opened;
	Int length;

	VG_(sprintf)(path, "/proc/self/task/%d/comm", tid);
	opened = VG_(open)(path, VKI_O_RDONLY, 0);
	if (sr_isError(opened))
		return;
	length = VG_(read)((Int)sr_Res(opened), name, TASK_NAME - 1);
	VG_(close)((Int)sr_Res(opened));
	name[length > 0 ? length : 0] = '\0';
	for (HChar *c = name; *c; c++)
		if (*c < ' ')
			*c = c[1] ? ' ' : '\0'; /* a newline ends it */
	if (own && !VG_(strcmp)(name, own))
		take_program_name(name);
}

void thread_shares_init(struct thread_shares *shares, struct block *const *blocks)
{
	shares->blocks = blocks;
	thread_name(shares->own_name, VG_(gettid)(), NULL);
}

struct thread_share *thread_shares_add(struct thread_shares *shares)
{
	struct thread_share *share = sim_allocate(1, sizeof(*share));

	share->number = ++shares->count;
	share->tid = VG_(gettid)();
	if (shares->last)
		shares->last->next = share;
	else
		shares->first = share;
	shares->last = share;
	return share;
}

#define LONGEST_REGION 200

struct thread_share *thread_shares_find(struct thread_shares *shares, const HChar *region)
{
	HChar name[LONGEST_REGION + 1] = "";
	struct thread_share *share = shares->first;

	VG_(strncpy)(name, region, LONGEST_REGION);
	while (share && VG_(strcmp)(share->region, name) != 0)
		share = share->next;
	if (share || shares->count >= MOST_REGIONS)
		return share;
	share = thread_shares_add(shares);
	share->region = VG_(strdup)("topdown", name);
	return share;
}

void thread_shares_take(struct thread_shares *shares, struct thread_share *share)
{
	totals_add_blocks(&share->totals, *shares->blocks);
	for (struct block *block = *shares->blocks; block; block = block->next)
		block->detailed = block->total = block->rounds = 0;
}

void thread_shares_close(struct thread_shares *shares, struct thread_share *share, const struct guest_thread *thread)
{
	thread_shares_take(shares, share);
	totals_add_thread(&share->totals, thread);
	if (!share->region)
		thread_name(share->name, share->tid, shares->own_name);
}

void thread_shares_restart(struct thread_shares *shares)
{
	for (struct thread_share *share = shares->first; share; share = share->next)
		share->totals = (struct totals){ .instructions = 0 };
}

void thread_shares_forget(struct thread_shares *shares)
{
	struct thread_share *next;

	for (struct thread_share *share = shares->first; share; share = next) {
		next = share->next;
		VG_(free)(share);
	}
	shares->first = shares->last = NULL;
	shares->count = 0;
}
