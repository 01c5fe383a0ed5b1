/* SPDX-License-Identifier: GPL-2.0-or-later */
/* first_view.c - a machine's findings on one page: the answer, the resources, the processes, and what to type next. */
#include <math.h>
#include <string.h>

#include "analyse/host/host_findings.h"
#include "common/base/cells.h"
#include "present/document/data.h"
#include "present/document/human.h"

#define MOST_NAMED  4	 /* idle devices */
#define MOST_NEXT   3	 /* commands */
#define ONE_PROCESS 50.0 /* %, of a CPU: then it is that process */
#define SOME_WAIT   10.0 /* %, of the looks: it waits for disks */
#define SOME_UNSEEN 10.0 /* %, of all CPU time: processes that came and went are worth a sentence */

/* ---- words ---- */

static const char *value_text(const struct host_value *value, struct arena *arena)
{
	const char *words = value->measure->words, *star = strchr(words, '*');
	double number = value->value;
	const char *shown = number >= 999.5 ? human_count(arena, number)
					    : human_fixed(arena, number,
							  number == floor(number) || number >= 9.95 ? 0
							  : number < 0.095			    ? 2
												    : 1);

	return arena_printf(arena, "%.*s%s%s", (int)(star - words), words, shown, star + 1);
}

static void add_said(struct string *text, const struct host_value *value, size_t *said)
{
	string_printf(text, "%s%s", (*said)++ ? ", " : "", value_text(value, text->arena));
}

/* What is wrong, the worst first, else the first value that is known; at most so many. NULL: none is known. */
static const char *aspect_text(const struct host_finding *finding, enum host_aspect aspect, size_t most,
			       struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const struct host_value *first = NULL;
	size_t said = 0;

	for (size_t i = 0; i < finding->count && !first; i++)
		if (finding->values[i].measure->aspect == aspect && !isnan(finding->values[i].value))
			first = &finding->values[i];
	if (first && aspect == HOST_USED)
		add_said(&text, first, &said);
	for (int severity = HOST_BAD; severity >= HOST_FINE; severity--)
		for (size_t i = 0; i < finding->count && said < most; i++) {
			const struct host_value *value = &finding->values[i];

			if ((value != first || aspect != HOST_USED) && value->measure->aspect == aspect &&
			    (int)value->severity == severity && (severity > HOST_FINE || value->is_worth))
				add_said(&text, value, &said);
		}
	if (!said && first)
		add_said(&text, first, &said);
	return said ? text.text : NULL;
}

static const char *finding_title(const struct host_finding *finding, struct arena *arena)
{
	return arena_printf(arena, "%s%s%s", host_resource_names[finding->resource], *finding->name ? " " : "",
			    finding->name);
}

/* Of the worst aspect of a finding. */
static enum host_aspect worst_aspect(const struct host_finding *finding)
{
	static const enum host_aspect order[] = { HOST_ERRORS, HOST_SATURATED, HOST_USED };

	for (size_t k = 0; k < COUNT_OF(order); k++)
		for (size_t i = 0; i < finding->count; i++)
			if (finding->values[i].severity == finding->severity &&
			    finding->values[i].measure->aspect == order[k])
				return order[k];
	return HOST_USED;
}

/* ---- the answer ---- */

/* Who has the most CPU time, or waits most; NULL: nobody to speak of. */
static const struct host_task *culprit(const struct host_findings *findings, bool is_waiting)
{
	const struct host_task *found = NULL;
	double most = is_waiting ? SOME_WAIT : ONE_PROCESS;

	for (size_t i = 0; i < findings->ntasks; i++) {
		const struct host_task *task = &findings->tasks[i];
		double share = is_waiting ? task->blocked : task->cpu;

		if (share >= most) {
			most = share;
			found = task;
		}
	}
	return found;
}

static bool is_of_waits(const struct host_finding *finding)
{
	const struct host_value *cpu = host_value_of(finding, "cpu");

	return finding->resource == HOST_DISK ||
	       (finding->resource == HOST_PRESSURE && !(cpu && cpu->severity == finding->severity));
}

static const char *culprit_text(const struct host_findings *findings, const struct host_finding *finding,
				struct arena *arena)
{
	bool is_waiting = is_of_waits(finding);
	const struct host_task *task =
		finding->resource == HOST_LINK || finding->resource == HOST_TCP ? NULL : culprit(findings, is_waiting);

	if (finding->resource == HOST_MEM && findings->largest)
		return arena_printf(arena, ", and %s (%llu) has %sB", findings->largest->name,
				    (unsigned long long)findings->largest->pid,
				    human_count(arena, findings->largest->resident_bytes));
	if (!task || finding->resource == HOST_MEM)
		return "";
	if (is_waiting)
		return arena_printf(arena, ", and %s (%llu) is blocked %s %% of the time", task->name,
				    (unsigned long long)task->pid, human_fixed(arena, task->blocked, 0));
	return arena_printf(arena, ", and %s (%llu) takes %s %% of one", task->name, (unsigned long long)task->pid,
			    human_fixed(arena, task->cpu, 0));
}

static const char *trouble_text(const struct host_findings *findings, const struct host_finding *finding,
				struct arena *arena)
{
	static const struct {
		const char *subject, *busy;
		bool are; /* more than one */
	} words[] = {
		[HOST_CPU] = { "The CPUs", "busy", true }, [HOST_MEM] = { "Memory", "nearly full", false },
		[HOST_DISK] = { "Disk ", "busy", false },  [HOST_LINK] = { "Interface ", "busy", false },
		[HOST_TCP] = { "TCP", "busy", false },	   [HOST_PRESSURE] = { "The machine", "busy", false },
	};
	enum host_aspect aspect = worst_aspect(finding);
	bool are = words[finding->resource].are;
	const char *what = aspect_text(finding, aspect, 2, arena), *state = words[finding->resource].busy;
	const struct host_value *runnable = host_value_of(finding, "runnable");

	if (finding->resource == HOST_CPU && aspect == HOST_SATURATED && runnable->severity == finding->severity)
		what = arena_printf(arena, "%s threads want %zu CPU%s", human_fixed(arena, findings->running, 1),
				    findings->ncpus, findings->ncpus == 1 ? "" : "s");
	if (aspect == HOST_SATURATED)
		state = finding->severity == HOST_BAD ? "saturated" : "nearly saturated";
	return arena_printf(arena, "%s%s %s %s: %s%s.", words[finding->resource].subject, finding->name,
			    aspect == HOST_ERRORS ? are ? "have" : "has"
			    : are		  ? "are"
						  : "is",
			    aspect == HOST_ERRORS ? "errors" : state, what, culprit_text(findings, finding, arena));
}

/* Percent; NAN: unknown. */
static double used_of(const struct host_findings *findings, enum host_resource resource)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].resource == resource)
			return findings->items[i].used;
	return NAN;
}

static const char *first_conclusion(const struct host_findings *findings, struct arena *arena)
{
	const double cpu = used_of(findings, HOST_CPU), memory = used_of(findings, HOST_MEM);

	if (findings->items[0].severity > HOST_FINE)
		return trouble_text(findings, &findings->items[0], arena);
	if (isnan(cpu) && isnan(memory))
		return "Nothing can be said: /proc/stat and /proc/meminfo have no numbers.";
	return arena_printf(arena,
			    "Nothing is saturated, and nothing fails: the CPUs are %s %% busy, memory is %s %% used.",
			    human_fixed(arena, cpu, 0), human_fixed(arena, memory, 0));
}

/* ---- what to type next ---- */

enum { COMMAND, WHY, NEXT_COLUMNS };
static const struct column next_columns[NEXT_COLUMNS] = {
	[COMMAND] = { .key = "command", .flags = COLUMN_CODE },
	[WHY] = { .key = "why" },
};

static void add_next(struct grid *next, const char *command, const char *why, struct arena *arena)
{
	struct cell cells[NEXT_COLUMNS] = { [COMMAND] = text_cell(command), [WHY] = text_cell(why) };

	for (size_t i = 0; i < next->count; i++)
		if (!strcmp(next->rows[i].cells[COMMAND].text, command))
			return;
	if (next->count < MOST_NEXT)
		grid_add(next, cells, arena);
}

static void next_of_waits(struct grid *next, const struct host_findings *findings, struct arena *arena)
{
	const struct host_task *task = culprit(findings, true);

	if (task)
		add_next(next,
			 arena_worded(arena, "topdown sample {wall} {p} %llu {duration} 5",
				      (unsigned long long)task->pid),
			 arena_printf(arena, "what %s waits for", task->name), arena);
	else
		add_next(next, arena_worded(arena, "topdown sample {a} {pressure} {duration} 10"),
			 "who runs, and how long work waits", arena);
}

static void next_of_memory(struct grid *next, const struct host_findings *findings, struct arena *arena)
{
	if (findings->largest)
		add_next(next,
			 arena_worded(arena, "topdown {pressure} {p} %llu {duration} 10",
				      (unsigned long long)findings->largest->pid),
			 arena_printf(arena, "does %s wait for memory?", findings->largest->name), arena);
}

static void next_of_cpu(struct grid *next, const struct host_findings *findings, struct arena *arena)
{
	const struct host_task *task = culprit(findings, false);

	if (!task) {
		add_next(next, arena_worded(arena, "topdown sample {a} {duration} 10"), "which functions run", arena);
		return;
	}
	add_next(next, arena_worded(arena, "topdown sample {p} %llu {duration} 10", (unsigned long long)task->pid),
		 arena_printf(arena, "where %s spends its time", task->name), arena);
	add_next(next, arena_worded(arena, "topdown {l}2 {p} %llu {duration} 10", (unsigned long long)task->pid),
		 "what its cycles are lost to", arena);
}

/* Of a finding that is not fine. */
static void next_of(struct grid *next, const struct host_findings *findings, const struct host_finding *finding,
		    struct arena *arena)
{
	const struct host_task *task = findings->ntasks ? &findings->tasks[0] : NULL;

	if (finding->resource == HOST_CPU && worst_aspect(finding) == HOST_ERRORS)
		add_next(next, arena_worded(arena, "topdown doctor {steady}"), "who takes the CPUs away", arena);
	else if (finding->resource == HOST_CPU || (finding->resource == HOST_PRESSURE && !is_of_waits(finding)))
		next_of_cpu(next, findings, arena);
	else if (finding->resource == HOST_MEM)
		next_of_memory(next, findings, arena);
	else if (is_of_waits(finding))
		next_of_waits(next, findings, arena);
	else if (task)
		add_next(next,
			 arena_worded(arena, "topdown sample {wall} {p} %llu {duration} 5",
				      (unsigned long long)task->pid),
			 arena_printf(arena, "does %s wait for the network?", task->name), arena);
}

static struct grid *next_commands(const struct host_findings *findings, struct arena *arena)
{
	struct grid *next = grid_new(arena, next_columns, NEXT_COLUMNS);

	for (size_t i = 0; i < findings->count && findings->items[i].severity > HOST_FINE; i++)
		next_of(next, findings, &findings->items[i], arena);
	if (!next->count && findings->ntasks)
		add_next(next,
			 arena_worded(arena, "topdown sample {wall} {p} %llu {duration} 5",
				      (unsigned long long)findings->tasks[0].pid),
			 arena_printf(arena, "what %s waits for", findings->tasks[0].name), arena);
	if (!next->count)
		add_next(next, arena_worded(arena, "topdown sample {a} {duration} 10"), "who runs now and then", arena);
	return next;
}

/* ---- tables ---- */

enum { RESOURCE, USED, SATURATION, ERRORS, VERDICT, COLUMNS };
static const struct column resource_columns[COLUMNS] = {
	[RESOURCE] = { .heading = "Resource", .least = 9 },
	[USED] = { .heading = "Used", .gap = 2 },
	[SATURATION] = { .heading = "Saturation", .gap = 2, .flags = COLUMN_SHRINKS, .least = 12 },
	[ERRORS] = { .heading = "Errors", .gap = 2 },
	[VERDICT] = { .heading = "Verdict", .gap = 2 },
};

static bool has_aspect(const struct host_finding *finding, int aspect)
{
	for (size_t i = 0; i < finding->count; i++)
		if ((int)finding->values[i].measure->aspect == aspect)
			return true;
	return false;
}

static struct grid *resource_table(const struct host_findings *findings, bool is_verbose, size_t most,
				   struct arena *arena)
{
	static const enum ink inks[] = { INK_PLAIN, INK_BOLD, INK_WORST };
	struct grid *table = grid_new(arena, resource_columns, COLUMNS);

	table->has_heads = true;
	for (size_t i = 0; i < findings->count; i++) {
		const struct host_finding *finding = &findings->items[i];
		struct cell cells[COLUMNS] = { [RESOURCE] = text_cell(finding_title(finding, arena)) };

		if (finding->is_idle && !is_verbose)
			continue;
		for (int aspect = 0; aspect < HOST_ASPECTS; aspect++) {
			const char *text =
				aspect_text(finding, (enum host_aspect)aspect, aspect == HOST_ERRORS ? 1 : most, arena);

			cells[USED + aspect] = text_cell(text ? text : has_aspect(finding, aspect) ? "-" : "");
		}
		cells[VERDICT] = text_cell(host_severity_names[finding->severity]);
		cells[VERDICT].ink = inks[finding->severity];
		grid_add(table, cells, arena);
	}
	return table;
}

/* Its columns, in text. */
static size_t width_of(const struct grid *table)
{
	size_t sum = 0;

	for (size_t column = 0; column < COLUMNS; column++) {
		size_t width = cells_width(resource_columns[column].heading);

		for (size_t i = 0; i < table->count; i++) {
			size_t other = cells_width(table->rows[i].cells[column].text);

			width = other > width ? other : width;
		}
		sum += resource_columns[column].gap + width;
	}
	return sum;
}

/* Two values in a cell, where there is room. */
static struct grid *fitting_table(const struct host_findings *findings, const struct document *doc)
{
	struct grid *table = resource_table(findings, doc->style->is_verbose, 2, doc->arena);

	return width_of(table) <= doc->width ? table : resource_table(findings, doc->style->is_verbose, 1, doc->arena);
}

enum { PID, NAME, CPU, BLOCKED, STATE, TASK_COLUMNS };
static const struct column task_columns[TASK_COLUMNS] = {
	[PID] = { .key = "pid", .heading = "PID", .flags = COLUMN_RIGHT, .least = 7 },
	[NAME] = { .key = "name", .heading = "Process", .gap = 2, .least = 16, .flags = COLUMN_CODE },
	[CPU] = { .key = "cpu_percent", .heading = "CPU %", .flags = COLUMN_RIGHT, .gap = 2 },
	[BLOCKED] = { .key = "blocked_percent", .heading = "Blocked %", .flags = COLUMN_RIGHT, .gap = 2 },
	[STATE] = { .key = "state", .heading = "State", .gap = 2 },
};

static struct grid *task_table(const struct host_findings *findings, struct arena *arena)
{
	struct grid *table = grid_new(arena, task_columns, TASK_COLUMNS);

	table->has_heads = true;
	for (size_t i = 0; i < findings->ntasks; i++) {
		const struct host_task *task = &findings->tasks[i];
		struct cell cells[TASK_COLUMNS] = {
			[PID] = whole_cell((size_t)task->pid),
			[NAME] = text_cell(task->name),
			[CPU] = number_cell(task->cpu),
			[BLOCKED] = number_cell(task->blocked),
			[STATE] = text_cell(arena_printf(arena, "%c", task->state)),
		};

		cells[CPU].shown = human_fixed(arena, task->cpu, 0);
		cells[BLOCKED].shown = human_fixed(arena, task->blocked, 0);
		grid_add(table, cells, arena);
	}
	return table;
}

enum { OF, DEVICE, MEASURE, ASPECT, VALUE, UNIT, SEVERITY, UNKNOWN, VALUE_COLUMNS };
static const struct column value_columns[VALUE_COLUMNS] = {
	[OF] = { .key = "resource", .heading = "Resource" },
	[DEVICE] = { .key = "name", .heading = "Name", .gap = 2 },
	[MEASURE] = { .key = "measure", .heading = "Measure", .gap = 2 },
	[ASPECT] = { .key = "aspect", .heading = "Aspect", .gap = 2 },
	[VALUE] = { .key = "value", .heading = "Value", .gap = 2, .flags = COLUMN_RIGHT },
	[UNIT] = { .key = "unit", .heading = "Unit", .gap = 1 },
	[SEVERITY] = { .key = "verdict", .heading = "Verdict", .gap = 2 },
	[UNKNOWN] = { .key = "unknown" },
};

/* Every value, known or not. */
static struct grid *value_table(const struct host_findings *findings, struct arena *arena)
{
	struct grid *table = grid_new(arena, value_columns, VALUE_COLUMNS);

	table->has_heads = true;
	for (size_t i = 0; i < findings->count; i++)
		for (size_t k = 0; k < findings->items[i].count; k++) {
			const struct host_finding *finding = &findings->items[i];
			const struct host_value *value = &finding->values[k];
			struct cell cells[VALUE_COLUMNS] = {
				[OF] = text_cell(host_resource_names[finding->resource]),
				[DEVICE] = word_cell(finding->name),
				[MEASURE] = text_cell(value->measure->key),
				[ASPECT] = text_cell(host_aspect_names[value->measure->aspect]),
				[VALUE] = number_cell(value->value),
				[UNIT] = word_cell(value->measure->unit),
				[SEVERITY] = text_cell(host_severity_names[value->severity]),
				[UNKNOWN] = isnan(value->value) ? text_cell(value->measure->why) : text_cell(NULL),
			};

			cells[UNIT].shown = isnan(value->value) ? "" : NULL;
			cells[VALUE].shown = isnan(value->value) ? "-" : human_count(arena, value->value);
			grid_add(table, cells, arena);
		}
	return table;
}

/* ---- sentences ---- */

static void add_idle(struct string *text, const struct host_findings *findings, enum host_resource resource)
{
	const char *what = resource == HOST_DISK ? "disks" : "interfaces";
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct host_finding *finding = &findings->items[i];

		if (!finding->is_idle || finding->resource != resource)
			continue;
		if (count++ == 0)
			string_printf(text, "%s%s ", text->length ? "; " : "Idle: ", what);
		if (count <= MOST_NAMED)
			string_printf(text, "%s%s", count > 1 ? ", " : "", finding->name);
	}
	if (count > MOST_NAMED)
		string_printf(text, " and %zu more", count - MOST_NAMED);
}

/* Why there is a "-": of each aspect of a finding that is shown, the first reason. */
static void add_reasons(struct string *text, const struct host_finding *finding)
{
	for (int aspect = 0; aspect < HOST_ASPECTS; aspect++) {
		const char *why = NULL;

		if (finding->is_idle || aspect_text(finding, (enum host_aspect)aspect, 1, text->arena))
			continue;
		for (size_t i = 0; i < finding->count && !why; i++)
			if ((int)finding->values[i].measure->aspect == aspect)
				why = finding->values[i].measure->why;
		if (why && !strstr(text->text, why))
			string_printf(text, "%s%s", text->length ? "; " : "Unknown (-): ", why);
	}
}

static void first_notes(struct document *doc, const struct host_findings *findings)
{
	struct string idle = STRING_INIT(doc->arena), unknown = STRING_INIT(doc->arena);

	if (!doc->style->is_verbose) {
		add_idle(&idle, findings, HOST_DISK);
		add_idle(&idle, findings, HOST_LINK);
	}
	for (size_t i = 0; i < findings->count; i++)
		add_reasons(&unknown, &findings->items[i]);
	if (idle.length)
		doc_sentence(doc, arena_printf(doc->arena, "%s.", idle.text));
	if (unknown.length)
		doc_sentence(doc, arena_printf(doc->arena, "%s.", unknown.text));
}

static const char *unseen_text(const struct host_findings *findings, struct arena *arena)
{
	if (!(findings->unseen >= SOME_UNSEEN))
		return NULL;
	return arena_printf(arena, "%s %% of the CPU time is of processes that have ended%s.",
			    human_fixed(arena, findings->unseen, 0),
			    !findings->parent
				    ? ", or that are not seen here"
				    : arena_printf(arena, ", most of them children of %s (%llu)",
						   findings->parent->name, (unsigned long long)findings->parent->pid));
}

/* ---- the forms ---- */

/* No name of a process stands beside a command: whoever pastes it would type that too. */
static void add_commands(struct document *doc, const struct grid *next)
{
	struct string text = STRING_INIT(doc->arena);

	for (size_t i = 0; i < next->count; i++)
		string_printf(&text, "%s%s", i ? "; " : "Next: ", next->rows[i].cells[WHY].text);
	doc_sentence(doc, text.text);
	for (size_t i = 0; i < next->count; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = next->rows[i].cells[COMMAND].text });
}

static void first_document(struct document *doc, const void *what)
{
	const struct host_findings *findings = what;
	const char *unseen = unseen_text(findings, doc->arena);

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "What this machine is short of", .level = 1 });
	doc_sentence(doc, first_conclusion(findings, doc->arena));
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = fitting_table(findings, doc) });
	first_notes(doc, findings);
	if (findings->ntasks) {
		doc_gap(doc);
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = task_table(findings, doc->arena) });
	}
	if (unseen)
		doc_sentence(doc, unseen);
	if (doc->style->is_verbose) {
		doc_gap(doc);
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = value_table(findings, doc->arena) });
	}
	doc_gap(doc);
	add_commands(doc, next_commands(findings, doc->arena));
}

static struct cell largest_cell(const struct host_process *largest, struct arena *arena)
{
	if (!largest)
		return text_cell(NULL);
	return object_cell(arena,
			   MEMBERS({ "pid", whole_cell((size_t)largest->pid) }, { "name", text_cell(largest->name) },
				   { "bytes", number_cell(largest->resident_bytes) }));
}

static void first_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct host_findings *findings = what;

	json_members(writer,
		     MEMBERS({ "format", text_cell("topdown-first") }, { "version", whole_cell(1) },
			     { "conclusion", text_cell(first_conclusion(findings, arena)) },
			     { "verdict", text_cell(host_severity_names[findings->items[0].severity]) },
			     { "next", rows_cell(next_commands(findings, arena)) },
			     { "seconds", number_cell(findings->seconds) }, { "cpus", known_cell(findings->ncpus) },
			     { "running", number_cell(findings->running) },
			     { "processes", rows_cell(task_table(findings, arena)) },
			     { "largest", largest_cell(findings->largest, arena) },
			     { "unseen_percent", number_cell(findings->unseen) },
			     { "unseen_parent",
			       findings->parent ? whole_cell((size_t)findings->parent->pid) : text_cell(NULL) },
			     { "values", rows_cell(value_table(findings, arena)) }));
}

static void first_csv(struct sheet *sheet, const void *what)
{
	csv_grid(sheet, value_table(what, sheet->arena));
}

const struct view first_view = { .document = first_document, .json = first_json, .csv = first_csv };
