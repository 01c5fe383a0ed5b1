/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/listing.h"

#include <string.h>

#include "present/document/data.h"

#define GAP	     2
#define DETAIL	     4	/* columns before what stands below a row ... */
#define DETAIL_LABEL 10 /* ... and of its label */

/* The listing's table with all that text needs to draw it. */
static struct grid *lay_out(const struct listing *listing, struct document *doc)
{
	struct grid *table = arena_alloc(doc->arena, sizeof(*table));
	struct column *columns = arena_array(doc->arena, listing->table.ncolumns, sizeof(*columns));

	*table = listing->table;
	table->columns = memcpy(columns, table->columns, table->ncolumns * sizeof(*columns));
	table->has_heads = table->is_catalog = table->is_wide = true;
	for (size_t i = 0; i < table->ncolumns; i++) {
		bool is_below = columns[i].flags & COLUMN_BELOW;

		if (!is_below && !(columns[i].flags & (COLUMN_SHRINKS | COLUMN_LAST)))
			columns[i].flags |= COLUMN_TO_END;
		columns[i].gap = is_below ? DETAIL : GAP;
		columns[i].least = is_below && !listing->has_details ? DETAIL_LABEL : 0;
	}
	for (size_t i = 0; i < table->count; i++)
		table->rows[i].has_more = doc->style->is_verbose || listing->has_details;
	return table;
}

static void listing_document(struct document *doc, const void *what)
{
	const struct listing *listing = what;

	if (doc->is_page)
		doc_add(doc, (struct block){ .kind = BLOCK_TITLE,
					     .level = 1,
					     .text = arena_printf(doc->arena, "List of %s%s%s", listing->what,
								  listing->cpu ? " of " : "",
								  listing->cpu ? listing->cpu : "") });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = lay_out(listing, doc) });
	if (!listing->note)
		return;
	doc_gap(doc);
	doc_sentence(doc, listing->note);
	if (listing->next)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = listing->next });
}

static void listing_json(struct json_writer *writer, const void *what, struct arena *arena UNUSED)
{
	const struct listing *listing = what;

	json_members(writer, MEMBERS({ "format", text_cell("topdown-list") }, { "version", whole_cell(1) },
				     { "list", text_cell(listing->what) }, { "cpu", text_cell(listing->cpu) },
				     { listing->what, rows_cell(&listing->table) },
				     { "runs", listing->runs ? whole_cell(listing->runs) : absent_cell() },
				     { "note", listing->note ? text_cell(listing->note) : absent_cell() },
				     { "next", listing->next ? text_cell(listing->next) : absent_cell() }));
}

static void listing_csv(struct sheet *sheet, const void *what)
{
	csv_grid(sheet, &((const struct listing *)what)->table);
}

const struct view listing_view = { .document = listing_document, .json = listing_json, .csv = listing_csv };
