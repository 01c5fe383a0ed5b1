/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explored_picture.c - the section of a page in which explorer.js shows what is explored. */
#include "common/system/data_block.h"
#include "present/document/document.h"
#include "present/explorer/explored.h"

static void draw(FILE *out, const void *what UNUSED, struct arena *arena UNUSED)
{
	fputs("<div class=\"explorer\"></div>\n", out);
}

void explored_section(struct document *doc, const struct explored_sides *sides)
{
	static const char *const ids[] = { EXPLORED_ID, EXPLORED_ID "-after" };
	static const struct picture place = {
		.spoken = "The tree, functions, calls and lines, each of which leads to the others; without scripts "
			  "the tables of this page have the ten largest of each",
		.draw = draw
	};
	const struct explored *const both[] = { sides->before, sides->after };

	if (!sides->before || (sides->is_pair && !sides->after))
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = &place });
	for (int i = 0; i < 1 + sides->is_pair; i++) {
		const char *type, *block = explored_block(both[i], &type, doc->arena);

		if (block)
			doc_add(doc, (struct block){ .kind = BLOCK_DATA,
						     .text = block,
						     .worded = type,
						     .id = ids[i],
						     .is_explored = true });
	}
}
