/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/where/sampled_parts.h"

#include <string.h>

#include "present/document/human.h"
#include "present/report/software_parts.h"
#include "present/where/where_parts.h"

#define LABEL 9 /* columns, as of other reports */

/* What was sampled, and how. */
enum event_column {
	EVENT_NAME,
	EVENT_NODE,
	EVENT_PMU,
	EVENT_SAMPLES,
	EVENT_LOST,
	EVENT_THROTTLED,
	EVENT_RATE,
	EVENT_PERIOD,
	EVENT_FREQUENCY,
	EVENT_PRECISE,
	EVENT_WANTED,
	EVENT_RUNNING,
	EVENT_COLUMNS
};

static const struct column event_columns[EVENT_COLUMNS] = {
	[EVENT_NAME] = { .key = "event", .heading = "Event" },
	[EVENT_NODE] = { .key = "node", .heading = "Node", .gap = 2 },
	[EVENT_PMU] = { .key = "pmu", .heading = "Cores", .gap = 2 },
	[EVENT_SAMPLES] = { .key = "samples", .heading = "Samples", .flags = COLUMN_RIGHT, .gap = 2 },
	[EVENT_LOST] = { .key = "lost", .heading = "Lost", .flags = COLUMN_RIGHT, .gap = 2 },
	[EVENT_THROTTLED] = { .key = "throttled" },
	[EVENT_RATE] = { .heading = "How often", .gap = 2 },
	[EVENT_PERIOD] = { .key = "period" },
	[EVENT_FREQUENCY] = { .key = "frequency" },
	[EVENT_PRECISE] = { .key = "precise", .heading = "Precise", .flags = COLUMN_RIGHT, .gap = 2 },
	[EVENT_WANTED] = { .key = "precise_wanted" },
	[EVENT_RUNNING] = { .key = "running" },
};

static void event_cells(struct cell *cells, const struct profile_event *event, struct arena *arena)
{
	double running = event->enabled_ns > 0 ? event->running_ns / event->enabled_ns : NAN;
	const struct cell row[EVENT_COLUMNS] = {
		[EVENT_NAME] = text_cell(event->event),
		[EVENT_NODE] = text_cell(event->node),
		[EVENT_PMU] = text_cell(event->pmu),
		[EVENT_SAMPLES] = whole_cell(event->samples),
		[EVENT_LOST] = whole_cell(event->lost),
		[EVENT_THROTTLED] = whole_cell(event->throttled),
		[EVENT_RATE] = shown_cell(sampled_rate(event, arena), INK_PLAIN),
		[EVENT_PERIOD] = known_cell(event->period),
		[EVENT_FREQUENCY] = known_cell(event->frequency),
		[EVENT_PRECISE] = whole_cell(event->precise),
		[EVENT_WANTED] = whole_cell(event->wanted),
		[EVENT_RUNNING] = number_cell(running),
	};

	for (size_t i = 0; i < EVENT_COLUMNS; i++)
		cells[i] = row[i];
}

static struct grid *event_grid(const struct profile *profile, bool is_shown, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));
	struct cell cells[EVENT_COLUMNS];

	*grid = (struct grid){ .columns = event_columns, .ncolumns = EVENT_COLUMNS, .has_heads = true };
	for (uint32_t i = 0; i < profile->nevents; i++) {
		event_cells(cells, &profile->events[i], arena);
		if (is_shown && !profile->events[i].wanted && !profile->events[i].precise)
			cells[EVENT_PRECISE].shown = "";
		if (is_shown && !profile->events[i].node)
			cells[EVENT_NODE].shown = "";
		if (is_shown && !profile->events[i].pmu)
			cells[EVENT_PMU].shown = "";
		grid_add(grid, cells, arena);
	}
	return grid;
}

/* ---- for people ---- */

static const char *sampled_parts_time_text(const struct sampled *sampled, struct arena *arena)
{
	const char *wall = human_seconds(arena, sampled->wall_s);

	return isfinite(sampled->cpus_used) ? arena_printf(arena, "%s elapsed, %s CPUs used", wall,
							   human_fixed(arena, sampled->cpus_used, 2))
					    : arena_printf(arena, "%s elapsed", wall);
}

const char *sampled_text(const struct sampled *sampled, struct arena *arena)
{
	const struct profile *profile = sampled->profile;
	struct string text = STRING_INIT(arena);

	string_printf(&text, "%llu sample%s in %s", (unsigned long long)sampled->samples,
		      sampled->samples == 1 ? "" : "s", human_seconds(arena, profile->seconds));
	if (sampled->lost)
		string_printf(&text, ", %llu lost", (unsigned long long)sampled->lost);
	if (sampled->runs > 1)
		string_printf(&text, ", %zu runs", sampled->runs);
	if (profile->scope)
		string_printf(&text, ", %s", profile->scope);
	string_add(&text, profile->method ? ", with call stacks" : ", without call stacks");
	return text.text;
}

static const char *cpu_text(const struct origin *origin, struct arena *arena)
{
	if (!origin->cpu)
		return origin->machine ? origin->machine : "";
	return arena_printf(arena, "%s (%s)", origin->machine ? origin->machine : "-", origin->cpu);
}

const char *sampled_recorder(const struct origin *origin, struct arena *arena)
{
	if (!origin->tool_version || strncmp(origin->tool_version, "perf", 4) != 0)
		return "";
	return arena_printf(arena, "by %s%s%s", origin->tool_version, origin->host ? " on " : "",
			    origin->host ? origin->host : "");
}

const char *sampled_next(const struct sampled *sampled, struct arena *arena)
{
	const struct origin *origin = sampled->origin;
	const char *simulated;

	if (!origin->command || origin->target || *sampled_recorder(origin, arena))
		return NULL;
	/* Of a program that ran natively, and is not to run twice (engine/sampling/native_answer.c). */
	simulated = arena_worded(arena, "{anchor} never");
	return arena_printf(arena, "topdown %s%s%s",
			    origin->options && strstr(origin->options, simulated) ? simulated : "",
			    origin->options && strstr(origin->options, simulated) ? " " : "", origin->command);
}

void sampled_head(struct document *doc, const struct sampled *sampled)
{
	struct arena *arena = doc->arena;
	const struct origin *origin = sampled->origin;
	const char *status = sampled->has_status && sampled->status ? arena_printf(arena, "%d", sampled->status) : "";
	const struct fact facts[] = {
		{ "Command", origin->command ? origin->command : "", true },
		{ "Target", origin->target ? origin->target : "", false },
		{ "Time", sampled_parts_time_text(sampled, arena), false },
		{ "Kernel", doc->is_page ? "" : software_text(doc, &sampled->software), false },
		{ "Sampled", sampled_text(sampled, arena), false },
		{ "Status", status, false },
		{ "Recorded", sampled_recorder(origin, arena), false },
		{ "CPU", cpu_text(origin, arena), false },
	};
	struct fact *copies = arena_array(arena, COUNT_OF(facts), sizeof(*copies));

	for (size_t i = 0; i < COUNT_OF(facts); i++)
		copies[i] = facts[i];
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = copies, .nfacts = COUNT_OF(facts), .label = LABEL });
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = event_grid(sampled->profile, true, arena) });
}

void sampled_notes(struct document *doc, const struct sampled *sampled)
{
	software_table(doc, &sampled->software);
	if (sampled->nnotes)
		doc_gap(doc);
	for (size_t i = 0; i < sampled->nnotes; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = sampled->notes[i] });
}

/* ---- for machines ---- */

struct summary sampled_summary(const struct sampled *sampled)
{
	const struct origin *origin = sampled->origin;

	return (struct summary){ .command = origin->command,
				 .scope = sampled->profile->scope,
				 .machine = origin->machine,
				 .cpu = origin->cpu,
				 .target = origin->target,
				 .started = origin->started,
				 .host = origin->host,
				 .kernel = origin->kernel,
				 .tool_version = origin->tool_version,
				 .wall_s = sampled->wall_s,
				 .cpus_used = sampled->cpus_used,
				 .instructions = NAN,
				 .cycles = NAN,
				 .ipc = NAN,
				 .ghz = NAN,
				 .repeats = 1,
				 .runs = sampled->runs,
				 .status = sampled->status,
				 .has_status = sampled->has_status };
}

struct grid sampled_figures(const struct sampled *sampled, struct arena *arena)
{
	const struct origin *origin = sampled->origin;
	struct grid grid = { .is_catalog = true };

	grid_members(
		&grid, arena,
		MEMBERS({ "command", text_cell(origin->command) }, { "target", text_cell(origin->target) },
			{ "started", text_cell(origin->started) }, { "host", text_cell(origin->host) },
			{ "kernel", text_cell(origin->kernel) }, { "tool_version", text_cell(origin->tool_version) },
			{ "wall_s", number_cell(sampled->wall_s) }, { "cpus_used", number_cell(sampled->cpus_used) },
			{ "runs", whole_cell(sampled->runs) }, { "scope", text_cell(sampled->profile->scope) },
			{ "exit_status", cell_if(sampled->has_status, whole_cell((size_t)sampled->status)) },
			{ "machine", text_cell(origin->machine) }, { "samples", whole_cell(sampled->samples) },
			{ "lost", whole_cell(sampled->lost) }, { "sampled_s", number_cell(sampled->profile->seconds) },
			{ "stacks", text_cell(sampled->profile->method) }));
	return grid;
}

void sampled_json(struct json_writer *writer, const struct sampled *sampled, struct arena *arena)
{
	const struct grid figures = sampled_figures(sampled, arena);

	json_members(writer, MEMBERS({ "cpu", text_cell(sampled->origin->cpu) }, { "sampled", row_cell(&figures) }));
	software_json(writer, &sampled->software, arena);
	json_members(writer, MEMBERS({ "sampled_events", rows_cell(event_grid(sampled->profile, false, arena)) },
				     { "notes", texts_cell(arena, sampled->notes, sampled->nnotes) }));
}
