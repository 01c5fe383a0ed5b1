/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/reports.h"

#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluate.h"
#include "analyse/hotspots/annotation.h"
#include "analyse/hotspots/hotspots.h"
#include "analyse/hotspots/sampled.h"
#include "analyse/ranks/ranks.h"
#include "analyse/roofline/roofline.h"
#include "common/base/text.h"
#include "common/measurement/division.h"
#include "common/system/file.h"
#include "cpu/load/assessment.h"
#include "cpu/load/glossary.h"
#include "program/code/disassembly.h"

bool is_target_of(const struct target *target, const struct counts *counts)
{
	const struct model *model = &target->model;
	bool is_core_open = model->has_shared_slots && model->facts.smt_on == 1 && !counts->origin.is_flat;

	return counts->origin.cpu && is_same_name(target->cpu, counts->origin.cpu) &&
	       (!is_core_open || model->facts.core_wide == counts->origin.facts.core_wide);
}

const struct target *target_of(const struct target_types *types, const struct counts *counts)
{
	for (size_t i = 0; i < types->count; i++)
		if (is_target_of(&types->items[i], counts))
			return &types->items[i];
	return &types->items[0];
}

/* The most cycles of the parts of the same kind. */
static double busiest(const struct report_set *set, const struct report *like)
{
	double most = 0;

	for (size_t i = 0; i < set->count; i++)
		if (set->parts[i].model == like->model &&
		    compare_texts(set->parts[i].summary.part_kind, like->summary.part_kind) == 0)
			most = fmax(most, set->parts[i].summary.cycles);
	return most;
}

/* Cycles that are not known are no reason, unless nothing ran there. */
static bool is_idle(const struct report_set *set, size_t part, const struct counts *counts)
{
	const struct report *report = &set->parts[part];

	return report->summary.part && (report->summary.cycles < set->idle_percent / 100 * busiest(set, report) ||
					!has_run(&counts->repeats[0]));
}

static void leave_out_idle(struct report_set *set, const struct measurement *measured, struct arena *arena)
{
	bool *is_left_out = arena_array(arena, set->count + 1, sizeof(*is_left_out));
	size_t count = 0;

	set->idle = arena_array(arena, set->count + 1, sizeof(*set->idle));
	set->nidle = 0;
	for (size_t i = 0; i < set->count; i++)
		is_left_out[i] = is_idle(set, i, &measured->parts[i]);
	for (size_t i = 0; i < set->count; i++)
		if (is_left_out[i])
			set->idle[set->nidle++] = set->parts[i].summary.part;
		else
			set->parts[count++] = set->parts[i];
	set->count = count;
}

/*
 * Reads the bounds of the model's figures, once: a start that prints no report does without. -1 when the file says what
 * makes no sense; without one nothing is judged.
 */
static int read_bounds(const struct target *target, struct error *err)
{
	struct assessment_rules *rules = target->model.assessment;
	struct arena *arena = target->database->arena;
	struct error missing = { .text = "" };
	const char *path;

	if (!rules || rules->is_loaded)
		return 0;
	path = database_file(target->database, "models", "assessment", arena, &missing);
	if (path && assessment_load(rules, &target->model, path, arena, err) < 0)
		return -1;
	rules->is_loaded = true;
	return 0;
}

static void cause_words(struct cause *cause, const char *path, struct arena *arena)
{
	struct error unused = { .text = "" };
	struct glossary_entry entry;

	if (!path || glossary_read_entry(&entry, path, cause->result->metric->name, arena, &unused) < 0)
		return;
	cause->title = entry.cause;
	cause->means = entry.means;
}

#define MOST_OTHERS 2 /* more is no advice */

static void add_others(struct report *report, const char *path, struct arena *arena)
{
	struct error unused = { .text = "" };

	report->others = arena_array(arena, MOST_OTHERS, sizeof(*report->others));
	for (size_t i = 0; i < report->nnodes && report->nothers < MOST_OTHERS; i++) {
		const struct result *node = &report->nodes[i];
		struct glossary_entry entry;

		if (!node->is_bottleneck || node == report->worst || has_bottleneck_below(report, node) ||
		    glossary_read_entry(&entry, path, node->metric->name, arena, &unused) < 0 || !entry.advice)
			continue;
		report->others[report->nothers++] = (struct advice){ node, entry.advice };
	}
}

/* About the worst node. Without a glossary the report has none. */
static void add_words(struct report *report, const struct target *target, struct arena *arena)
{
	struct error err = { .text = "" };
	/* The loader's work, and what lies between regions: no advice on building helps there. */
	bool is_outside = report->summary.part && !strcmp(report->summary.part, OUTSIDE_REGIONS);
	const char *path = glossary_file(target->database, &target->model, arena, &err);
	struct glossary_entry entry;

	report->glossary = path;
	for (size_t i = 0; i < report->ncauses; i++)
		cause_words(&report->causes[i], path, arena);
	if (!path || !report->worst || glossary_read_entry(&entry, path, report->worst->metric->name, arena, &err) < 0)
		return;
	report->meaning = entry.means;
	report->advice = says_little(report) || is_outside ? NULL : entry.advice;
	if (report->advice)
		add_others(report, path, arena);
}

int reports_evaluate(struct report_set *set, const struct target_types *types, const struct measurement *measured,
		     struct arena *arena, struct error *err)
{
	set->parts = arena_array(arena, measured->count, sizeof(*set->parts));
	set->count = measured->count;
	set->from_s = measured->from_s;
	set->to_s = measured->to_s;
	set->waits = waits_with_places(measured->waits, measured->profile, arena);
	for (size_t i = 0; i < measured->count; i++) {
		const struct target *target = target_of(types, &measured->parts[i]);

		if (isnan(measured->from_s) && read_bounds(target, err) < 0)
			return -1;
		if (evaluate(&set->parts[i], &target->model, &measured->parts[i], arena, err) < 0)
			return -1;
		if (isnan(measured->from_s))
			add_words(&set->parts[i], target, arena);
	}
	if (isnan(measured->from_s) && measured->parts[0].question.wants_roofline)
		set->roofline = roofline_of(set, measured, arena);
	if (measured->ranks && isnan(measured->from_s))
		set->ranks = ranks_evaluate(set, measured, arena);
	if (set->idle_percent > 0 && set->count > 1)
		leave_out_idle(set, measured, arena);
	return 0;
}

void reports_sampled(struct report_set *set, const struct measurement *measured, struct arena *arena)
{
	struct sampled *sampled = arena_alloc(arena, sizeof(*sampled));

	set->parts = NULL;
	set->count = 0;
	set->from_s = measured->from_s;
	set->to_s = measured->to_s;
	set->waits = waits_with_places(measured->waits, measured->profile, arena);
	sampled_fill(sampled, measured, arena);
	set->sampled = sampled;
}

/* Advice beside which the lines are: without the sentences that send to them, where others are left. */
static const char *beside_lines(const char *advice, struct arena *arena)
{
	const char *option = arena_worded(arena, "{lines}");
	struct string kept = STRING_INIT(arena);

	for (const char *at = advice, *end; at && *at; at = end) {
		const char *named = strstr(at, option), *stop = strstr(at, ". ");

		end = stop ? stop + strlen(". ") : at + strlen(at);
		if (!named || named >= end)
			string_addn(&kept, at, (size_t)(end - at));
	}
	while (kept.length && kept.text[kept.length - 1] == ' ')
		kept.text[--kept.length] = '\0';
	return kept.length ? kept.text : advice;
}

static void drop_named(struct report_set *set, struct arena *arena)
{
	for (size_t i = 0; i < set->count; i++) {
		struct report *report = &set->parts[i];

		report->advice = beside_lines(report->advice, arena);
		for (size_t k = 0; k < report->nothers; k++)
			report->others[k].advice = beside_lines(report->others[k].advice, arena);
	}
}

#define MOST_TREES 10 /* functions of a ticket */

/* What was asked for or, where nobody asked for a place, what the sink says by itself; NULL: nothing. */
static const struct question *located(const struct request *asked, struct arena *arena)
{
	const struct question *question = asked->question;
	struct question *own = arena_alloc(arena, sizeof(*own));

	if (question_is_where(question))
		return question;
	if (!asked->sink || !asked->sink->says_where)
		return NULL;
	*own = *question;
	own->wants_functions = own->wants_lines = true;
	own->nper_function = MOST_TREES;
	own->is_implied = true;
	return own;
}

int reports_locate(struct report_set *set, const struct measurement *measured, const struct request *asked,
		   struct arena *arena, struct error *err)
{
	struct hotspots *where = arena_alloc(arena, sizeof(*where));
	const struct hotspots_request request = { measured, set, located(asked, arena) };

	set->where = NULL;
	if (!isnan(measured->from_s) || !request.question || !has_hotspots(measured))
		return 0;
	if (hotspots_fill(where, &request, arena, err) < 0 ||
	    (request.question->annotated && annotate(where, measured, arena, err) < 0))
		return -1;
	set->where = where;
	set->waits = where->waits;
	if (request.question->wants_lines)
		drop_named(set, arena);
	return 0;
}

/* NULL: there are none, and a remark says why. */
static const char *read_instructions(struct annotation *annotation, bool is_foreign, struct arena *arena)
{
	struct disassembly_range *ranges = arena_array(arena, annotation->nranges + 1, sizeof(*ranges));
	const struct disassembly_request request = {
		.sysroot = "",
		.is_foreign = is_foreign,
		.module = annotation->module_number,
		.ranges = ranges,
		.nranges = annotation->nranges,
	};
	struct disassembly code = { .count = 0 };
	struct error err = { .text = "" };

	for (size_t i = 0; i < annotation->nranges; i++)
		ranges[i] = (struct disassembly_range){ annotation->ranges[i].begin, annotation->ranges[i].end,
							annotation->ranges[i].known };
	if (disassembly_read(&code, annotation->profile, &request, arena, &err) < 0) {
		annotation_remark(annotation, arena_printf(arena, "There are no instructions: %s.", err.text));
		return NULL;
	}
	if (code.remark)
		annotation_remark(annotation, code.remark);
	annotation->instructions = arena_array(arena, code.count + 1, sizeof(*annotation->instructions));
	for (size_t i = 0; i < code.count; i++)
		annotation->instructions[annotation->ninstructions++] = (struct annotated_instruction){
			.address = code.instructions[i].address,
			.text = code.instructions[i].text,
			.jump_target = code.instructions[i].is_call ? 0 : code.instructions[i].jump_target,
		};
	return code.file;
}

static void explain_no_code(struct annotation *annotation, struct arena *arena)
{
	const char *name = annotation->function ? annotation->function : "FUNC";

	if (annotation->into)
		annotation_remark(annotation, arena_worded(arena,
							   "There are no instructions: it is inlined wherever it was "
							   "seen; {annotate} '%s' shows the code that it is part of.",
							   annotation->into));
	else if (annotation->weighing->is_exact)
		annotation_remark(annotation,
				  arena_worded(arena,
					       "There are no instructions: a simulation counts them only in functions "
					       "named by {annotate} '%s'; this one counted lines.",
					       name));
	else
		annotation_remark(annotation,
				  "There are no instructions: the start and end of the function's code are not known.");
}

static struct source_text read_source(struct annotation *annotation, const struct source_request *request,
				      struct arena *arena)
{
	struct source_text source = { .count = 0 };

	if (!request->file) {
		annotation_remark(annotation, "There is no source: its lines are not known; build it with -g, or "
					      "install its debug symbols.");
		return source;
	}
	source_text_read(&source, request, arena);
	if (source.remark)
		annotation_remark(annotation, source.remark);
	return source;
}

int annotate(struct hotspots *where, const struct measurement *measured, struct arena *arena, struct error *err)
{
	struct annotation *annotation = arena_alloc(arena, sizeof(*annotation));
	struct where_request request = { .callers = where->question->annotated };
	struct source_request wanted = { .folder = where->question->source, .is_foreign = measured->is_foreign };
	struct source_text source;

	if (!where->count)
		return error_set(err, "there is nothing to annotate: no sample was taken");
	if (wanted.folder && !is_directory(wanted.folder))
		return error_set(err, "{source} %s: it is not a folder", wanted.folder);
	request.weighing = where->items[0].weighing;
	if (annotation_begin(annotation, where->profile, &request, arena, err) < 0)
		return -1;
	if (annotation->end)
		wanted.binary = read_instructions(annotation, measured->is_foreign, arena);
	else
		explain_no_code(annotation, arena);
	wanted.file = annotation->file;
	source = read_source(annotation, &wanted, arena);
	annotation_end(annotation, source.lines, source.count, arena);
	if (where->items[0].event && annotation->ninstructions)
		annotation_remark(annotation, skid_sentence(where->items[0].event,
							    measured->count ? measured->parts[0].origin.cpuid : NULL));
	where->annotation = annotation;
	return 0;
}
