/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/assessment.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_bulk.h"

#define OWN_SOURCE "topdown"

static const char *const topic_names[ASSESS_TOPICS] = { "speed", "branches", "caches", "tlbs" };
static const char *const role_names[] = {
	[ASSESS_ACCESSES] = "accesses", [ASSESS_MISSES] = "misses", [ASSESS_RATIO] = "ratio"
};

static const char *const remark_names[KERNEL_REMARKS] = {
	[KERNEL_OFF_CPU] = "off_cpu",		[KERNEL_SYSTEM] = "system_time", [KERNEL_SWITCHES] = "context_switches",
	[KERNEL_MIGRATIONS] = "cpu_migrations", [KERNEL_MAJOR] = "major_faults", [KERNEL_FIXED_UP] = "fixed_up",
	[KERNEL_RUN_DELAY] = "run_delay",
};

const char *assessment_topic_name(enum assessment_topic topic)
{
	return topic_names[topic];
}

/* The file while it is read. */
struct reading {
	struct assessment_rules *rules;
	const struct model *model;
	const char *path;
	size_t capacity;
	struct arena *arena;
	bool is_settled; /* the last rule has its form, or a row says why there is none */
	size_t nforms;	 /* rows below it */
};

static int assessment_fail(const struct reading *r, const char *name, const char *sentence, struct error *err)
{
	return error_set(err, "%s: '%s': %s", r->path, name ? name : "?", sentence);
}

/* ---- what a rule is about ---- */

/* The word's place among the names; -1: it is none of them. */
static int assessment_choice_of(const char *word, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (word && names[i] && !strcmp(word, names[i]))
			return (int)i;
	return -1;
}

/* So that the number of instructions makes them a number of events. */
static bool is_per_1000(const char *unit)
{
	return !strcmp(unit, "MPKI") || !strcmp(unit, "per 1000 instr");
}

static int read_topic(struct assessment_rule *rule, const struct reading *r, const struct bulk_object *row,
		      struct error *err)
{
	const char *about = bulk_get(row, "About"), *role = bulk_get(row, "Role"), *worse = bulk_get(row, "Worse");
	int topic = assessment_choice_of(about, topic_names, COUNT_OF(topic_names));
	int place = role ? assessment_choice_of(role, role_names, COUNT_OF(role_names)) : ASSESS_PLAIN;

	if (topic < 0)
		return assessment_fail(r, rule->name, "About: it is speed, branches, caches or tlbs", err);
	if (place < 0)
		return assessment_fail(r, rule->name, "Role: it is accesses, misses or ratio", err);
	if (!rule->unit)
		return assessment_fail(r, rule->name, "it has no Unit", err);
	if (worse && strcmp(worse, "above") != 0 && strcmp(worse, "below") != 0)
		return assessment_fail(r, rule->name, "Worse: it is above or below", err);
	if (topic == ASSESS_CACHES && (!rule->level || place == ASSESS_PLAIN))
		return assessment_fail(r, rule->name, "a figure about caches has a Level and a Role", err);
	if ((place == ASSESS_ACCESSES || place == ASSESS_MISSES) && !is_per_1000(rule->unit))
		return assessment_fail(r, rule->name, "the Unit of accesses and misses is MPKI or per 1000 instr", err);
	if (worse && (!rule->means_ok || !rule->means_beyond))
		return assessment_fail(r, rule->name, "where a value can be worse, Ok and Beyond say what that means",
				       err);
	if (!worse && (rule->means_ok || rule->means_beyond))
		return assessment_fail(r, rule->name,
				       "Ok and Beyond say what is Worse, and nothing says which way that is", err);
	rule->topic = (enum assessment_topic)topic;
	rule->role = (enum assessment_role)place;
	rule->is_low_worse = worse && !strcmp(worse, "below");
	return 0;
}

/* The rule of that name, which stands above; NO_RULE: there is none. */
static size_t find_rule(const struct assessment_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->count; i++)
		if (!strcmp(rules->items[i].name, name))
			return i;
	return NO_RULE;
}

static int read_with(struct assessment_rule *rule, const struct reading *r, const struct bulk_object *row,
		     struct error *err)
{
	const char *with = bulk_get(row, "With");

	rule->with = with ? find_rule(r->rules, with) : NO_RULE;
	if (with && rule->with == NO_RULE)
		return assessment_fail(r, rule->name, arena_printf(r->arena, "With: no figure '%s' stands above", with),
				       err);
	return 0;
}

static int open_rule(struct reading *r, const struct bulk_object *row, struct error *err)
{
	struct assessment_rules *rules = r->rules;
	struct assessment_rule rule = { .name = bulk_get(row, "MetricName"),
					.title = bulk_get(row, "Title"),
					.level = bulk_get(row, "Level"),
					.unit = bulk_get(row, "Unit"),
					.means_ok = bulk_get(row, "Ok"),
					.means_beyond = bulk_get(row, "Beyond"),
					.without = "this CPU's model has no metric for it",
					.good = (double)NAN,
					.bad = (double)NAN };

	if (find_rule(rules, rule.name) != NO_RULE)
		return assessment_fail(r, rule.name, "it is there twice", err);
	if (read_topic(&rule, r, row, err) < 0 || read_with(&rule, r, row, err) < 0)
		return -1;
	rules->items = arena_grow(r->arena, rules->items, rules->count, &r->capacity, sizeof(rule));
	rules->items[rules->count++] = rule;
	r->is_settled = false;
	r->nforms = 0;
	return 0;
}

/* ---- forms ---- */

static bool matches_any(const char *globs, const char *name, struct arena *arena)
{
	const char *part;
	size_t length;

	while ((length = text_next(&globs, ";", &part)) > 0)
		if (fnmatch(arena_strndup(arena, part, length), name, 0) == 0)
			return true;
	return false;
}

static bool is_for(const struct reading *r, const struct bulk_object *row)
{
	const char *vendor = bulk_get(row, "Vendor"), *cpu = bulk_get(row, "Cpu");

	return (!vendor || is_same_name(vendor, r->model->database->vendor)) &&
	       (!cpu || matches_any(cpu, r->model->cpu, r->arena));
}

/* Are all names those of metrics that this CPU can compute? */
static bool is_computable(const struct reading *r, const char *expression)
{
	static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

	while (*expression) {
		size_t length = strspn(expression, in_names), number;

		if (length && !isdigit((unsigned char)*expression)) {
			number = model_find(r->model, arena_strndup(r->arena, expression, length));
			if (number == TABLE_NONE || r->model->metrics[number].failure)
				return false;
		}
		expression += length ? length : 1;
	}
	return true;
}

static struct name assessment_resolve(void *context, const char *id, struct error *err UNUSED)
{
	const struct reading *r = context;
	size_t number = model_find(r->model, id);

	return (struct name){ .kind = number == TABLE_NONE ? NAME_UNKNOWN : NAME_EVENT, .index = number };
}

static int assessment_compile(struct reading *r, struct assessment_rule *rule, struct error *err)
{
	const struct formula_names names = { .context = r, .resolve = assessment_resolve, .facts = &r->model->facts };
	size_t slot = r->rules->count - 1;
	struct error own = { .text = "" };

	if (program_add(r->rules->program, slot, rule->expression, &names, &own) < 0)
		return error_set(err, "%s: '%s': MetricExpr: %s", r->path, rule->name, own.text);
	return 0;
}

/* "Good" or "Bad" with its source; stays NAN where there is none. */
static int read_bound(struct assessment_rule *form, const struct reading *r, const struct bulk_object *row,
		      const char *key, struct error *err)
{
	double *bound = !strcmp(key, "Bad") ? &form->bad : &form->good;
	const char **source = !strcmp(key, "Bad") ? &form->bad_source : &form->good_source;
	const char *text = bulk_get(row, key), *by = bulk_get(row, arena_printf(r->arena, "%sSource", key));

	if (!text)
		return 0;
	if (!text_double(text, bound) || !isfinite(*bound))
		return assessment_fail(r, form->name,
				       arena_printf(r->arena, "%s is '%s', and a bound is a number", key, text), err);
	if (!by)
		return assessment_fail(
			r, form->name,
			arena_printf(r->arena, "%s has no %sSource: who publishes it, or \"topdown\" where nobody does",
				     key, key),
			err);
	*source = strcmp(by, OWN_SOURCE) != 0 ? by : NULL;
	return 0;
}

static int check_bounds(const struct reading *r, const struct assessment_rule *rule, struct error *err)
{
	bool has_any = !isnan(rule->good) || !isnan(rule->bad);

	if (has_any && !rule->means_ok)
		return assessment_fail(r, rule->name, "it has a bound, and nothing says which way is Worse", err);
	if (isnan(rule->good) && !isnan(rule->bad))
		return assessment_fail(r, rule->name, "it has Bad without Good", err);
	if (rule->is_low_worse ? rule->bad >= rule->good : rule->bad <= rule->good)
		return assessment_fail(r, rule->name, "Bad is not beyond Good", err);
	return 0;
}

static int take_form(struct reading *r, const struct bulk_object *row, struct error *err)
{
	struct assessment_rule *rule = &r->rules->items[r->rules->count - 1];
	struct assessment_rule form = *rule;

	r->nforms++;
	form.expression = bulk_get(row, "MetricExpr");
	if (read_bound(&form, r, row, "Good", err) < 0 || read_bound(&form, r, row, "Bad", err) < 0 ||
	    check_bounds(r, &form, err) < 0)
		return -1;
	if (!form.expression && !bulk_get(row, "Without"))
		return assessment_fail(r, rule->name, "a form has a MetricExpr, or says Without what it is", err);
	if (r->is_settled || !is_for(r, row) || (form.expression && !is_computable(r, form.expression)))
		return 0;
	r->is_settled = true;
	if (!form.expression) {
		rule->without = bulk_get(row, "Without");
		return 0;
	}
	form.counted_by = bulk_get(row, "CountedBy");
	*rule = form;
	return assessment_compile(r, rule, err);
}

static int close_rule(const struct reading *r, struct error *err)
{
	if (r->rules->count && !r->nforms)
		return assessment_fail(r, r->rules->items[r->rules->count - 1].name, "it has no form", err);
	return 0;
}

static int assessment_take_row(void *context, const struct bulk_object *row, struct error *err)
{
	struct reading *r = context;
	const char *name = bulk_get(row, "MetricName");

	if (!name)
		return error_set(err, "%s: a row without MetricName", r->path);
	if (bulk_get(row, "Title"))
		return close_rule(r, err) < 0 ? -1 : open_rule(r, row, err);
	if (!r->rules->count || strcmp(r->rules->items[r->rules->count - 1].name, name) != 0)
		return assessment_fail(r, name, "a form stands below the row with its Title", err);
	return take_form(r, row, err);
}

/* ---- the kernel's own counters ---- */

static int take_remark(void *context, const struct bulk_object *row, struct error *err)
{
	struct reading *r = context;
	const char *name = bulk_get(row, "Remark"), *least = bulk_get(row, "Least"), *source = bulk_get(row, "Source");
	int number = assessment_choice_of(name, remark_names, KERNEL_REMARKS);
	struct kernel_bound *bound = &r->rules->kernel[number < 0 ? 0 : number];

	if (number < 0)
		return assessment_fail(r, name, "no such Remark is known", err);
	if (!isnan(bound->least))
		return assessment_fail(r, name, "it is there twice", err);
	if (!least || !text_double(least, &bound->least) || !(bound->least > 0) || !isfinite(bound->least))
		return assessment_fail(r, name, "Least is a number above 0", err);
	if (!source)
		return assessment_fail(r, name, "it has no Source: who publishes the bound, or why it is so", err);
	bound->source = source;
	return 0;
}

static int read_remarks(struct reading *r, const char *path, struct error *err)
{
	struct bulk_visitor visitor = {
		.context = r, .list = "Kernel", .is_list_optional = true, .object = take_remark
	};

	for (size_t i = 0; i < KERNEL_REMARKS; i++)
		r->rules->kernel[i].least = NOT_COUNTED;
	return bulk_read(path, &visitor, r->arena, err);
}

static void find_metrics(struct assessment_rules *rules, const struct model *model, struct arena *arena)
{
	size_t *numbers = arena_array(arena, model->count + 1, sizeof(*numbers));

	for (size_t i = 0; i < rules->count; i++) {
		struct assessment_rule *rule = &rules->items[i];

		if (!rule->expression)
			continue;
		rule->nmetrics = program_events(rules->program, i, numbers);
		rule->metrics = arena_array(arena, rule->nmetrics + 1, sizeof(*numbers));
		memcpy(rule->metrics, numbers, rule->nmetrics * sizeof(*numbers));
	}
}

/* ---- events ---- */

static bool has_number(const size_t *numbers, size_t count, size_t number)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

static void assessment_add_event(struct assessment_rule *rule, size_t event)
{
	if (!has_number(rule->events, rule->nevents, event))
		rule->events[rule->nevents++] = event;
}

/* Those that only make a rate of it are left out. */
static void add_events_of(struct assessment_rule *rule, const struct model *model, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (metric->events[i] != model->roles[ROLE_INSTRUCTIONS] &&
		    metric->events[i] != model->roles[ROLE_CYCLES])
			assessment_add_event(rule, metric->events[i]);
}

/* The event of that name that one of the rule's metrics reads; TABLE_NONE: none does. */
static size_t event_named(const struct assessment_rule *rule, const struct model *model, const char *name)
{
	for (size_t i = 0; i < rule->nmetrics; i++) {
		const struct metric *metric = &model->metrics[rule->metrics[i]];

		for (size_t k = 0; k < metric->nevents; k++)
			if (is_same_name(model->events.events[metric->events[k]].name, name))
				return metric->events[k];
	}
	return TABLE_NONE;
}

static int take_named(struct assessment_rule *rule, const struct reading *r, struct error *err)
{
	const char *names = rule->counted_by, *part;
	size_t length;

	while ((length = text_next(&names, ";", &part)) > 0) {
		const char *name = arena_strndup(r->arena, part, length);
		size_t metric = model_find(r->model, name), event = event_named(rule, r->model, name);

		if (metric != TABLE_NONE && has_number(rule->metrics, rule->nmetrics, metric))
			add_events_of(rule, r->model, &r->model->metrics[metric]);
		else if (event != TABLE_NONE)
			assessment_add_event(rule, event);
		else
			return assessment_fail(
				r, rule->name,
				arena_printf(r->arena, "CountedBy: its MetricExpr does not read '%s'", name), err);
	}
	return 0;
}

static int find_events(const struct reading *r, struct assessment_rule *rule, struct error *err)
{
	size_t most = 0;

	if (rule->role != ASSESS_ACCESSES && rule->role != ASSESS_MISSES)
		return 0;
	for (size_t i = 0; i < rule->nmetrics; i++)
		most += r->model->metrics[rule->metrics[i]].nevents;
	rule->events = arena_array(r->arena, most + 1, sizeof(*rule->events));
	if (rule->counted_by)
		return take_named(rule, r, err);
	for (size_t i = 0; i < rule->nmetrics; i++)
		add_events_of(rule, r->model, &r->model->metrics[rule->metrics[i]]);
	return 0;
}

int assessment_load(struct assessment_rules *rules, const struct model *model, const char *path, struct arena *arena,
		    struct error *err)
{
	struct reading r = { .rules = rules, .model = model, .arena = arena };
	const struct formula_names names = { .context = &r, .resolve = assessment_resolve, .facts = &model->facts };
	struct bulk_visitor visitor = { .context = &r, .list = "Assessments", .object = assessment_take_row };

	*rules = (struct assessment_rules){ .program = program_new(arena, 0) };
	r.path = arena_strdup(arena, path);
	if (bulk_read(path, &visitor, arena, err) < 0 || close_rule(&r, err) < 0 || read_remarks(&r, path, err) < 0)
		return -1;
	program_link(rules->program, &names);
	find_metrics(rules, model, arena);
	for (size_t i = 0; i < rules->count; i++)
		if (find_events(&r, &rules->items[i], err) < 0)
			return -1;
	return 0;
}
