/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/steps.h"

#include <string.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "cpu/event/spelling.h"

#define MOST_ASKED 500 /* events that are looked for on each CPU */
#define MOST_NAMED 6   /* CPUs in a message; the rest is counted */

/* ---- types of cores ---- */

/* "core" of "cpu_core"; NULL: the events name no type of cores. */
static const char *type_of(const char *pmu)
{
	return pmu ? pmu + strlen("cpu_") : NULL;
}

/* What --cpu means for the part's cores: "alderlake" is "alderlake:atom" where that is known. */
static const char *cpu_for(const char *typed, const char *pmu, struct database *database, struct arena *arena)
{
	struct error unknown = { .text = "" };
	const char *full;

	if (!pmu || strchr(typed, ':'))
		return typed;
	full = arena_printf(arena, "%s:%s", typed, type_of(pmu));
	return database_name(database, full, arena, &unknown) ? full : typed;
}

static bool is_of_type(const char *cpu, const char *pmu)
{
	const char *colon = strchr(cpu, ':');

	return !colon || !pmu || is_same_name(colon + 1, type_of(pmu));
}

static size_t count_types(const struct measurement *measured)
{
	size_t types = 0;

	for (size_t i = 0; i < measured->count; i++) {
		size_t k = 0;

		while (k < i && compare_texts(measured->parts[k].origin.pmu, measured->parts[i].origin.pmu) != 0)
			k++;
		types += k == i;
	}
	return types;
}

static void warn_once(const struct measurement *measured, size_t part, const char *cpu, const struct request *request)
{
	const char *pmu = measured->parts[part].origin.pmu;

	for (size_t i = 0; i < part; i++)
		if (compare_texts(measured->parts[i].origin.pmu, pmu) == 0)
			return;
	request_notice(request, NOTICE_WARNING, "counts of %s are left out: no events are known for these cores of %s",
		       pmu, cpu);
}

static int choose_parts(struct measurement *measured, const char *typed, struct database *database,
			const struct request *request, struct error *err)
{
	const char *first = measured->parts[0].origin.pmu, *name = database_name(database, typed, request->arena, err);
	struct counts *kept = arena_array(request->arena, measured->count, sizeof(*kept));
	size_t count = 0;

	if (!name)
		return -1;
	if (!strchr(name, ':'))
		return count_types(measured) < 2
			       ? 0
			       : error_set(err, "counts of several types of cores, but %s has one type only", name);
	for (size_t i = 0; i < measured->count; i++) {
		const char *pmu = measured->parts[i].origin.pmu, *cpu = cpu_for(typed, pmu, database, request->arena);

		if (is_of_type(strchr(typed, ':') || strchr(cpu, ':') ? cpu : name, pmu))
			kept[count++] = measured->parts[i];
		else if (!strchr(typed, ':'))
			warn_once(measured, i, typed, request);
	}
	if (!count)
		return error_set(err, "these counts are of %s, not of %s", first, typed);
	measured->parts = kept;
	measured->count = count;
	return 0;
}

int saved_cpus_choose(struct measurement *measured, const struct request *request, struct error *err)
{
	struct database *database;

	if (!request->setup->machine.cpu || measured->parts[0].origin.cpu)
		return 0;
	database = identified_database(request, err);
	return database ? choose_parts(measured, request->setup->machine.cpu, database, request, err) : -1;
}

/* ---- which CPU has these events? ---- */

struct candidates {
	struct string names;
	size_t count, most, least, events;
};

/* The vendor's events among the counts, each once. */
struct names {
	const char **items;
	size_t count;
};

static struct names names_of(const struct counts *counts, struct arena *arena)
{
	const struct repeat *repeat = &counts->repeats[0];
	struct names names = { .items = arena_array(arena, repeat->count + 1, sizeof(*names.items)) };
	struct table seen = TABLE_INIT(arena);

	for (size_t i = 0; i < repeat->count && names.count < MOST_ASKED; i++)
		if (table_set(&seen, repeat->items[i].event, i) == TABLE_NONE &&
		    spelling_vendor_name(repeat->items[i].event, arena))
			names.items[names.count++] = repeat->items[i].event;
	return names;
}

static size_t count_known(const struct names *names, const struct event_database *database, struct arena *arena)
{
	struct event_database alone = *database; /* libpfm4 knows more, and is slow to ask */
	struct event_set set;
	size_t known = 0;

	alone.pfm = NULL;
	event_set_init(&set, &alone, pmu_assumed(database->pmu, database->vendor, arena), true, arena);
	for (size_t i = 0; i < names->count; i++)
		known += event_set_has(&set, names->items[i]);
	return known;
}

static void add_candidate(struct candidates *found, const char *name, size_t known)
{
	if (known > found->most || !found->count) {
		found->names.length = 0;
		found->count = 0;
		found->most = known;
	}
	found->least = known < found->least ? known : found->least;
	if (known < found->most)
		return;
	if (found->count < MOST_NAMED)
		string_printf(&found->names, "%s%s", found->count ? ", " : "", name);
	found->count++;
}

static bool is_first_row(const struct database *database, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (!strcmp(database->cpus[i].name, database->cpus[number].name))
			return false;
	return true;
}

/* Of a hybrid CPU the name of all of it is what --cpu takes. */
static void look_through(struct candidates *found, const struct counts *counts, struct database *database,
			 struct arena *arena)
{
	const struct names names = names_of(counts, arena);

	found->events = names.count;
	for (size_t i = 0; i < database->ncpus; i++) {
		const char *name = database->cpus[i].name, *path;
		struct error unread = { .text = "" };
		struct event_database events;

		if (!is_first_row(database, i) || !is_of_type(name, counts->origin.pmu) ||
		    (counts->origin.pmu && !strchr(name, ':')))
			continue;
		path = database_file(database, "events", name, arena, &unread);
		if (!path || event_database_load(&events, path, arena, &unread) < 0)
			continue;
		if (counts->origin.pmu)
			name = arena_strndup(arena, name, strcspn(name, ":"));
		add_candidate(found, name, count_known(&names, &events, arena));
	}
}

/* "; 12 of its 13 events are known on tigerlake, icelake"; "" where the events say nothing. */
static const char *candidates_text(const struct counts *counts, const struct request *request)
{
	struct arena *arena = request->arena;
	struct candidates found = { .names = STRING_INIT(arena), .least = SIZE_MAX };
	struct error unread = { .text = "" };
	struct database *database = identified_database(request, &unread);

	if (!database || database_complete(database, &unread) < 0)
		return "";
	look_through(&found, counts, database, arena);
	if (!found.count || found.most == found.least)
		return "";
	if (found.count > MOST_NAMED)
		string_printf(&found.names, " and %zu more", found.count - MOST_NAMED);
	return arena_printf(arena, "; %zu of its %zu events are known on %s", found.most, found.events,
			    found.names.text);
}

static bool has_own_events(const struct target *target, const struct counts *counts, struct arena *arena)
{
	struct names names = names_of(counts, arena);

	return !names.count || count_known(&names, &target->events, arena) > 0;
}

/* ---- both ---- */

static int find_here(struct target *target, struct counts *counts, const struct request *request, struct error *err)
{
	struct error unknown = { .text = "" };

	if (target_machine_type(target, counts->origin.pmu, request, &unknown) < 0)
		return error_set(err, "it does not say which CPU; name it with {cpu} (%s)%s", unknown.text,
				 candidates_text(counts, request));
	if (!has_own_events(target, counts, request->arena))
		return error_set(err,
				 "none of its events is known on this machine's CPU (%s); name the CPU that counted "
				 "with {cpu}%s",
				 target->cpu, candidates_text(counts, request));
	return 0;
}

static int find_named(struct target *target, struct counts *counts, const struct request *request, struct error *err)
{
	struct setup setup = *request->setup;
	struct request part = *request;
	struct database *database = identified_database(request, err);

	if (!database)
		return -1;
	setup.machine.cpu = cpu_for(setup.machine.cpu, counts->origin.pmu, database, request->arena);
	part.setup = &setup;
	return target_find(target, &part, err);
}

int saved_cpus_find(struct target *target, struct counts *counts, const struct request *request, struct error *err)
{
	double core_wide = counts->origin.facts.core_wide; /* no fact of the machine */
	int result = request->setup->machine.cpu ? find_named(target, counts, request, err)
						 : find_here(target, counts, request, err);

	if (result < 0)
		return -1;
	counts->origin.facts = target->model.facts;
	counts->origin.facts.core_wide = core_wide;
	counts->origin.cpu = target->cpu;
	return 0;
}

/* Which of the model's events have a number. */
static const bool *find_counted(const struct model *model, const struct counts *counts, struct arena *arena)
{
	bool *is_counted = arena_array(arena, model->events.count + 1, sizeof(*is_counted));

	for (size_t i = 0; i < counts->repeats[0].count; i++) {
		const struct count *item = &counts->repeats[0].items[i];
		size_t number = event_set_find(&model->events, item->event);

		if (number != TABLE_NONE && item->state == COUNT_OK)
			is_counted[number] = true;
	}
	return is_counted;
}

/* The numbers of those that these counts have all events of, but for corrections. */
struct fit {
	size_t roots;	/* level-1 nodes */
	size_t metrics; /* of all levels */
};

static struct fit fit_of(const struct model *model, const struct counts *counts, struct arena *arena)
{
	const bool *is_counted = find_counted(model, counts, arena);
	struct fit fit = { 0 };

	for (size_t i = 0; i < model->count; i++)
		fit.metrics += metric_is_computable(&model->metrics[i], is_counted);
	for (size_t i = 0; i < model->nnodes; i++)
		fit.roots += model->metrics[i].level == 1 && metric_is_computable(&model->metrics[i], is_counted);
	return fit;
}

static size_t all_roots(const struct model *model)
{
	size_t roots = 0;

	for (size_t i = 0; i < model->nnodes; i++)
		roots += model->metrics[i].level == 1;
	return roots;
}

struct variant {
	enum model_form form;
	double smt_on, core_wide;
};

#define MOST_VARIANTS 6 /* both forms, with SMT in two ways and without */

static struct variant variant_of(const struct model *model)
{
	return (struct variant){ .form = model->form,
				 .smt_on = model->facts.smt_on,
				 .core_wide = model->facts.core_wide };
}

static bool is_same_machine(const struct variant *a, const struct variant *b)
{
	return a->form == b->form && a->smt_on == b->smt_on;
}

static int variant_compile(struct target *target, const struct variant *variant, const struct counts *counts,
			   const struct request *request, struct error *err)
{
	struct variant now = variant_of(&target->model);

	if (is_same_machine(&now, variant) && now.core_wide == variant->core_wide)
		return 0;
	target->model.facts.smt_on = variant->smt_on;
	target->model.facts.core_wide = variant->core_wide;
	return target_take_form(target, variant->form, counts->question.events, request, err);
}

/* Whole cores have formulas for both; what a program's part would be of whole cores' events, nobody knows. */
static bool is_core_open(const struct model *model, const struct origin *origin)
{
	return origin->is_flat && origin->cores != CORES_SHARED && model->facts.smt_on == 1 && model->has_shared_slots;
}

/*
 * What is open, the likeliest first: the form of this machine or CPU, with SMT, is what most counts are. Without SMT a
 * core has one thread, and so one formula.
 */
static size_t list_variants(struct variant variants[MOST_VARIANTS], const struct target *target,
			    const struct counts *counts, const struct request *request)
{
	const struct model *model = &target->model;
	bool is_form_open =
		request->setup->machine.form == FORM_CHOICE_AUTO && !counts->origin.form && model->has_forms;
	bool is_smt_open =
		counts->origin.is_flat && !counts->origin.has_smt && !target->has_machine && model->facts.smt_on != 0;
	bool is_core_wide_open = is_core_open(model, &counts->origin);
	struct variant first = variant_of(model);
	size_t count = 0;

	if (is_core_wide_open)
		first.core_wide = counts->origin.cores == CORES_WHOLE;
	for (int smt_off = 0; smt_off <= is_smt_open; smt_off++)
		for (int way = 0; way <= (is_core_wide_open && !smt_off); way++)
			for (int other = 0; other <= is_form_open; other++) {
				struct variant *variant = &variants[count++];

				*variant = first;
				if (other)
					variant->form = first.form == FORM_GENERAL ? FORM_PERF_METRICS : FORM_GENERAL;
				if (smt_off)
					variant->smt_on = 0;
				if (way)
					variant->core_wide = first.core_wide == 0;
			}
	return count;
}

/* Deeper nodes decide only between formulas for the same machine. */
static bool variant_is_better(const struct fit *fit, const struct variant *variant, const struct fit *best_fit,
			      const struct variant *best)
{
	return fit->roots > best_fit->roots ||
	       (fit->roots == best_fit->roots && is_same_machine(variant, best) && fit->metrics > best_fit->metrics);
}

static void note_guesses(struct origin *origin, const struct variant *best, const struct variant *first)
{
	origin->is_smt_guessed = origin->is_flat && best->smt_on == 0 && first->smt_on != 0;
	if (origin->is_smt_guessed)
		origin->facts.smt_on = 0;
	origin->is_core_wide_guessed = origin->cores == CORES_UNSAID && best->core_wide == 1 && first->core_wide == 0;
	if (origin->is_core_wide_guessed)
		origin->facts.core_wide = 1;
}

static int take_variant(struct target *target, struct counts *counts, const struct request *request, struct error *err)
{
	struct variant variants[MOST_VARIANTS], best;
	size_t count = list_variants(variants, target, counts, request);
	struct fit most;

	if (count == 1)
		return 0;
	if (variant_compile(target, &variants[0], counts, request, err) < 0)
		return -1;
	most = fit_of(&target->model, counts, request->arena);
	best = variants[0];
	for (size_t i = 1; i < count && most.roots < all_roots(&target->model); i++) {
		struct fit fit;

		if (variant_compile(target, &variants[i], counts, request, err) < 0)
			return -1;
		fit = fit_of(&target->model, counts, request->arena);
		if (variant_is_better(&fit, &variants[i], &most, &best)) {
			most = fit;
			best = variants[i];
		}
	}
	note_guesses(&counts->origin, &best, &variants[0]);
	return variant_compile(target, &best, counts, request, err);
}

int target_suit(struct target *target, struct counts *counts, const struct request *request, struct error *err)
{
	if (take_variant(target, counts, request, err) < 0)
		return -1;
	return target_take_stalls(target, find_counted(&target->model, counts, request->arena), &counts->question,
				  request, err);
}
