/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/output.h"

#include "sim/translate.h"

#define MOST_FILES 10000 /* of one process: each exec writes one */

/* Everything, summed over threads. */
struct totals {
	ULong instructions, detailed_instructions, uops, heavy, floating, memory, branch_uops;
	ULong retired, lost[CAUSE_COUNT];
	ULong branches, mispredicted, unknown_branches;
	struct traffic traffic;
	ULong threads;
};

static const HChar *const cause_names[CAUSE_COUNT] = {
	[CAUSE_MISPREDICT] = "lost.mispredict",
	[CAUSE_ICACHE] = "lost.icache",
	[CAUSE_ITLB] = "lost.itlb",
	[CAUSE_UNKNOWN_BRANCH] = "lost.unknown_branch",
	[CAUSE_LEGACY_DECODE] = "lost.legacy_decode",
	[CAUSE_UOP_CACHE] = "lost.uop_cache",
	[CAUSE_MICROCODE_SWITCH] = "lost.microcode",
	[CAUSE_DTLB] = "lost.dtlb",
	[CAUSE_L1] = "lost.l1",
	[CAUSE_L2] = "lost.l2",
	[CAUSE_L3] = "lost.l3",
	[CAUSE_DRAM] = "lost.dram",
	[CAUSE_STORE] = "lost.store",
	[CAUSE_DIVIDER] = "lost.divider",
	[CAUSE_PORTS] = "lost.ports",
	[CAUSE_DEPENDENCY] = "lost.dependency",
	[CAUSE_SERIALIZATION] = "lost.serialization",
};

/* Slots that retire, by what their instruction is, the first that fits. */
static void add_insn(struct totals *totals, const struct insn *insn, ULong times)
{
	ULong slots = insn->slots * times;

	if (insn->slots > 2 || insn->flags & INSN_MICROCODED)
		totals->heavy += slots;
	else if (insn->flags & INSN_FLOATING)
		totals->floating += slots;
	else if (insn->flags & INSN_BRANCH)
		totals->branch_uops += slots;
	else if (insn->flags & INSN_MEMORY)
		totals->memory += slots;
}

static void add_blocks(struct totals *totals, const struct block *blocks)
{
	for (const struct block *block = blocks; block; block = block->next) {
		totals->instructions += block->total * block->ninsns;
		totals->detailed_instructions += block->detailed * block->ninsns;
		for (UInt i = 0; i < block->ninsns && block->detailed; i++)
			add_insn(totals, &block->insns[i], block->detailed);
	}
}

static void add_traffic(struct traffic *sum, const struct traffic *traffic)
{
	sum->loads += traffic->loads;
	sum->stores += traffic->stores;
	for (UInt i = 0; i < LEVEL_COUNT; i++) {
		sum->data[i] += traffic->data[i];
		sum->code[i] += traffic->code[i];
	}
	sum->dtlb_misses += traffic->dtlb_misses;
	sum->dtlb_walks += traffic->dtlb_walks;
	sum->itlb_misses += traffic->itlb_misses;
	sum->itlb_walks += traffic->itlb_walks;
	sum->store_misses += traffic->store_misses;
	sum->prefetches += traffic->prefetches;
}

static void add_thread(struct totals *totals, const struct thread *thread)
{
	struct slot_counts counts = sampler_counts(&thread->sampler, &thread->core);

	totals->threads++;
	totals->retired += counts.retired;
	for (UInt i = 0; i < CAUSE_COUNT; i++)
		totals->lost[i] += counts.lost[i];
	totals->branches += thread->core.branches;
	totals->mispredicted += thread->core.mispredicted;
	totals->unknown_branches += thread->core.unknown_branches;
	add_traffic(&totals->traffic, &thread->core.hierarchy.traffic);
}

static Int open_file(const HChar *directory)
{
	HChar name[VKI_PATH_MAX];

	for (UInt number = 0; number < MOST_FILES; number++) {
		SysRes opened;

		if (VG_(strlen)(directory) + 32 > sizeof(name))
			return -1;
		VG_(sprintf)(name, "%s/%d.%u.counts", directory, VG_(getpid)(), number);
		opened = VG_(open)(name, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0600);
		if (!sr_isError(opened))
			return (Int)sr_Res(opened);
		if (sr_Err(opened) != VKI_EEXIST)
			return -1;
	}
	return -1;
}

struct row {
	const HChar *name;
	ULong value;
};

static Bool write_rows(Int fd, const struct row *rows, UInt count)
{
	HChar line[96];

	for (UInt i = 0; i < count; i++) {
		Int length = (Int)VG_(sprintf)(line, "%s %llu\n", rows[i].name, rows[i].value);

		if (VG_(write)(fd, line, length) != length)
			return False;
	}
	return True;
}

static Bool write_totals(Int fd, const struct totals *t, UInt width)
{
	ULong slots = t->retired;
	struct row causes[CAUSE_COUNT];

	for (UInt i = 0; i < CAUSE_COUNT; i++) {
		causes[i] = (struct row){ cause_names[i], t->lost[i] };
		slots += t->lost[i];
	}
	const struct row rows[] = {
		{ "inst.retired", t->instructions },
		{ "inst.modelled", t->detailed_instructions },
		{ "core.threads", t->threads },
		{ "core.cycles", (slots + width - 1) / width },
		{ "slots.all", slots },
		{ "slots.retired", t->retired },
		{ "slots.heavy", t->heavy },
		{ "slots.fp", t->floating },
		{ "slots.memory", t->memory },
		{ "slots.branch", t->branch_uops },
		{ "branch.all", t->branches },
		{ "branch.mispredicted", t->mispredicted },
		{ "branch.unknown", t->unknown_branches },
		{ "loads.all", t->traffic.loads },
		{ "loads.l1_hit", t->traffic.data[LEVEL_L1] },
		{ "loads.l2_hit", t->traffic.data[LEVEL_L2] },
		{ "loads.l3_hit", t->traffic.data[LEVEL_L3] },
		{ "loads.dram", t->traffic.data[LEVEL_DRAM] },
		{ "stores.all", t->traffic.stores },
		{ "stores.l1_miss", t->traffic.store_misses },
		{ "code.l2_hit", t->traffic.code[LEVEL_L2] },
		{ "code.l3_hit", t->traffic.code[LEVEL_L3] },
		{ "code.dram", t->traffic.code[LEVEL_DRAM] },
		{ "dtlb.misses", t->traffic.dtlb_misses },
		{ "dtlb.walks", t->traffic.dtlb_walks },
		{ "itlb.misses", t->traffic.itlb_misses },
		{ "itlb.walks", t->traffic.itlb_walks },
		{ "prefetch.lines", t->traffic.prefetches },
	};

	return write_rows(fd, rows, sizeof(rows) / sizeof(rows[0])) && write_rows(fd, causes, CAUSE_COUNT);
}

Bool output_write(const struct output_request *request)
{
	struct totals totals = { 0 };
	Int fd = open_file(request->directory);
	Bool is_written;

	if (fd < 0)
		return False;
	add_blocks(&totals, request->blocks);
	for (UInt id = 0; id < VG_N_THREADS; id++)
		if (request->threads->all[id])
			add_thread(&totals, request->threads->all[id]);
	is_written = write_totals(fd, &totals, request->threads->parameters->width);
	VG_(close)(fd);
	return is_written;
}
