/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_list.c - topdown list cpus|cores|events|metrics|nodes|groups [PATTERN]: what there is, by name. */
#include "command/commands.h"
#include "command/jobs/catalog.h"
#include "command/jobs/output.h"
#include "common/base/text.h"

static int fill_cpus(struct catalog *catalog, const struct request *request, struct error *err)
{
	struct database *database = identified_database(request, err);

	return database ? catalog_cpus(catalog, database, err) : -1;
}

static int fill_cores(struct catalog *catalog, const struct request *request, struct error *err)
{
	struct target identified;

	return target_identify(&identified, request, err) < 0 ? -1 : catalog_cores(catalog, &identified, err);
}

/* One of both: about a CPU with its data, or about none of them. */
static const struct subject {
	const char *word;
	void (*fill)(struct catalog *catalog, const struct target *target);
	int (*fill_without)(struct catalog *catalog, const struct request *request, struct error *err);
} subjects[] = {
	/* clang-format off */
	{ "cpus",    NULL,            fill_cpus },
	{ "cores",   NULL,            fill_cores },
	{ "events",  catalog_events,  NULL },
	{ "metrics", catalog_metrics, NULL },
	{ "nodes",   catalog_nodes,   NULL },
	{ "groups",  catalog_groups,  NULL },
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
		error_set(err, "list: '%s'? It must be one of cpus, cores, events, metrics, nodes, groups", word);
	return NULL;
}

static int command_list_fill(struct catalog *catalog, const struct subject *subject, const struct request *request,
			     struct error *err)
{
	struct target *target = arena_alloc(catalog->arena, sizeof(*target));

	if (subject->fill_without)
		return subject->fill_without(catalog, request, err);
	if (target_followed(target, request, err) < 0)
		return -1;
	target_warn(target, request);
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

static int run_list(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct catalog catalog = { .arena = arena };
	const struct subject *subject;

	if (options->nwords < 1 || options->nwords > 2)
		return error_set(err, "list: what? `topdown list cpus|cores|events|metrics|nodes|groups [PATTERN]`");
	subject = find_subject(options->words[0], arena, err);
	catalog.pattern = options->nwords == 2 ? options->words[1] : NULL;
	if (!subject || command_list_fill(&catalog, subject, &request, err) < 0)
		return -1;
	if (!catalog.listing.table.count)
		return nothing(&catalog, err);
	return output_listing(&options->output, &catalog.listing, err);
}

const struct command command_list = {
	.name = "list",
	.arguments = "[OPTION]... WHAT [PATTERN]",
	.summary = "list CPUs, cores to simulate, events, metrics, nodes or groups",
	.examples = "topdown list cpus\n"
		    "topdown list nodes --cpu spr\n"
		    "topdown list events --cpu clx 'MEM_LOAD*'\n",
	.run = run_list,
	.sets = { &pmu_options, &cpu_options, &sysroot_options, &file_options, &style_options, &general_options },
};
