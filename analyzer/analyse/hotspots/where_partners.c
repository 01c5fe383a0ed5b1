/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where_partners.c - lines of the program whose data lie in the same lines of the caches as those of another thread:
 * each has the lines that its own were taken by, of the kinds that the node is about.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/where.h"
#include "common/base/text.h"

#define BIT(kind) (1u << (kind))
#define ALL_KINDS (BIT(SHARING_CONTESTED) | BIT(SHARING_DATA) | BIT(SHARING_FALSE))

/* Nodes that lose slots to such lines (models/sim.json). */
static const struct node_kinds {
	const char *node;
	unsigned kinds;
} nodes[] = {
	{ "tma_contested_accesses", BIT(SHARING_CONTESTED) },
	{ "tma_data_sharing", BIT(SHARING_DATA) },
	{ "tma_false_sharing", BIT(SHARING_FALSE) },
	{ "tma_l3_bound", BIT(SHARING_CONTESTED) | BIT(SHARING_DATA) },
	{ "tma_store_bound", BIT(SHARING_FALSE) },
	{ "tma_memory_bound", ALL_KINDS },
	{ "tma_backend_bound", ALL_KINDS },
};

unsigned partners_kinds(const struct where *where)
{
	const char *node = where->weighing->is_exact ? where->weighing->node : NULL;

	for (size_t i = 0; node && where->profile->npairs && i < COUNT_OF(nodes); i++)
		if (!strcmp(nodes[i].node, node))
			return nodes[i].kinds;
	return 0;
}

static int compare_partners(const void *first, const void *second)
{
	const struct where_partner *a = first, *b = second;
	int order = (a->transfers < b->transfers) - (a->transfers > b->transfers);

	if (!order)
		order = compare_texts(a->file, b->file);
	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	if (!order)
		order = compare_texts(a->function, b->function);
	return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

static bool is_same_partner(const struct where_partner *a, const struct where_partner *b)
{
	return a->kind == b->kind && a->line == b->line && !compare_texts(a->file, b->file) &&
	       !compare_texts(a->function, b->function) && !compare_texts(a->module, b->module);
}

/* Of another context or process, the same line may be there already. */
static void add_partner(struct where_row *row, struct where_partner *partners, const struct where_partner *partner)
{
	for (size_t i = 0; i < row->npartners; i++) {
		if (!is_same_partner(&partners[i], partner))
			continue;
		partners[i].transfers += partner->transfers;
		return;
	}
	partners[row->npartners++] = *partner;
}

void partners_fill(struct where_row *row, const struct where_partner *all, const bool *is_row, size_t count,
		   struct arena *arena)
{
	struct where_partner *partners;
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		most += is_row[i];
	if (!most)
		return;
	partners = arena_array(arena, most, sizeof(*partners));
	for (size_t i = 0; i < count; i++)
		if (is_row[i])
			add_partner(row, partners, &all[i]);
	for (size_t i = 0; i < row->npartners; i++)
		partners[i].is_itself = partners[i].line == row->line && !compare_texts(partners[i].file, row->file) &&
					!compare_texts(partners[i].function, row->function);
	qsort(partners, row->npartners, sizeof(*partners), compare_partners);
	row->partners = partners;
}
