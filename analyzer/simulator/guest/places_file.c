/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "simulator/guest/guest_internal.h"
#include "simulator/model/host.h"
#include "simulator/model/sharing.h"

#define PLACEMENTS_AHEAD 6

/* What one row has in one context, or more of it than is asked for. */
struct sum {
	struct work work;
	uint64_t lost[CAUSE_COUNT];
	struct amounts amounts; /* this and the next only where lines are followed */
	uint64_t moved[MOVE_COUNT];
	Bool is_there;
};

struct places {
	struct writer *writer;
	const struct source_rows *rows;
	const struct contexts *contexts;
	const struct totals *totals;
	struct folded_rows folded;
	struct sum *sums; /* by row, of the context that is being written */
	UInt *listed;	  /* the rows that are there */
	UInt nlisted;
	UInt *numbers; /* of each row and of each context in the file; 0: not in it yet */
	UInt *stacks;
	UInt nnumbers, nstacks;
	struct ahead {
		UInt context; /* of the placement */
		const struct placement *placement;
	} ahead; /* as many placements ahead as are worth it */
};

static void add_field(struct places *places, const HChar *text)
{
	writer_add(places->writer, "\t");
	writer_add_text(places->writer, text);
}

static UInt write_place(struct places *places, UInt row)
{
	const struct source_row *source = &places->rows->rows[row];
	HChar line[96];

	if (places->numbers[row])
		return places->numbers[row];
	places->numbers[row] = ++places->nnumbers;
	VG_(sprintf)
	(line, "%c%u\t%lx\t%lx\t%lx", WIRE_PLACE_MARK, places->nnumbers,
	 places->rows->has_loops && !source->is_meant ? 0 : source->address, source->inside, places->folded.edges[row]);
	writer_add(places->writer, line);
	add_field(places, source->site);
	VG_(sprintf)(line, "\t%u", source->line);
	writer_add(places->writer, line);
	add_field(places, source->function);
	add_field(places, source->file);
	add_field(places, source->object);
	writer_add(places->writer, "\n");
	return places->nnumbers;
}

/* Callers first; there are at most MOST_DEPTH of them. */
static UInt write_stack(struct places *places, UInt number)
{
	const struct context *context = &places->contexts->all[number];
	UInt caller, site;

	if (places->stacks[number])
		return places->stacks[number];
	caller = context->caller ? write_stack(places, context->caller) : 0;
	site = context->site ? write_place(places, context->site) : 0;
	places->stacks[number] = ++places->nstacks;
	writer_add_numbers(places->writer, WIRE_STACK_MARK,
			   (const UInt[]){ places->nstacks, caller, site, context->task, context->is_cut }, 5);
	return places->nstacks;
}

static struct sum *places_file_sum_of(struct places *places, UInt row)
{
	UInt first = places->folded.of[row];
	struct sum *sum = &places->sums[first];

	if (!sum->is_there)
		places->listed[places->nlisted++] = first;
	sum->is_there = True;
	return sum;
}

/* What it computed and moved. */
static void add_moved(struct places *places, const struct placement *placement)
{
	const struct block *block = placement->block;
	const struct move_rows *moved = &places->contexts->moved;

	for (UInt i = 0; i < block->ninsns && (placement->detailed || placement->rounds); i++)
		amounts_add(&places_file_sum_of(places, block->rows[block->insns[i].row])->amounts, &block->insns[i],
			    placement->detailed, placement->rounds);
	for (UInt i = 0; i < block->nrows && placement->base + i < moved->capacity; i++)
		for (UInt move = 0; move < MOVE_COUNT; move++)
			if (moved->rows[placement->base + i][move])
				places_file_sum_of(places, block->rows[i])->moved[move] +=
					moved->rows[placement->base + i][move];
}

static void add_placement(struct places *places, const struct placement *placement)
{
	const struct block *block = placement->block;
	const struct attribution *cells = &places->contexts->attribution;

	for (UInt i = 0; i < block->ninsns && placement->detailed; i++)
		work_add(&places_file_sum_of(places, block->rows[block->insns[i].row])->work, &block->insns[i],
			 placement->detailed);
	if (placement->more_slots)
		places_file_sum_of(places, block->rows[0])->work.slots += (ULong)placement->more_slots;
	for (UInt i = 0; i < block->nrows && placement->base + i < cells->capacity; i++)
		for (UInt cause = 0; cause < CAUSE_COUNT; cause++)
			if (cells->rows[placement->base + i][cause])
				places_file_sum_of(places, block->rows[i])->lost[cause] +=
					cells->rows[placement->base + i][cause];
}

static void write_some(const struct places *places, enum wire_count count, ULong value)
{
	if (value)
		writer_add_count(places->writer, count, totals_scale_count(value, places->totals));
}

static void write_moved(const struct places *places, const struct sum *sum)
{
	for (UInt i = 0; i < FLOP_KINDS; i++)
		write_some(places, WIRE_FLOPS_F32_SCALAR + i, sum->amounts.flops[i]);
	write_some(places, WIRE_BYTES_LOADED, sum->amounts.loaded);
	write_some(places, WIRE_BYTES_STORED, sum->amounts.stored);
	for (UInt i = 0; i < MOVE_COUNT; i++)
		write_some(places, WIRE_LINES_L1_IN + i, sum->moved[i]);
}

/* What is 0 is left out. */
static void write_sum(struct places *places, const struct sum *sum)
{
	const struct work work = totals_scale_work(&sum->work, places->totals);
	const struct counted counts[] = { { WIRE_SLOTS_RETIRED, work.slots }, { WIRE_SLOTS_HEAVY, work.heavy },
					  { WIRE_SLOTS_FP, work.floating },   { WIRE_SLOTS_MEMORY, work.memory },
					  { WIRE_SLOTS_BRANCH, work.branch }, { WIRE_INST_MIXED, work.mixed } };

	for (UInt i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].value)
			writer_add_counts(places->writer, &counts[i], 1);
	for (UInt i = 0; i < CAUSE_COUNT; i++)
		if (sum->lost[i])
			writer_add_count(places->writer, cause_count(i),
					 totals_scale_count(sum->lost[i], places->totals));
	if (places->contexts->has_moved)
		write_moved(places, sum);
}

/* Bytes that will be read soon. */
static void fetch(const void *first, SizeT size)
{
	for (SizeT i = 0; i < size; i += HOST_LINE)
		__builtin_prefetch((const UChar *)first + i);
}

/*
 * Placements, their blocks and their cells are all over memory, and a large program has more than the host's caches. So
 * they are asked for some placements before they are read.
 */
static void look_ahead(struct places *places)
{
	const struct contexts *contexts = places->contexts;
	struct ahead *ahead = &places->ahead;
	const struct placement *p;

	while (!ahead->placement && ++ahead->context < contexts->count)
		ahead->placement = contexts->all[ahead->context].placements;
	p = ahead->placement;
	if (!p)
		return;
	ahead->placement = p->next;
	fetch(p->block, sizeof(*p->block));
	if (p->base < contexts->attribution.capacity)
		fetch(contexts->attribution.rows[p->base], sizeof(contexts->attribution.rows[0]));
}

static void write_context(struct places *places, UInt number)
{
	places->nlisted = 0;
	for (const struct placement *p = places->contexts->all[number].placements; p; p = p->next) {
		look_ahead(places);
		add_placement(places, p);
		if (places->contexts->has_moved)
			add_moved(places, p);
	}
	for (UInt i = 0; i < places->nlisted; i++) {
		UInt row = places->listed[i], stack = write_stack(places, number), place = write_place(places, row);

		writer_add_numbers(places->writer, WIRE_ROW_MARK, (const UInt[]){ stack, place }, 2);
		write_sum(places, &places->sums[row]);
		places->sums[row] = (struct sum){ .is_there = False };
	}
}

static void write_tasks(struct writer *writer, const struct guest_threads *threads)
{
	HChar line[64];

	for (UInt i = 1; i < threads->ntasks; i++) {
		VG_(sprintf)(line, "%c%u\t%d\t", WIRE_TASK_MARK, i, threads->tasks[i].tid);
		writer_add(writer, line);
		writer_add_text(writer, threads->tasks[i].name);
		writer_add(writer, "\n");
	}
}

/* Source rows of all cells. */
static UInt *rows_of_cells(const struct contexts *contexts)
{
	UInt *rows = sim_allocate(contexts->ncells + 1, sizeof(*rows));

	for (UInt i = 1; i < contexts->count; i++)
		for (const struct placement *p = contexts->all[i].placements; p; p = p->next)
			for (UInt k = 0; k < p->block->nrows && p->base + k < contexts->ncells; k++)
				rows[p->base + k] = p->block->rows[k];
	return rows;
}

/* Which accesses took lines from which. */
static void write_pairs(struct places *places, const struct sharing *sharing)
{
	UInt count = 0, cells = places->contexts->ncells, *rows;
	const struct sharing_pair *pairs = sharing_pairs(sharing, &count);

	if (!count)
		return;
	rows = rows_of_cells(places->contexts);
	for (UInt i = 0; i < count; i++) {
		const struct sharing_pair *pair = &pairs[i];
		UInt place, partner, transfers = pair->transfers < ~0u ? (UInt)pair->transfers : ~0u;

		if (!transfers || pair->row >= cells || pair->partner >= cells || !rows[pair->row] ||
		    !rows[pair->partner])
			continue;
		place = write_place(places, places->folded.of[rows[pair->row]]);
		partner = write_place(places, places->folded.of[rows[pair->partner]]);
		writer_add_numbers(places->writer, WIRE_PAIR_MARK,
				   (const UInt[]){ place, partner, (UInt)pair->kind, transfers }, 4);
	}
	sim_release(rows);
}

void write_places(struct writer *writer, struct source_rows *rows, const struct guest_threads *threads,
		  const struct totals *totals)
{
	struct places places = { .writer = writer, .rows = rows, .contexts = threads->contexts, .totals = totals };

	places.sums = sim_allocate(rows->count, sizeof(*places.sums));
	places.listed = sim_allocate(rows->count, sizeof(*places.listed));
	places.numbers = sim_allocate(rows->count, sizeof(*places.numbers));
	places.stacks = sim_allocate(places.contexts->count, sizeof(*places.stacks));
	folded_rows_init(&places.folded, rows);
	write_tasks(writer, threads);
	for (UInt i = 0; i < PLACEMENTS_AHEAD; i++)
		look_ahead(&places);
	for (UInt i = 1; i < places.contexts->count; i++)
		write_context(&places, i);
	if (threads->sharing)
		write_pairs(&places, threads->sharing);
	folded_rows_release(&places.folded);
	sim_release(places.sums);
	sim_release(places.listed);
	sim_release(places.numbers);
	sim_release(places.stacks);
}
