/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#include "simulator/model/host.h"

static Int compare_edges(const void *first, const void *second)
{
	const struct loop_edge *a = first, *b = second;
	Int order = (a->function > b->function) - (a->function < b->function);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

/* The last edge in the function at the address or before it; 0: there is none. */
static Addr find_edge(const struct source_rows *rows, UInt function, Addr address)
{
	const struct loop_edge wanted = { .function = function, .address = address };
	UInt low = 0, high = rows->nedges;

	while (low < high) {
		UInt middle = low + (high - low) / 2;

		if (compare_edges(&rows->edges[middle], &wanted) > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low && rows->edges[low - 1].function == function ? rows->edges[low - 1].address : 0;
}

static Bool is_folded_with(const struct folded_rows *folded, const struct source_rows *rows, UInt a, UInt b)
{
	const struct source_row *x = &rows->rows[a], *y = &rows->rows[b];

	return x->line == y->line && x->function == y->function && x->file == y->file && x->object == y->object &&
	       x->site == y->site && folded->edges[a] == folded->edges[b] && x->address && y->address;
}

/* Where the first row that is like it is, or is to be put. */
static UInt find_place(const UInt *index, UInt size, const struct folded_rows *folded, const struct source_rows *rows,
		       UInt row)
{
	const struct source_row *r = &rows->rows[row];
	UWord mixed = (UWord)r->function * 31 + (UWord)r->file * 17 + (UWord)r->object + r->line +
		      folded->edges[row] * 1000003 + (UWord)r->site * 13;
	UInt at = (UInt)(mixed * 0x9e3779b97f4a7c15ull >> 32) & (size - 1);

	while (index[at] && !is_folded_with(folded, rows, index[at], row))
		at = (at + 1) & (size - 1);
	return at;
}

static void fold(struct folded_rows *folded, const struct source_rows *rows)
{
	UInt size = 2 * rows->capacity, *index = sim_allocate(size, sizeof(*index));

	for (UInt i = 1; i < rows->count; i++) {
		UInt at;

		if (!rows->rows[i].address || rows->rows[i].is_meant)
			continue;
		folded->edges[i] = find_edge(rows, rows->functions[i], rows->rows[i].address);
		at = find_place(index, size, folded, rows, i);
		if (!index[at])
			index[at] = i;
		folded->of[i] = index[at];
	}
	sim_release(index);
}

void folded_rows_init(struct folded_rows *folded, struct source_rows *rows)
{
	folded->of = sim_allocate(rows->count, sizeof(*folded->of));
	folded->edges = sim_allocate(rows->count, sizeof(*folded->edges));
	for (UInt i = 0; i < rows->count; i++)
		folded->of[i] = i;
	if (!rows->has_loops)
		return;
	VG_(ssort)(rows->edges, rows->nedges, sizeof(*rows->edges), compare_edges);
	fold(folded, rows);
}

void folded_rows_release(struct folded_rows *folded)
{
	sim_release(folded->of);
	sim_release(folded->edges);
}
