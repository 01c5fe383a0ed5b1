/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#include "simulator/guest/writer.h"
#include "simulator/wire.h"

#define MOST_FILES 10000 /* of one process: each exec writes one */

/* False when there is no room for it. */
static Bool counts_file_name(HChar name[VKI_PATH_MAX], const HChar *directory, UInt number)
{
	if (VG_(strlen)(directory) + 32 > VKI_PATH_MAX)
		return False;
	VG_(sprintf)(name, "%s/%d.%u" WIRE_SUFFIX, directory, VG_(getpid)(), number);
	return True;
}

static Int counts_file_open_file(const HChar *directory)
{
	HChar name[VKI_PATH_MAX];

	for (UInt number = 0; number < MOST_FILES && counts_file_name(name, directory, number); number++) {
		SysRes opened = VG_(open)(name, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0600);

		if (!sr_isError(opened))
			return (Int)sr_Res(opened);
		if (sr_Err(opened) != VKI_EEXIST)
			return -1;
	}
	return -1;
}

static uint64_t all_loads(const struct traffic *traffic)
{
	uint64_t loads = 0;

	for (UInt i = 0; i < LEVEL_COUNT; i++)
		loads += traffic->data[i];
	return loads;
}

static void write_traffic(struct writer *writer, const struct traffic *traffic)
{
	const struct counted counts[] = {
		{ WIRE_LOADS_ALL, all_loads(traffic) },
		{ WIRE_LOADS_L1_HIT, traffic->data[LEVEL_L1] },
		{ WIRE_LOADS_L2_HIT, traffic->data[LEVEL_L2] },
		{ WIRE_LOADS_L3_HIT, traffic->data[LEVEL_L3] + traffic->data[LEVEL_CONTESTED] +
					     traffic->data[LEVEL_SHARED] + traffic->data[LEVEL_FALSE] },
		{ WIRE_LOADS_DRAM, traffic->data[LEVEL_DRAM] },
		{ WIRE_STORES_ALL, traffic->stores },
		{ WIRE_STORES_L1_MISS, traffic->store_misses },
		{ WIRE_CODE_L2_HIT, traffic->code[LEVEL_L2] },
		{ WIRE_CODE_L3_HIT, traffic->code[LEVEL_L3] },
		{ WIRE_CODE_DRAM, traffic->code[LEVEL_DRAM] },
		{ WIRE_DTLB_MISSES, traffic->tlb_misses[SIDE_DATA] },
		{ WIRE_DTLB_WALKS, traffic->walks[SIDE_DATA] },
		{ WIRE_ITLB_MISSES, traffic->tlb_misses[SIDE_CODE] },
		{ WIRE_ITLB_WALKS, traffic->walks[SIDE_CODE] },
		{ WIRE_PREFETCH_LINES, traffic->prefetches },
	};

	writer_add_counts(writer, counts, sizeof(counts) / sizeof(counts[0]));
}

/* The windows, where there are any; all in units of SAMPLE_UNIT. */
static void write_sums(struct writer *writer, const struct sample_sums *sums)
{
	static const UChar first[PART_COUNT] = {
		[PART_RETIRING] = WIRE_SAMPLE_RETIRING,
		[PART_SPECULATION] = WIRE_SAMPLE_SPECULATION,
		[PART_FRONTEND] = WIRE_SAMPLE_FRONTEND,
		[PART_BACKEND] = WIRE_SAMPLE_BACKEND,
	};
	const struct counted counts[] = {
		{ WIRE_SAMPLE_WINDOWS, sums->windows },
		{ WIRE_SAMPLE_INSTRUCTIONS, (ULong)sums->instructions },
		{ WIRE_SAMPLE_INSTRUCTIONS_SQUARED, (ULong)sums->instructions_squared },
		{ WIRE_SAMPLE_SLOTS, (ULong)sums->slots },
		{ WIRE_SAMPLE_SLOTS_SQUARED, (ULong)sums->slots_squared },
		{ WIRE_SAMPLE_SLOTS_INSTRUCTIONS, (ULong)sums->slots_instructions },
	};

	writer_add_counts(writer, counts, sizeof(counts) / sizeof(counts[0]));
	/* Three counts of each, in the order of the wire. */
	for (UInt i = 0; i < PART_COUNT; i++) {
		writer_add_count(writer, first[i], (ULong)sums->part[i]);
		writer_add_count(writer, first[i] + 1, (ULong)sums->part_squared[i]);
		writer_add_count(writer, first[i] + 2, (ULong)sums->part_slots[i]);
	}
}

static void write_amounts(struct writer *writer, const struct amounts *amounts)
{
	for (UInt i = 0; i < FLOP_KINDS; i++)
		writer_add_count(writer, WIRE_FLOPS_F32_SCALAR + i, amounts->flops[i]);
	writer_add_count(writer, WIRE_BYTES_LOADED, amounts->loaded);
	writer_add_count(writer, WIRE_BYTES_STORED, amounts->stored);
}

/* What was not followed is not there. */
static void write_moves(struct writer *writer, const struct traffic *traffic, const struct guest_threads *threads)
{
	for (UInt i = 0; i < MOVE_COUNT && threads->moves; i++)
		writer_add_count(writer, WIRE_LINES_L1_IN + i, traffic->moved[i]);
}

/* In the order of the wire. */
static void write_triggers(struct writer *writer, const struct totals *totals)
{
	for (UInt i = 0; i < TRIGGER_COUNT; i++) {
		writer_add_count(writer, WIRE_TRIGGERS_MISPREDICTED + i, totals->triggers[i]);
		writer_add_count(writer, WIRE_MODELLED_MISPREDICTED + i, totals->modelled_triggers[i]);
	}
}

static void write_totals(struct writer *writer, const struct totals *t, UInt width)
{
	ULong slots = t->retired;

	for (UInt i = 0; i < CAUSE_COUNT; i++)
		slots += t->lost[i];
	const struct counted counts[] = {
		{ WIRE_RETIRED, t->instructions + t->unfollowed },
		{ WIRE_MODELLED, totals_modelled(t) },
		{ WIRE_UNSAMPLED, t->whole_instructions },
		{ WIRE_THREADS, t->threads },
		{ WIRE_EXECS, t->execs },
		{ WIRE_EXECS_FAILED, t->failed_execs },
		{ WIRE_EXECS_REFUSED, t->refused_execs },
		{ WIRE_FORKS, t->forks },
		{ WIRE_SYSCALLS, t->system_calls },
		{ WIRE_INST_VECTOR, t->doubtful.vector },
		{ WIRE_INST_X87, t->doubtful.x87 },
		{ WIRE_INST_CRYPTO, t->doubtful.crypto },
		{ WIRE_INST_GATHERS, t->doubtful.gathers },
		{ WIRE_INST_STRINGS, t->doubtful.strings },
		{ WIRE_CYCLES, (slots + width - 1) / width },
		{ WIRE_SLOTS_ALL, slots },
		{ WIRE_SLOTS_RETIRED, t->retired },
		{ WIRE_SLOTS_HEAVY, t->work.heavy },
		{ WIRE_SLOTS_FP, t->work.floating },
		{ WIRE_SLOTS_MEMORY, t->work.memory },
		{ WIRE_SLOTS_BRANCH, t->work.branch },
		{ WIRE_INST_MIXED, t->work.mixed },
		{ WIRE_BRANCH_ALL, t->branches },
		{ WIRE_BRANCH_MISPREDICTED, t->mispredicted },
		{ WIRE_BRANCH_UNKNOWN, t->unknown_branches },
	};

	writer_add_counts(writer, counts, sizeof(counts) / sizeof(counts[0]));
	write_amounts(writer, &t->amounts);
	write_traffic(writer, &t->traffic);
	for (UInt i = 0; i < CAUSE_COUNT; i++)
		writer_add_count(writer, cause_count(i), t->lost[i]);
	write_sums(writer, &t->sums);
	write_triggers(writer, t);
}

/* ---- what a second run would do again ---- */

static void write_fact(struct writer *writer, const HChar *name, const HChar *what)
{
	const HChar mark[] = { WIRE_EFFECT_MARK, '\0' };

	writer_add(writer, mark);
	writer_add_text(writer, name);
	writer_add(writer, "\t");
	writer_add_text(writer, what);
	writer_add(writer, "\n");
}

static void write_effects(struct writer *writer, const struct effects *effects)
{
	HChar number[16];

	if (effects->has_effect)
		write_fact(writer, effects->name, effects->what);
	if (effects->has_listened)
		write_fact(writer, WIRE_EFFECT_LISTENED, "");
	if (!effects->stop_signal)
		return;
	VG_(sprintf)(number, "%u", effects->stop_signal);
	write_fact(writer, WIRE_EFFECT_STOPPED, number);
}

/* ---- by thread ---- */

/* What was modelled in full says so; threads that go on are counted in the last file. */
static void finish_totals(struct totals *totals, const struct counts_request *request)
{
	totals->whole_instructions = request->is_whole ? totals->detailed_instructions : 0;
	if (request->is_continued)
		totals->threads = 0;
	totals_scale(totals);
}

static void write_shares(struct writer *writer, const struct counts_request *request)
{
	for (const struct thread_share *share = request->shares->first; share; share = share->next) {
		struct totals totals = share->totals;
		HChar line[16];

		VG_(sprintf)(line, "%c%u\t", share->region ? WIRE_REGION_MARK : WIRE_THREAD_MARK, share->number);
		writer_add(writer, line);
		writer_add_text(writer, share->region ? share->region : share->name);
		writer_add(writer, "\n");
		finish_totals(&totals, request);
		write_totals(writer, &totals, request->threads->parameters->width);
		write_moves(writer, &totals.traffic, request->threads);
		writer_add_count(writer, WIRE_CONTINUED, request->is_continued);
	}
}

/* What the threads have, and what none of them has taken. */
static void add_all(struct totals *totals, const struct counts_request *request)
{
	totals_add_blocks(totals, request->blocks);
	if (request->shares) {
		for (const struct thread_share *share = request->shares->first; share; share = share->next)
			totals_add(totals, &share->totals);
		return;
	}
	for (UInt id = 0; id < VG_N_THREADS; id++)
		if (request->threads->all[id])
			totals_add_thread(totals, request->threads->all[id]);
}

/* Only one that has no file of its own, because it can't be simulated. */
static void write_successor(struct writer *writer, const struct counts_request *request)
{
	HChar mark[16];

	if (!request->execs || !request->successor->obstacle)
		return;
	VG_(sprintf)(mark, "%c%u\t", WIRE_NATIVE_MARK, (UInt)request->successor->obstacle);
	writer_add(writer, mark);
	writer_add_text(writer, request->successor->path);
	writer_add(writer, "\n");
}

Bool counts_file_write(const struct counts_request *request)
{
	static struct writer writer; /* too large for Valgrind's stack */
	struct totals totals = { .execs = request->execs,
				 .failed_execs = request->failed_execs,
				 .refused_execs = request->execs && request->successor->obstacle,
				 .forks = request->forks };

	writer_init(&writer, counts_file_open_file(request->directory));
	if (writer.fd < 0)
		return False;
	writer_add(&writer, WIRE_VERSION_LINE "\n");
	writer_add_count(&writer, WIRE_LINEAGE, request->heritage.lineage);
	writer_add_count(&writer, WIRE_HEAD, request->heritage.head);
	writer_add_count(&writer, WIRE_CONTINUED, request->is_continued);
	writer_add_count(&writer, WIRE_STRATUM, request->stratum);
	add_all(&totals, request);
	totals.system_calls = request->calls->all;
	totals.unfollowed = totals.instructions ? request->unfollowed : 0;
	finish_totals(&totals, request);
	write_totals(&writer, &totals, request->threads->parameters->width);
	write_moves(&writer, &totals.traffic, request->threads);
	writer_add_count(&writer, WIRE_REGIONS_UNBEGUN, request->threads->unbegun);
	system_calls_write(&writer, request->calls);
	write_effects(&writer, request->effects);
	write_successor(&writer, request);
	if (request->source_rows)
		write_places(&writer, request->source_rows, request->threads, &totals);
	if (request->shares)
		write_shares(&writer, request);
	writer_add(&writer, WIRE_END "\n");
	writer_flush(&writer);
	VG_(close)(writer.fd);
	return !writer.has_failed;
}

/* "NAME NUMBER" at the beginning of a line; the line behind it, or NULL where it is another one. */
static const HChar *counts_file_take_count(ULong *number, const HChar *line, enum wire_count count)
{
	const HChar *name = wire_row(count)->name;
	SizeT length = VG_(strlen)(name);
	HChar *end;

	if (!line || VG_(strncmp)(line, name, length) != 0 || line[length] != ' ')
		return NULL;
	*number = VG_(strtoull10)(line + length + 1, &end);
	return *end == '\n' ? end + 1 : NULL;
}

/* They stand behind the first line. */
static Bool read_heritage(struct heritage *heritage, const HChar *text)
{
	const HChar *line = VG_(strchr)(text, '\n');
	struct heritage read;

	line = counts_file_take_count(&read.lineage, line ? line + 1 : NULL, WIRE_LINEAGE);
	if (!counts_file_take_count(&read.head, line, WIRE_HEAD))
		return False;
	*heritage = read;
	return True;
}

Bool counts_file_inherit(struct heritage *heritage, const HChar *directory)
{
	HChar name[VKI_PATH_MAX], text[160] = "";

	for (UInt number = 0; number < MOST_FILES && counts_file_name(name, directory, number); number++) {
		SysRes opened = VG_(open)(name, VKI_O_RDONLY, 0);
		Int got;

		if (sr_isError(opened))
			break;
		got = VG_(read)((Int)sr_Res(opened), text, sizeof(text) - 1);
		VG_(close)((Int)sr_Res(opened));
		text[got > 0 ? got : 0] = '\0';
	}
	return read_heritage(heritage, text);
}
