/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.c - topdown list cpus|events|metrics|nodes|groups [PATTERN]: what there is, by name. */
#include "base/text.h"
#include "command/catalog.h"
#include "command/commands.h"
#include "command/output.h"

/* NULL: the CPUs, which need none. */
static const struct subject {
	const char *word;
	void (*fill)(struct catalog *catalog, const struct target *target);
} subjects[] = {
	/* clang-format off */
	{ "cpus",    NULL },
	{ "events",  catalog_events },
	{ "metrics", catalog_metrics },
	{ "nodes",   catalog_nodes },
	{ "groups",  catalog_groups },
	/* clang-format on */
};

static const struct subject *find_subject(const char *word, struct arena *arena, struct error *err)
{
	const char *words[COUNT_OF(subjects)], *near;

	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		words[i] = subjects[i].word;
		if (is_same_name(word, words[i]))
			return &subjects[i];
	}
	near = nearest_names(arena, word, words, COUNT_OF(words));
	if (near)
		error_set(err, "list: '%s'? Did you mean %s?", word, near);
	else
		error_set(err, "list: '%s'? It is one of cpus, events, metrics, nodes, groups", word);
	return NULL;
}

static int fill(struct catalog *catalog, const struct subject *subject, const struct options *options,
		struct error *err)
{
	struct database database;
	struct target *target = arena_alloc(catalog->arena, sizeof(*target));

	if (!subject->fill)
		return database_open(&database, options->database, catalog->arena, err) < 0
			       ? -1
			       : catalog_cpus(catalog, &database, err);
	if (target_find(target, options, catalog->arena, err) < 0)
		return -1;
	target_warn(target);
	catalog->listing.cpu = target->cpu;
	subject->fill(catalog, target);
	return 0;
}

static int nothing(const struct catalog *catalog, struct error *err)
{
	const struct listing *listing = &catalog->listing;
	const char *near = NULL;

	if (catalog->pattern)
		near = nearest_names(catalog->arena, catalog->pattern, catalog->names, catalog->nnames);
	return error_set(err, "list: none of the %zu %s%s%s matches '%s'%s%s%s", catalog->nnames, listing->what,
			 listing->cpu ? " of " : "", listing->cpu ? listing->cpu : "",
			 catalog->pattern ? catalog->pattern : "*", near ? ": did you mean " : "", near ? near : "",
			 near ? "?" : "");
}

int command_list(const struct options *options, struct arena *arena, struct error *err)
{
	struct catalog catalog = { .arena = arena };
	const struct subject *subject;
	struct output output;

	if (options->nwords < 1 || options->nwords > 2)
		return error_set(err, "list: what? `topdown list cpus|events|metrics|nodes|groups [PATTERN]`");
	subject = find_subject(options->words[0], arena, err);
	catalog.pattern = options->nwords == 2 ? options->words[1] : NULL;
	if (!subject || fill(&catalog, subject, options, err) < 0)
		return -1;
	if (!catalog.listing.count)
		return nothing(&catalog, err);
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_listing(output.file, &catalog.listing, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
