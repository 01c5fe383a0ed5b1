/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/output.h"

#include "sim/memory.h"

#define MOST_FILES 10000 /* of one process: each exec writes one */
#define LINEAGE	   "core.lineage"

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

/* False when there is no room for it. */
static Bool file_name(HChar name[VKI_PATH_MAX], const HChar *directory, UInt number)
{
	if (VG_(strlen)(directory) + 32 > VKI_PATH_MAX)
		return False;
	VG_(sprintf)(name, "%s/%d.%u.counts", directory, VG_(getpid)(), number);
	return True;
}

static Int open_file(const HChar *directory)
{
	HChar name[VKI_PATH_MAX];

	for (UInt number = 0; number < MOST_FILES && file_name(name, directory, number); number++) {
		SysRes opened = VG_(open)(name, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0600);

		if (!sr_isError(opened))
			return (Int)sr_Res(opened);
		if (sr_Err(opened) != VKI_EEXIST)
			return -1;
	}
	return -1;
}

/* Output on its way to the file. */
struct writer {
	Int fd;
	UInt used;
	Bool has_failed;
	HChar text[16384];
};

static void writer_flush(struct writer *writer)
{
	if (VG_(write)(writer->fd, writer->text, (Int)writer->used) != (Int)writer->used)
		writer->has_failed = True;
	writer->used = 0;
}

/* Text that is longer than the buffer is cut. */
static void writer_add(struct writer *writer, const HChar *text)
{
	SizeT length = VG_(strlen)(text);

	if (length > sizeof(writer->text))
		length = sizeof(writer->text);
	if (writer->used + length > sizeof(writer->text))
		writer_flush(writer);
	VG_(memcpy)(writer->text + writer->used, text, length);
	writer->used += (UInt)length;
}

struct row {
	const HChar *name;
	ULong value;
};

static void write_row(struct writer *writer, const struct row *row)
{
	HChar line[96];

	VG_(sprintf)(line, "%s %llu\n", row->name, row->value);
	writer_add(writer, line);
}

static void write_rows(struct writer *writer, const struct row *rows, UInt count)
{
	for (UInt i = 0; i < count; i++)
		write_row(writer, &rows[i]);
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
	const struct row rows[] = {
		{ "loads.all", all_loads(traffic) },
		{ "loads.l1_hit", traffic->data[LEVEL_L1] },
		{ "loads.l2_hit", traffic->data[LEVEL_L2] },
		{ "loads.l3_hit", traffic->data[LEVEL_L3] },
		{ "loads.dram", traffic->data[LEVEL_DRAM] },
		{ "stores.all", traffic->stores },
		{ "stores.l1_miss", traffic->store_misses },
		{ "code.l2_hit", traffic->code[LEVEL_L2] },
		{ "code.l3_hit", traffic->code[LEVEL_L3] },
		{ "code.dram", traffic->code[LEVEL_DRAM] },
		{ "dtlb.misses", traffic->tlb_misses[SIDE_DATA] },
		{ "dtlb.walks", traffic->walks[SIDE_DATA] },
		{ "itlb.misses", traffic->tlb_misses[SIDE_CODE] },
		{ "itlb.walks", traffic->walks[SIDE_CODE] },
		{ "prefetch.lines", traffic->prefetches },
	};

	write_rows(writer, rows, sizeof(rows) / sizeof(rows[0]));
}

/* The windows, where there are any; all in units of SAMPLE_UNIT. */
static void write_sums(struct writer *writer, const struct sample_sums *sums)
{
	static const HChar *const names[PART_COUNT] = { "retiring", "speculation", "frontend", "backend" };
	const struct row rows[] = {
		{ "sample.windows", sums->windows },
		{ "sample.instructions", (ULong)sums->instructions },
		{ "sample.instructions_squared", (ULong)sums->instructions_squared },
		{ "sample.slots", (ULong)sums->slots },
		{ "sample.slots_squared", (ULong)sums->slots_squared },
		{ "sample.slots_instructions", (ULong)sums->slots_instructions },
	};
	HChar name[64];

	write_rows(writer, rows, sizeof(rows) / sizeof(rows[0]));
	for (UInt i = 0; i < PART_COUNT; i++) {
		const struct row part[] = { { "", (ULong)sums->part[i] },
					    { "_squared", (ULong)sums->part_squared[i] },
					    { "_slots", (ULong)sums->part_slots[i] } };

		for (UInt j = 0; j < sizeof(part) / sizeof(part[0]); j++) {
			VG_(sprintf)(name, "sample.%s%s", names[i], part[j].name);
			write_row(writer, &(struct row){ name, part[j].value });
		}
	}
}

static void write_totals(struct writer *writer, const struct totals *t, UInt width)
{
	ULong slots = t->retired;

	for (UInt i = 0; i < CAUSE_COUNT; i++)
		slots += t->lost[i];
	const struct row rows[] = {
		{ "inst.retired", t->instructions },
		{ "inst.modelled", t->detailed_instructions },
		{ "core.threads", t->threads },
		{ "core.execs", t->execs },
		{ "core.execs_failed", t->failed_execs },
		{ "core.execs_refused", t->refused_execs },
		{ "core.forks", t->forks },
		{ "core.cycles", (slots + width - 1) / width },
		{ "slots.all", slots },
		{ "slots.retired", t->retired },
		{ "slots.heavy", t->work.heavy },
		{ "slots.fp", t->work.floating },
		{ "slots.memory", t->work.memory },
		{ "slots.branch", t->work.branch },
		{ "branch.all", t->branches },
		{ "branch.mispredicted", t->mispredicted },
		{ "branch.unknown", t->unknown_branches },
	};

	write_rows(writer, rows, sizeof(rows) / sizeof(rows[0]));
	write_traffic(writer, &t->traffic);
	for (UInt i = 0; i < CAUSE_COUNT; i++)
		write_row(writer, &(struct row){ cause_names[i], t->lost[i] });
	write_sums(writer, &t->sums);
}

/* ---- by source line ---- */

static struct work *place_work(const struct places *places, const struct block *blocks)
{
	struct work *work = sim_allocate(places->count, sizeof(*work));

	for (const struct block *block = blocks; block; block = block->next)
		for (UInt i = 0; i < block->ninsns && block->detailed; i++)
			if (block->insns[i].place < places->count)
				work_add(&work[block->insns[i].place], &block->insns[i], block->detailed);
	return work;
}

static void write_place(struct writer *writer, const struct place *place)
{
	const HChar *const fields[] = { place->function, place->file, place->object };
	HChar line[16];

	VG_(sprintf)(line, "@%u", place->line);
	writer_add(writer, line);
	for (UInt i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		writer_add(writer, "\t");
		writer_add(writer, fields[i] ? fields[i] : "");
	}
	writer_add(writer, "\n");
}

/* What is 0 is left out. */
static void write_counts(struct writer *writer, const struct work *work, const uint64_t *lost)
{
	const struct row rows[] = { { "slots.retired", work->slots },
				    { "slots.heavy", work->heavy },
				    { "slots.fp", work->floating },
				    { "slots.memory", work->memory },
				    { "slots.branch", work->branch } };

	for (UInt i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].value)
			write_row(writer, &rows[i]);
	for (UInt i = 0; i < CAUSE_COUNT; i++)
		if (lost[i])
			write_row(writer, &(struct row){ cause_names[i], lost[i] });
}

static void write_places(struct writer *writer, const struct output_request *request, const struct totals *totals)
{
	const struct places *places = request->places;
	struct work *work = place_work(places, request->blocks);

	for (UInt i = 1; i < places->count; i++) {
		struct work scaled = totals_scale_work(&work[i], totals);
		uint64_t lost[CAUSE_COUNT];
		ULong sum = scaled.slots;

		for (UInt cause = 0; cause < CAUSE_COUNT; cause++)
			sum += lost[cause] = totals_scale_count(places->attribution->rows[i][cause], totals);
		if (!sum)
			continue;
		write_place(writer, &places->rows[i]);
		write_counts(writer, &scaled, lost);
	}
	VG_(free)(work);
}

/* ---- by thread ---- */

static void write_shares(struct writer *writer, const struct output_request *request)
{
	for (const struct share *share = request->shares->first; share; share = share->next) {
		struct totals totals = share->totals;
		HChar line[SHARE_NAME + 16];

		VG_(sprintf)(line, "%%%u\t%s\n", share->number, share->name);
		writer_add(writer, line);
		totals_scale(&totals);
		write_totals(writer, &totals, request->threads->parameters->width);
	}
}

/* What the threads have, and what none of them has taken. */
static void add_all(struct totals *totals, const struct output_request *request)
{
	totals_add_blocks(totals, request->blocks);
	if (request->shares) {
		for (const struct share *share = request->shares->first; share; share = share->next)
			totals_add(totals, &share->totals);
		return;
	}
	for (UInt id = 0; id < VG_N_THREADS; id++)
		if (request->threads->all[id])
			totals_add_thread(totals, request->threads->all[id]);
}

Bool output_write(const struct output_request *request)
{
	static struct writer writer; /* too large for Valgrind's stack */
	struct totals totals = { .execs = request->execs,
				 .failed_execs = request->failed_execs,
				 .refused_execs = request->refused_execs,
				 .forks = request->forks };

	writer.used = 0;
	writer.has_failed = False;
	writer.fd = open_file(request->directory);
	if (writer.fd < 0)
		return False;
	write_row(&writer, &(struct row){ LINEAGE, request->lineage });
	add_all(&totals, request);
	totals_scale(&totals);
	write_totals(&writer, &totals, request->threads->parameters->width);
	if (request->places)
		write_places(&writer, request, &totals);
	if (request->shares)
		write_shares(&writer, request);
	writer_add(&writer, "end\n");
	writer_flush(&writer);
	VG_(close)(writer.fd);
	return !writer.has_failed;
}

ULong output_lineage(const HChar *directory)
{
	HChar name[VKI_PATH_MAX], line[64] = "";
	const SizeT length = sizeof(LINEAGE) - 1;

	for (UInt number = 0; number < MOST_FILES && file_name(name, directory, number); number++) {
		SysRes opened = VG_(open)(name, VKI_O_RDONLY, 0);
		Int got;

		if (sr_isError(opened))
			break;
		got = VG_(read)((Int)sr_Res(opened), line, sizeof(line) - 1);
		VG_(close)((Int)sr_Res(opened));
		line[got > 0 ? got : 0] = '\0';
	}
	return VG_(strncmp)(line, LINEAGE " ", length + 1) ? 0 : VG_(strtoull10)(line + length + 1, NULL);
}
