/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/machine/verification_view.h"

#include <math.h>
#include <string.h>

#include "present/document/data.h"
#include "present/document/human.h"
#include "present/machine/doctor_parts.h"

#define GAP   2
#define LABEL 11

enum {
	KERNEL,
	VERDICT,
	EXPECTED,
	FOUND,
	VALUE,
	INTERVAL,
	UNIT,
	RUNS,
	NATIVE,
	REASON,
	DOES,
	BECAUSE,
	PATH,
	QUALITY,
	LOW,
	HIGH,
	RUNNING,
	WANTED,
	WANTED_VALUE,
	GROUPS,
	WALL,
	INSTRUCTIONS,
	CYCLES,
	IPC,
	MODELLED,
	MEASURED,
	RATIO_LOW,
	RATIO_HIGH,
	NO_RATIO,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
	[KERNEL] = { .key = "kernel", .heading = "Kernel" },
	[VERDICT] = { .key = "verdict", .heading = "Verdict", .gap = GAP },
	[EXPECTED] = { .key = "expected", .heading = "Expected", .flags = COLUMN_SHRINKS, .gap = GAP, .least = 8 },
	[FOUND] = { .key = "found", .heading = "Worst node", .flags = COLUMN_SHRINKS, .gap = GAP, .least = 8 },
	[VALUE] = { .key = "value", .heading = "Value", .flags = COLUMN_RIGHT, .gap = GAP },
	[INTERVAL] = { .heading = "95 %", .flags = COLUMN_RIGHT, .gap = 1 },
	[UNIT] = { .key = "unit", .heading = "Unit", .gap = 1 },
	[RUNS] = { .key = "runs", .heading = "Runs", .flags = COLUMN_RIGHT | COLUMN_SPARE, .gap = GAP },
	[NATIVE] = { .key = "ratio", .heading = "Model/native", .flags = COLUMN_RIGHT | COLUMN_SPARE, .gap = GAP },
	[REASON] = { .key = "reason", .heading = "Reason", .flags = COLUMN_BELOW, .gap = 4 },
	[DOES] = { .key = "does" },
	[BECAUSE] = { .key = "because" },
	[PATH] = { .key = "found_path" },
	[QUALITY] = { .key = "quality" },
	[LOW] = { .key = "low" },
	[HIGH] = { .key = "high" },
	[RUNNING] = { .key = "running" },
	[WANTED] = { .key = "expected_path" },
	[WANTED_VALUE] = { .key = "expected_value" },
	[GROUPS] = { .key = "groups" },
	[WALL] = { .key = "wall_s" },
	[INSTRUCTIONS] = { .key = "instructions" },
	[CYCLES] = { .key = "cycles" },
	[IPC] = { .key = "ipc" },
	[MODELLED] = { .key = "modelled_cycles" },
	[MEASURED] = { .key = "measured_cycles" },
	[RATIO_LOW] = { .key = "ratio_low" },
	[RATIO_HIGH] = { .key = "ratio_high" },
	[NO_RATIO] = { .key = "no_ratio" },
};

static struct cell dashed(struct cell cell, const char *shown)
{
	cell.shown = shown ? shown : "-";
	return cell;
}

/* "DRAM_Bound or Memory_Bound" */
static struct cell expected_cell(const struct known_result *result, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < result->nexpected; i++)
		string_printf(&text, "%s%s", i ? " or " : "", result->expected[i]);
	return dashed(names_cell(arena, result->expected, result->nexpected), text.text);
}

static const char *interval_text(const struct known_node *node, struct arena *arena)
{
	if (!node->metric || isnan(node->high))
		return "";
	return arena_printf(arena, "+-%s", human_spread(arena, node->metric, node->value, node->high - node->value));
}

static void take_figures(struct cell *cells, const struct known_result *result)
{
	cells[WALL] = number_cell(result->wall_s);
	cells[INSTRUCTIONS] = number_cell(result->instructions);
	cells[CYCLES] = number_cell(result->cycles);
	cells[IPC] = number_cell(result->ipc);
	cells[MODELLED] = number_cell(result->modelled);
	cells[MEASURED] = number_cell(result->measured);
	cells[RATIO_LOW] = number_cell(result->ratio_low);
	cells[RATIO_HIGH] = number_cell(result->ratio_high);
	cells[NO_RATIO] = text_cell(result->no_ratio);
}

static void verification_view_add_row(struct grid *grid, const struct known_result *result, struct arena *arena)
{
	const struct known_node *found = &result->found, *wanted = &result->wanted;
	const char *value = found->metric ? human_value(arena, found->metric, found->value) : NULL;
	const char *ratio = isnan(result->ratio) ? NULL : human_fixed(arena, result->ratio, 2);
	struct cell cells[COLUMNS] = {
		[KERNEL] = text_cell(result->kernel->name),
		[VERDICT] = text_cell(known_verdict_name(result->verdict)),
		[EXPECTED] = expected_cell(result, arena),
		[FOUND] = dashed(text_cell(found->title), found->title),
		[VALUE] = dashed(number_cell(found->value), value),
		[INTERVAL] = shown_cell(interval_text(found, arena), INK_PLAIN),
		[UNIT] = dashed(text_cell(found->metric ? found->metric->unit : NULL),
				found->metric ? human_unit(arena, found->metric) : ""),
		[RUNS] = known_cell(result->runs),
		[NATIVE] = dashed(number_cell(result->ratio), ratio),
		[REASON] = text_cell(result->reason),
		[DOES] = text_cell(result->kernel->does),
		[BECAUSE] = text_cell(result->because),
		[PATH] = text_cell(found->path),
		[QUALITY] = text_cell(found->quality),
		[LOW] = number_cell(found->low),
		[HIGH] = number_cell(found->high),
		[RUNNING] = number_cell(found->running),
		[WANTED] = text_cell(wanted->path),
		[WANTED_VALUE] = number_cell(wanted->value),
		[GROUPS] = known_cell(result->groups),
	};

	take_figures(cells, result);
	if (result->verdict != KNOWN_YES)
		cells[VERDICT].ink = result->verdict == KNOWN_NO ? INK_WORST : INK_DIM;
	grid_add(grid, cells, arena)->has_more = result->reason != NULL;
}

/* The ratio has a column for people only where something was simulated. */
static struct grid *kernels(const struct verification *verification, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));
	struct column *shown = arena_array(arena, COLUMNS, sizeof(*shown));

	memcpy(shown, columns, sizeof(columns));
	if (!verification->simulated)
		shown[NATIVE].heading = NULL;
	*grid = (struct grid){
		.columns = shown, .ncolumns = COLUMNS, .has_heads = true, .is_wide = true, .caption = "Known kernels"
	};
	for (size_t i = 0; i < verification->count; i++)
		verification_view_add_row(grid, &verification->results[i], arena);
	return grid;
}

static const char *cpu_text(const struct verification *verification, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	string_printf(&text, "%s (%s", verification->machine ? verification->machine : "unknown",
		      verification->cpuid ? verification->cpuid : "unknown");
	if (verification->cpu)
		string_printf(&text, ", %s", verification->cpu);
	string_printf(&text, ")%s", verification->smt_on ? ", SMT" : "");
	if (verification->hypervisor)
		string_printf(&text, ", below %s", verification->hypervisor);
	return text.text;
}

static const char *measured_text(const struct verification *verification, struct arena *arena)
{
	const char *how = verification->simulated ? verification->simulated
			  : verification->scope	  ? arena_printf(arena, "counted, %s", verification->scope)
						  : "nothing";

	return arena_printf(arena, "%s, level %u, in %s", how, verification->level,
			    human_seconds(arena, verification->seconds));
}

static void add_facts(struct document *doc, const struct verification *verification)
{
	const struct fact facts[] = {
		{ "Topdown", verification->tool_version, false },
		{ "CPU", cpu_text(verification, doc->arena), false },
		{ "Microcode", verification->microcode ? verification->microcode : "", false },
		{ "Kernel", verification->kernel ? verification->kernel : "", false },
		{ "Model", verification->model ? verification->model : "", false },
		{ "Measured", measured_text(verification, doc->arena), false },
	};
	struct fact *kept = arena_array(doc->arena, COUNT_OF(facts), sizeof(*kept));

	doc_add(doc, (struct block){ .kind = BLOCK_FACTS,
				     .facts = memcpy(kept, facts, sizeof(facts)),
				     .nfacts = COUNT_OF(facts),
				     .label = LABEL });
}

static void verification_document(struct document *doc, const void *what)
{
	const struct verification_shown *shown = what;
	const struct verification *verification = shown->verification;
	const char *anchor = verification_anchor(verification, doc->arena);

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "Kernels with a known answer", .level = 1 });
	add_facts(doc, verification);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = kernels(verification, doc->arena) });
	doc_gap(doc);
	doc_sentence(doc, verification_conclusion(verification, doc->arena));
	if (anchor)
		doc_sentence(doc, anchor);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 2, .text = "What can be measured:" });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE,
				     .grid = doctor_checks(shown->diagnosis, doc->style->is_verbose, doc->arena) });
	doc_gap(doc);
	doc_sentence(doc, doctor_conclusion(shown->diagnosis, doc->arena));
}

static struct cell diagnosis_cell(const struct diagnosis *diagnosis, struct arena *arena)
{
	return object_cell(arena, MEMBERS({ "level", whole_cell(diagnosis->level) },
					  { "can_measure", truth_cell(diagnosis->can_measure) },
					  { "conclusion", text_cell(doctor_conclusion(diagnosis, arena)) },
					  { "checks", rows_cell(doctor_checks(diagnosis, true, arena)) }));
}

static void verification_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct verification_shown *shown = what;
	const struct verification *v = shown->verification;

	json_members(writer, MEMBERS({ "format", text_cell("topdown-verification") }, { "version", whole_cell(1) },
				     { "tool_version", text_cell(v->tool_version) }, { "cpu", text_cell(v->cpu) },
				     { "cpuid", text_cell(v->cpuid) }, { "machine", text_cell(v->machine) },
				     { "microcode", text_cell(v->microcode) }, { "kernel", text_cell(v->kernel) },
				     { "hypervisor", text_cell(v->hypervisor) }, { "smt", truth_cell(v->smt_on) },
				     { "model", text_cell(v->model) }, { "scope", text_cell(v->scope) },
				     { "simulated", text_cell(v->simulated) }, { "level", whole_cell(v->level) },
				     { "times", whole_cell(v->times) }, { "seconds", number_cell(v->seconds) },
				     { "status", whole_cell((size_t)verification_status(v)) },
				     { "conclusion", text_cell(verification_conclusion(v, arena)) },
				     { "anchor", text_cell(verification_anchor(v, arena)) },
				     { "kernels", rows_cell(kernels(v, arena)) },
				     { "doctor", diagnosis_cell(shown->diagnosis, arena) }));
}

static void verification_csv(struct sheet *sheet, const void *what)
{
	const struct verification_shown *shown = what;

	csv_grid(sheet, kernels(shown->verification, sheet->arena));
}

const struct view verification_view = { .document = verification_document,
					.json = verification_json,
					.csv = verification_csv };
