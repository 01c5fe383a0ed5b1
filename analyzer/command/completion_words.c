/* SPDX-License-Identifier: GPL-2.0-or-later */
/* completion_words.c - the words that fit where a command line ends. */
#include <string.h>
#include <unistd.h>

#include "analyse/verify/known_kernels.h"
#include "collect/count/steady.h"
#include "collect/simulate/what_if.h"
#include "command/commands.h"
#include "command/completion.h"
#include "command/jobs/catalog.h"
#include "command/manual_pages.h"
#include "common/base/text.h"
#include "cpu/identify/surroundings.h"
#include "cpu/identify/tracepoint.h"
#include "cpu/import/import.h"
#include "present/export/export.h"

static bool has_beginning(const char *word, const char *typed)
{
	return !strncasecmp(word, typed, strlen(typed));
}

static void completion_words_add(struct completion *completion, const char *word, const char *what)
{
	if (!word || !has_beginning(word, completion->typed))
		return;
	completion->items = arena_grow(completion->arena, completion->items, completion->count, &completion->capacity,
				       sizeof(*completion->items));
	completion->items[completion->count++] = (struct candidate){
		.word = arena_printf(completion->arena, "%s%s", completion->head, word),
		.what = what,
	};
}

/* ---- names of the databases ---- */

typedef void (*fill_function)(struct completion *completion, const struct request *request);

/* The cells of a catalog's column with this key; NULL: it has none. */
static const char *cell_of(const struct listing *listing, size_t row, const char *key)
{
	for (size_t i = 0; i < listing->table.ncolumns; i++)
		if (listing->table.columns[i].key && !strcmp(listing->table.columns[i].key, key))
			return listing->table.rows[row].cells[i].text;
	return NULL;
}

static void completion_words_add_rows(struct completion *completion, const struct catalog *catalog, const char *key)
{
	for (size_t i = 0; i < catalog->listing.table.count; i++) {
		const char *title = cell_of(&catalog->listing, i, "title");

		completion_words_add(completion, cell_of(&catalog->listing, i, key), title);
	}
}

static void completion_words_add_cpus(struct completion *completion, const struct request *request)
{
	struct catalog catalog = { .arena = completion->arena };
	struct error unused = { .text = "" };
	struct database *database = identified_database(request, &unused);

	if (database && catalog_cpus(&catalog, database, &unused) == 0)
		completion_words_add_rows(completion, &catalog, "name");
}

static void add_cores(struct completion *completion, const struct request *request)
{
	struct catalog catalog = { .arena = completion->arena };
	struct error unused = { .text = "" };
	struct target identified;

	if (target_identify(&identified, request, &unused) == 0 && catalog_cores(&catalog, &identified, &unused) == 0)
		completion_words_add_rows(completion, &catalog, "name");
}

static void add_online_cpus(struct completion *completion, const struct request *request)
{
	struct error unused = { .text = "" };
	struct target identified;

	if (target_identify(&identified, request, &unused) < 0 || !identified.machine.cpus)
		return;
	for (unsigned i = 0; i < identified.machine.online_cpus; i++)
		completion_words_add(completion,
				     arena_printf(completion->arena, "%u", identified.machine.cpus[i].number), NULL);
}

/* Those that the user may attach to, as the completion of kill has them. */
static void add_processes(struct completion *completion, const struct request *request)
{
	const struct sysfiles files = sysfiles_below(request->setup->machine.sysroot, completion->arena);
	struct process_name *processes;
	size_t count = processes_list(&files, geteuid(), &processes);

	for (size_t i = 0; i < count; i++)
		completion_words_add(completion, processes[i].number, processes[i].name);
}

/* The CPU that the command line is about. NULL: nothing is known of it. */
static struct target *find_target(struct completion *completion, const struct request *request)
{
	struct target *target = arena_alloc(completion->arena, sizeof(*target));
	struct error unused = { .text = "" };

	return target_followed(target, request, &unused) < 0 ? NULL : target;
}

static void completion_words_add_events(struct completion *completion, const struct request *request)
{
	const struct target *target = find_target(completion, request);

	for (size_t i = 0; target && i < target->events.count; i++)
		completion_words_add(completion, target->events.rows[i].name, NULL);
}

/* By the name that reports show; who types another name of it gets that one. */
static void completion_words_add_metric(struct completion *completion, const struct metric *metric)
{
	const char *names = metric->also_called ? metric->also_called : "", *name;
	size_t length, before = completion->count;

	completion_words_add(completion, metric->title, metric->path);
	if (completion->count == before)
		completion_words_add(completion, metric->name, metric->path);
	if (completion->count == before)
		completion_words_add(completion, metric->path, NULL);
	while (completion->count == before && (length = text_next(&names, ";", &name)) > 0)
		completion_words_add(completion, arena_strndup(completion->arena, name, length), metric->title);
}

static void add_nodes(struct completion *completion, const struct request *request)
{
	const struct target *target = find_target(completion, request);

	for (size_t i = 0; target && i < target->model.nnodes; i++)
		completion_words_add_metric(completion, &target->model.metrics[i]);
}

static void add_metrics(struct completion *completion, const struct request *request)
{
	const struct target *target = find_target(completion, request);

	for (size_t i = target ? target->model.nnodes : 0; target && i < target->model.count; i++)
		completion_words_add_metric(completion, &target->model.metrics[i]);
}

static void add_nodes_and_metrics(struct completion *completion, const struct request *request)
{
	add_nodes(completion, request);
	add_metrics(completion, request);
}

static void add_groups(struct completion *completion, const struct request *request)
{
	const struct target *target = find_target(completion, request);
	struct catalog catalog = { .arena = completion->arena };

	if (!target)
		return;
	catalog_groups(&catalog, target);
	completion_words_add_rows(completion, &catalog, "group");
}

/* ---- words of the program's own ---- */

static void add_changes(struct completion *completion, const struct request *request UNUSED)
{
	const char *what, *word;

	completion_words_add(completion, WHAT_IF_WORST, "the causes of the nodes that lost most");
	for (size_t i = 0; (word = what_if_word(i, &what)); i++)
		completion_words_add(completion, word, what);
}

static void add_settings(struct completion *completion, const struct request *request UNUSED)
{
	for (unsigned kind = 0; kind < STEADY_KINDS; kind++)
		completion_words_add(completion, steady_word(kind), NULL);
}

static void add_system_calls(struct completion *completion, const struct request *request UNUSED)
{
	completion_words_add(completion, "all", "all of them");
	for (uint64_t i = 0; i < MOST_SYSTEM_CALLS; i++)
		completion_words_add(completion, system_call_name(i), NULL);
}

static void add_export_forms(struct completion *completion, const struct request *request UNUSED)
{
	for (size_t i = 0; i < EXPORT_FORMS; i++)
		if (!export_forms[i].missing)
			completion_words_add(completion, export_forms[i].name, NULL);
}

static void add_import_forms(struct completion *completion, const struct request *request UNUSED)
{
	for (unsigned form = IMPORT_PERFMON; form <= IMPORT_ARM; form++)
		completion_words_add(completion, import_form_name(form), NULL);
}

static void add_kernels(struct completion *completion, const struct request *request UNUSED)
{
	for (size_t i = 0; i < nknown_kernels; i++)
		if (!known_kernels[i].is_there || known_kernels[i].is_there())
			completion_words_add(completion, known_kernels[i].name, known_kernels[i].does);
}

static void add_levels(struct completion *completion, const struct request *request UNUSED)
{
	for (unsigned level = 1; level <= DEEPEST_LEVEL; level++)
		completion_words_add(completion, arena_printf(completion->arena, "%u", level), NULL);
}

/* Separated by blanks. */
static void add_words(struct completion *completion, const char *words)
{
	const char *word;
	size_t length;

	while ((length = text_next(&words, " ", &word)) > 0)
		completion_words_add(completion, arena_strndup(completion->arena, word, length), NULL);
}

static void add_choices(struct completion *completion, const struct completion_place *place,
			const struct options *options)
{
	const struct option_row *row = place->option;

	for (const char *const *choice = row->choices; *choice; choice++) {
		const char *name = arena_printf(completion->arena, "{%s %s}", row->name, *choice);
		bool is_there = row->offset != AT(output.format) || strcmp(*choice, "perf") != 0 ||
				place->command->has_perf_form;

		if (is_there && !options_exclude(options, name))
			completion_words_add(completion, *choice, NULL);
	}
}

/* ---- values of options ---- */

/* What an option takes whose row has no choices. */
static const struct value {
	const char *option;
	fill_function fill;
	const char *signs; /* of a list, separated by commas: what may stand before a name. NULL: no list */
	enum completion_more more;
} values[] = {
	/* clang-format off */
	{ "cpu",      completion_words_add_cpus,         NULL,   MORE_NOTHING },
	{ "nodes",    add_nodes,        "!+^-", MORE_NOTHING },
	{ "metrics",  add_metrics,      "!+^-", MORE_NOTHING },
	{ "groups",   add_groups,       "!+^-", MORE_NOTHING },
	{ "event",    completion_words_add_events,       "",     MORE_NOTHING },
	{ "cpus",     add_online_cpus,  "",     MORE_NOTHING },
	{ "pid",      add_processes,    "",     MORE_NOTHING },
	{ "sim-core", add_cores,        "",     MORE_FILES },
	{ "what-if",  add_changes,      "",     MORE_NOTHING },
	{ "steady",   add_settings,     "",     MORE_NOTHING },
	{ "syscalls", add_system_calls, "",     MORE_NOTHING },
	{ "to",       add_export_forms, NULL,   MORE_NOTHING },
	{ "from",     add_import_forms, NULL,   MORE_NOTHING },
	{ "level",    add_levels,       NULL,   MORE_NOTHING },
	{ "only",     add_kernels,      "",     MORE_NOTHING },
	{ "work",     add_kernels,      NULL,   MORE_NOTHING },
	{ "cgroup",   NULL,             NULL,   MORE_FOLDERS },
	{ "control",  NULL,             NULL,   MORE_FILES },
	{ "module",   NULL,             NULL,   MORE_NOTHING }, /* a name, though of a file */
	/* clang-format on */
};

/* What its argument is called says it of the other options. */
static enum completion_more more_by_argument(const struct option_row *row)
{
	if (!strcmp(row->argument, "FILE") || !strcmp(row->argument, "FILE.db"))
		return MORE_FILES;
	return !strcmp(row->argument, "DIR") ? MORE_FOLDERS : MORE_NOTHING;
}

/* Of a list the last item is typed; what stands before it stays. */
static void move_to_item(struct completion *completion, const char *signs)
{
	const char *comma = strrchr(completion->typed, ',');
	const char *item = comma ? comma + 1 : completion->typed;

	item += strspn(item, signs);
	completion->head = arena_printf(completion->arena, "%s%.*s", completion->head, (int)(item - completion->typed),
					completion->typed);
	completion->typed = item;
}

/* A history's metrics are its own, and `doctor --steady` takes no list. */
static bool has_own_values(const struct completion_place *place)
{
	return (place->command == &command_history && !strcmp(place->option->name, "metrics")) ||
	       (place->command == &command_doctor && !strcmp(place->option->name, "steady"));
}

static void fill_value(struct completion *completion, const struct completion_place *place,
		       const struct options *options)
{
	const struct request request = request_of(options, completion->arena);
	const struct option_row *row = place->option;

	completion->head = arena_strndup(completion->arena, place->word, place->from);
	completion->typed = place->word + place->from;
	if (row->choices)
		add_choices(completion, place, options);
	if (row->choices || !row->argument || has_own_values(place))
		return;
	for (size_t i = 0; i < COUNT_OF(values); i++)
		if (!strcmp(values[i].option, row->name)) {
			if (values[i].signs)
				move_to_item(completion, values[i].signs);
			if (values[i].fill)
				values[i].fill(completion, &request);
			completion->more = values[i].more;
			return;
		}
	completion->more = more_by_argument(row);
}

/* ---- names of options and commands ---- */

static void fill_options(struct completion *completion, const struct completion_place *place,
			 const struct options *options)
{
	for (const struct option_set *const *set = place->command->sets; *set; set++)
		for (size_t i = 0; i < (*set)->count; i++) {
			const struct option_row *row = &(*set)->rows[i];

			if (options_exclude(options, arena_printf(completion->arena, "{%s}", row->name)))
				continue;
			if (row->letter)
				completion_words_add(completion, arena_printf(completion->arena, "-%c", row->letter),
						     row->help);
			completion_words_add(completion, arena_printf(completion->arena, "--%s", row->name), row->help);
		}
}

static void add_commands(struct completion *completion)
{
	for (size_t i = 1; i < ncommands; i++)
		completion_words_add(completion, commands[i]->name, commands[i]->summary);
}

static void add_pages(struct completion *completion)
{
	for (size_t i = 0; i < nmanual_texts; i++)
		completion_words_add(completion, manual_topic(&manual_texts[i], completion->arena), NULL);
	completion_words_add(completion, "options", "all options of a measurement");
}

/* ---- words of commands ---- */

static void fill_history(struct completion *completion, const struct completion_place *place)
{
	if (place->first && !place->second)
		add_words(completion, "show compare accept annotate prune import");
	if (!place->first || (place->second && !strcmp(place->second, "import")))
		completion->more = MORE_FILES;
}

static void fill_words(struct completion *completion, const struct completion_place *place,
		       const struct request *request)
{
	const struct command *command = place->command;

	if (command == &command_report || command == &command_compare || command == &command_export)
		completion->more = MORE_FILES;
	else if (command == &command_import)
		completion->more = MORE_FOLDERS;
	else if (command == &command_history)
		fill_history(completion, place);
	else if (command == &command_explain)
		add_nodes_and_metrics(completion, request);
	else if (command == &command_metrics)
		add_metrics(completion, request);
	else if (command == &command_list && !place->first)
		add_words(completion, "cpus cores events metrics nodes groups");
	else if (command == &command_help && !place->first)
		add_pages(completion);
	else if (command == &command_completion && !place->first)
		add_words(completion, "bash zsh fish");
}

void completion_fill(struct completion *completion, const struct completion_place *place, const struct options *options)
{
	const struct request request = request_of(options, completion->arena);

	completion->head = "";
	completion->typed = place->word;
	if (place->option)
		fill_value(completion, place, options);
	else if (place->is_option)
		fill_options(completion, place, options);
	else if (place->program == NO_PROGRAM)
		fill_words(completion, place, &request);
	if (place->may_be_command && !place->is_option)
		add_commands(completion);
	if (place->program != NO_PROGRAM)
		completion->more = MORE_PROGRAM;
}
