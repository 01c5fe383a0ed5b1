/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/roofline/ceilings_view.h"

#include <math.h>
#include <string.h>

#include "present/document/data.h"
#include "present/document/human.h"
#include "present/plot/plot.h"
#include "present/plot/text_plane.h"
#include "present/roofline/ceilings_parts.h"

#define GAP	2
#define LABEL	10
#define PERCENT 100.0
#define HZ_GHZ	1e9

/* ---- words ---- */

static const char *rate(double value, enum ceiling_kind kind, struct arena *arena)
{
	if (isnan(value))
		return "-";
	return arena_printf(arena, "%s%s", human_count(arena, value), kind == CEILING_COMPUTE ? "op/s" : "B/s");
}

/* "512-bit", "scalar", "SVE 256-bit" */
static const char *width_text(const struct ceiling *row, struct arena *arena)
{
	if (row->bits <= (row->type == CEILING_F64 ? 64u : 32u))
		return "scalar";
	return arena_printf(arena, "%s%u-bit", row->is_scalable ? "SVE " : "", row->bits);
}

static const char *operation_text(const struct ceiling *row)
{
	static const char *const names[] = { "", "mul+add", "FMA", "add" };

	return row->type == CEILING_INT && row->operation == CEILING_FMA ? "multiply-add" : names[row->operation];
}

static const char *what_text(const struct ceiling *row, struct arena *arena)
{
	if (row->kind == CEILING_BANDWIDTH)
		return arena_printf(arena, "%s %s", ceiling_level_names[row->level],
				    ceiling_pattern_names[row->pattern]);
	return arena_printf(arena, "%s %s %s", ceiling_type_names[row->type], width_text(row, arena),
			    operation_text(row));
}

static const char *size_text(uint64_t bytes, struct arena *arena)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	double size = (double)bytes;
	size_t unit = 0;

	if (!bytes)
		return "-";
	for (; size >= 1024 && unit + 1 < COUNT_OF(units); unit++)
		size /= 1024;
	return arena_printf(arena, size < 10 && unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static const char *limits_text(unsigned limits, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (unsigned bit = 0; bit < CEILING_LIMITS; bit++)
		if (limits & 1u << bit)
			string_printf(&text, "%s%s", text.length ? ", " : "", ceiling_limit_names[bit]);
	return text.text;
}

static double per_cycle(const struct ceiling *row)
{
	return row->value / row->clock_hz / row->threads;
}

/* ---- all rows: for machines, and for the page ---- */

enum {
	KIND,
	TYPE,
	OPERATION,
	LEVEL,
	PATTERN,
	SCOPE,
	PLACE,
	THREADS,
	BITS,
	SCALABLE,
	VALUE,
	UNIT,
	PER_CYCLE,
	SPREAD,
	ATTEMPTS,
	BYTES,
	CLOCK,
	LIMITS,
	COLUMNS
};
static const struct column columns[COLUMNS] = {
	[KIND] = { .key = "kind", .heading = "Kind" },
	[TYPE] = { .key = "type", .heading = "Type" },
	[OPERATION] = { .key = "operation", .heading = "Operation" },
	[LEVEL] = { .key = "level", .heading = "Level" },
	[PATTERN] = { .key = "pattern", .heading = "Pattern" },
	[SCOPE] = { .key = "scope", .heading = "Scope" },
	[PLACE] = { .key = "place", .heading = "Place", .flags = COLUMN_RIGHT },
	[THREADS] = { .key = "threads", .heading = "Threads", .flags = COLUMN_RIGHT },
	[BITS] = { .key = "bits", .heading = "Bits", .flags = COLUMN_RIGHT },
	[SCALABLE] = { .key = "scalable" },
	[VALUE] = { .key = "value", .heading = "Value", .flags = COLUMN_RIGHT },
	[UNIT] = { .key = "unit" },
	[PER_CYCLE] = { .key = "per_cycle", .heading = "Per cycle", .flags = COLUMN_RIGHT },
	[SPREAD] = { .key = "spread", .heading = "Spread", .flags = COLUMN_RIGHT },
	[ATTEMPTS] = { .key = "attempts", .heading = "Attempts", .flags = COLUMN_RIGHT },
	[BYTES] = { .key = "bytes", .heading = "Bytes", .flags = COLUMN_RIGHT },
	[CLOCK] = { .key = "clock_hz", .heading = "Clock", .flags = COLUMN_RIGHT },
	[LIMITS] = { .key = "limits", .heading = "Limited by" },
};

static struct cell number_as(double number, const char *shown)
{
	struct cell cell = number_cell(number);

	cell.shown = isnan(number) ? "-" : shown;
	return cell;
}

static struct cell limits_cell(unsigned limits, struct arena *arena)
{
	const char *names[CEILING_LIMITS];
	size_t count = 0;

	for (unsigned bit = 0; bit < CEILING_LIMITS; bit++)
		if (limits & 1u << bit)
			names[count++] = ceiling_limit_names[bit];
	return names_cell(arena, names, count);
}

static void ceilings_view_add_row(struct grid *grid, const struct ceiling *row, struct arena *arena)
{
	bool is_compute = row->kind == CEILING_COMPUTE;
	const struct cell cells[COLUMNS] = {
		[KIND] = text_cell(ceiling_kind_names[row->kind]),
		[TYPE] = cell_if(is_compute, text_cell(ceiling_type_names[row->type])),
		[OPERATION] = cell_if(is_compute, text_cell(ceiling_operation_names[row->operation])),
		[LEVEL] = cell_if(!is_compute, text_cell(ceiling_level_names[row->level])),
		[PATTERN] = cell_if(!is_compute, text_cell(ceiling_pattern_names[row->pattern])),
		[SCOPE] = text_cell(ceiling_scope_names[row->scope]),
		[PLACE] = cell_if(row->scope == CEILING_SOCKET || row->scope == CEILING_NODE, whole_cell(row->place)),
		[THREADS] = whole_cell(row->threads),
		[BITS] = whole_cell(row->bits),
		[SCALABLE] = truth_cell(row->is_scalable),
		[VALUE] = number_as(row->value, rate(row->value, row->kind, arena)),
		[UNIT] = text_cell(is_compute ? "operations/s" : "bytes/s"),
		[PER_CYCLE] = number_as(per_cycle(row), human_fixed(arena, per_cycle(row), 1)),
		[SPREAD] = number_as(row->spread, arena_printf(arena, "%.1f %%", PERCENT * row->spread)),
		[ATTEMPTS] = whole_cell(row->attempts),
		[BYTES] = cell_if(!is_compute, whole_cell((size_t)row->bytes)),
		[CLOCK] = number_as(row->clock_hz, arena_printf(arena, "%.2f GHz", row->clock_hz / HZ_GHZ)),
		[LIMITS] = limits_cell(row->limits, arena),
	};

	grid_add(grid, cells, arena);
}

static struct grid *all_rows(const struct ceilings *ceilings, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = COLUMNS, .has_heads = true, .caption = "All ceilings" };
	for (size_t i = 0; i < ceilings->count; i++)
		ceilings_view_add_row(grid, &ceilings->rows[i], arena);
	return grid;
}

/* ---- one thread beside all ---- */

enum { BESIDE_WHAT, BESIDE_SIZE, BESIDE_ONE, BESIDE_CYCLE, BESIDE_ALL, BESIDE_TIMES, BESIDE_LIMITS, BESIDE_COLUMNS };
static const struct column beside_columns[BESIDE_COLUMNS] = {
	[BESIDE_WHAT] = { .heading = "" },
	[BESIDE_SIZE] = { .heading = "In", .flags = COLUMN_RIGHT, .gap = GAP },
	[BESIDE_ONE] = { .heading = "One thread", .flags = COLUMN_RIGHT, .gap = GAP },
	[BESIDE_CYCLE] = { .heading = "a cycle", .flags = COLUMN_RIGHT, .gap = GAP },
	[BESIDE_ALL] = { .heading = "All cores", .flags = COLUMN_RIGHT, .gap = GAP },
	[BESIDE_TIMES] = { .heading = "x", .flags = COLUMN_RIGHT, .gap = GAP },
	[BESIDE_LIMITS] = { .heading = "Limited by", .flags = COLUMN_SHRINKS, .gap = GAP },
};

/* The same of all cores; NULL: there is none. */
static const struct ceiling *of_all(const struct ceilings *ceilings, const struct ceiling *one)
{
	for (size_t i = 0; i < ceilings->count; i++) {
		const struct ceiling *row = &ceilings->rows[i];

		if (row->scope == CEILING_ALL && row->kind == one->kind && row->type == one->type &&
		    row->operation == one->operation && row->level == one->level && row->pattern == one->pattern &&
		    row->bits == one->bits && row->is_scalable == one->is_scalable)
			return row;
	}
	return NULL;
}

static void add_beside(struct grid *grid, const struct ceilings *ceilings, const struct ceiling *one,
		       struct arena *arena)
{
	const struct ceiling *all = of_all(ceilings, one);
	bool is_alone = !all || all->threads < 2;
	const char *times =
		is_alone || isnan(all->value / one->value) ? "" : arena_printf(arena, "%.2f", all->value / one->value);
	const struct cell cells[BESIDE_COLUMNS] = {
		[BESIDE_WHAT] = shown_cell(what_text(one, arena), INK_PLAIN),
		[BESIDE_SIZE] = shown_cell(one->bytes ? size_text(one->bytes, arena) : "", INK_PLAIN),
		[BESIDE_ONE] = shown_cell(rate(one->value, one->kind, arena), INK_PLAIN),
		[BESIDE_CYCLE] =
			shown_cell(isnan(per_cycle(one)) ? "-" : human_fixed(arena, per_cycle(one), 1), INK_PLAIN),
		[BESIDE_ALL] = shown_cell(is_alone ? "" : rate(all->value, one->kind, arena), INK_PLAIN),
		[BESIDE_TIMES] = shown_cell(times, INK_PLAIN),
		[BESIDE_LIMITS] = shown_cell(limits_text(one->limits | (is_alone ? 0 : all->limits), arena), INK_DIM),
	};

	grid_add(grid, cells, arena);
}

static void add_table(struct document *doc, const struct ceilings *ceilings, enum ceiling_kind kind,
		      const char *heading)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = beside_columns,
			       .ncolumns = BESIDE_COLUMNS,
			       .has_heads = true,
			       .is_wide = true,
			       .caption = heading };
	for (size_t i = 0; i < ceilings->count; i++)
		if (ceilings->rows[i].scope == CEILING_THREAD && ceilings->rows[i].kind == kind)
			add_beside(grid, ceilings, &ceilings->rows[i], doc->arena);
	if (!grid->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 2, .text = heading });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- sockets and nodes ---- */

enum { PLACE_WHERE, PLACE_WHAT, PLACE_THREADS, PLACE_VALUE, PLACE_LIMITS, PLACE_COLUMNS };
static const struct column place_columns[PLACE_COLUMNS] = {
	[PLACE_WHERE] = { .heading = "" },
	[PLACE_WHAT] = { .heading = "", .gap = GAP },
	[PLACE_THREADS] = { .heading = "Threads", .flags = COLUMN_RIGHT, .gap = GAP },
	[PLACE_VALUE] = { .heading = "Together", .flags = COLUMN_RIGHT, .gap = GAP },
	[PLACE_LIMITS] = { .heading = "Limited by", .flags = COLUMN_SHRINKS, .gap = GAP },
};

static void add_places(struct document *doc, const struct ceilings *ceilings)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = place_columns,
			       .ncolumns = PLACE_COLUMNS,
			       .has_heads = true,
			       .caption = "Sockets and NUMA nodes" };
	for (size_t i = 0; i < ceilings->count; i++) {
		const struct ceiling *row = &ceilings->rows[i];
		const char *where = arena_printf(doc->arena, "%s %u", ceiling_scope_names[row->scope], row->place);
		const struct cell cells[PLACE_COLUMNS] = {
			[PLACE_WHERE] = shown_cell(where, INK_PLAIN),
			[PLACE_WHAT] = shown_cell(what_text(row, doc->arena), INK_PLAIN),
			[PLACE_THREADS] = whole_cell(row->threads),
			[PLACE_VALUE] = shown_cell(rate(row->value, row->kind, doc->arena), INK_PLAIN),
			[PLACE_LIMITS] = shown_cell(limits_text(row->limits, doc->arena), INK_DIM),
		};

		if (row->scope == CEILING_SOCKET || row->scope == CEILING_NODE)
			grid_add(grid, cells, doc->arena);
	}
	if (!grid->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 2, .text = "Sockets and NUMA nodes" });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- what is said ---- */

static const char *caches_text(const struct ceiling_conditions *conditions, struct arena *arena)
{
	static const char *const sources[] = { "", ", by the C library",
					       "; unknown, so 32 KiB and 512 KiB are assumed" };

	return arena_printf(arena, "L1 %s, L2 %s, L3 %s%s", size_text(conditions->l1, arena),
			    size_text(conditions->l2, arena), size_text(conditions->l3, arena),
			    sources[conditions->sizes]);
}

/* Of the fastest row of one thread: what the clock was while the machine did its most. */
static const char *clock_text(const struct ceilings *ceilings, struct arena *arena)
{
	const struct ceiling *peak =
		ceilings_find(ceilings, &(struct ceiling_wanted){ .kind = CEILING_COMPUTE, .type = CEILING_TYPES });
	const struct ceiling_conditions *conditions = &ceilings->conditions;
	struct string text = STRING_INIT(arena);

	if (peak && !isnan(peak->clock_hz))
		string_printf(&text, "%.2f GHz at the peak of one thread", peak->clock_hz / HZ_GHZ);
	if (!isnan(conditions->nominal_hz))
		string_printf(&text, "%snominal %.2f GHz (%s)", text.length ? ", " : "",
			      conditions->nominal_hz / HZ_GHZ, conditions->nominal_of);
	return text.text;
}

static const char *load_text(const struct ceiling_conditions *conditions, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (!isnan(conditions->load))
		string_printf(&text, "load average %.1f before; ", conditions->load);
	string_printf(&text, "threads waited for a CPU %s %% of the time",
		      human_fixed(arena, PERCENT * conditions->waited, 0));
	if (conditions->steal > 0)
		string_printf(&text, ", the hypervisor took %s %%", human_fixed(arena, PERCENT * conditions->steal, 1));
	return text.text;
}

static const char *measured_text(const struct ceilings_shown *shown, struct arena *arena)
{
	const struct ceiling_conditions *conditions = &shown->ceilings->conditions;
	struct string text = STRING_INIT(arena);

	string_printf(&text, "%s in %s", conditions->measured ? conditions->measured : "-",
		      human_seconds(arena, conditions->took_s));
	if (shown->kept)
		string_printf(&text, ", kept in %s", shown->kept);
	return text.text;
}

static void add_facts(struct document *doc, const struct ceilings_shown *shown)
{
	const struct ceiling_conditions *conditions = &shown->ceilings->conditions;
	const char *cpus =
		arena_printf(doc->arena, "%s%s%s", conditions->cpus ? conditions->cpus : "-",
			     conditions->smt_on ? ", one thread per core" : "",
			     isnan(conditions->quota_cpus)
				     ? ""
				     : arena_printf(doc->arena, ", a quota of %.1f CPUs", conditions->quota_cpus));
	const struct fact facts[] = {
		{ "CPU", conditions->cpu, false },
		{ "CPUs", cpus, false },
		{ "Kernel", conditions->kernel ? conditions->kernel : "", false },
		{ "Governor", conditions->governor ? conditions->governor : "", false },
		{ "Caches", caches_text(conditions, doc->arena), false },
		{ "Clock", clock_text(shown->ceilings, doc->arena), false },
		{ "Load", load_text(conditions, doc->arena), false },
		{ "Measured", measured_text(shown, doc->arena), false },
	};
	struct fact *kept = arena_array(doc->arena, COUNT_OF(facts), sizeof(*kept));

	doc_add(doc, (struct block){ .kind = BLOCK_FACTS,
				     .facts = memcpy(kept, facts, sizeof(facts)),
				     .nfacts = COUNT_OF(facts),
				     .label = LABEL });
}

/* What each limit means, of those that any row has. */
static void add_limits(struct document *doc, const struct ceilings *ceilings)
{
	static const char *const meanings[CEILING_LIMITS] = {
		"clock: the CPU ran slower than its nominal clock, by heat, power or a governor that saves it.",
		"load: others ran on the same CPUs. `topdown roofline {fresh}` on a calm machine gives more.",
		"steal: the hypervisor gave the CPUs to other machines meanwhile.",
		"quota: a cgroup's quota leaves fewer CPUs than there are cores.",
		"smt: what ran on the other threads of the cores took a part of them.",
		"spread: attempts differed by more than 2 %, or were fewer than three. The machine may be faster.",
		"memory: arrays are smaller than four times the last caches, which may hold a part of them.",
		"floating: threads could not be pinned, so the kernel moved them.",
	};
	unsigned limits = 0;
	bool is_first = true;
	char words[256];

	for (size_t i = 0; i < ceilings->count; i++)
		limits |= ceilings->rows[i].limits;
	for (unsigned bit = 0; bit < CEILING_LIMITS; bit++) {
		if (!(limits & 1u << bit))
			continue;
		if (is_first)
			doc_gap(doc);
		is_first = false;
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_strdup(doc->arena,
								  text_worded(words, sizeof(words), meanings[bit])) });
	}
}

static void add_ridge(struct document *doc, const struct ceilings *ceilings, enum ceiling_scope scope)
{
	const struct ceiling *peak = ceilings_find(
		ceilings, &(struct ceiling_wanted){ .kind = CEILING_COMPUTE, .type = CEILING_F64, .scope = scope });
	const struct ceiling *memory = ceilings_find(
		ceilings, &(struct ceiling_wanted){ .kind = CEILING_BANDWIDTH, .level = CEILING_DRAM, .scope = scope });

	if (!peak || !memory)
		return;
	doc_gap(doc);
	doc_sentence(doc, arena_printf(doc->arena,
				       "With fewer than %.1f operations (f64) per byte from memory a program can't "
				       "reach the peak of computing, and memory is its limit.",
				       peak->value / memory->value));
}

/* ---- the plots ---- */

static void add_text_plot(struct document *doc, const struct ceilings *ceilings)
{
	enum ceiling_scope scope = ceilings_scope(ceilings);
	struct plot *plot = ceilings_plot(ceilings, scope, doc->arena);
	const struct block *block = plot ? text_plane_block(doc, plot) : NULL;

	if (!block)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 2, .text = plot->name });
	doc_add(doc, *block);
}

static void add_page_plots(struct document *doc, const struct ceilings *ceilings)
{
	enum ceiling_scope last = ceilings_scope(ceilings);

	for (enum ceiling_scope scope = CEILING_THREAD; scope <= last; scope++) {
		struct plot *plot = ceilings_plot(ceilings, scope, doc->arena);

		if (plot)
			doc_add(doc, plot_block(doc, plot, plot->name, ceilings_spoken(ceilings, scope, doc->arena)));
	}
}

/* ---- the whole ---- */

static void ceilings_view_begin(struct document *doc, const struct ceilings_shown *shown)
{
	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "How fast this machine is", .level = 1 });
	if (shown->stale) {
		doc_sentence(doc, arena_printf(doc->arena, "These ceilings are stale: %s.", shown->stale));
		doc_gap(doc);
	}
	add_facts(doc, shown);
}

static void add_tables(struct document *doc, const struct ceilings *ceilings)
{
	add_table(doc, ceilings, CEILING_COMPUTE, "Computing");
	add_table(doc, ceilings, CEILING_BANDWIDTH, "Bandwidth");
	add_places(doc, ceilings);
	add_ridge(doc, ceilings, ceilings_scope(ceilings));
	add_limits(doc, ceilings);
}

static void ceilings_document(struct document *doc, const void *what)
{
	const struct ceilings_shown *shown = what;

	ceilings_view_begin(doc, shown);
	add_text_plot(doc, shown->ceilings);
	add_tables(doc, shown->ceilings);
	doc_gap(doc);
}

static void ceilings_page(struct document *doc, const void *what, const struct page_content *content UNUSED)
{
	const struct ceilings_shown *shown = what;

	ceilings_view_begin(doc, shown);
	add_page_plots(doc, shown->ceilings);
	add_tables(doc, shown->ceilings);
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD, .text = "All ceilings, as measured" });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = all_rows(shown->ceilings, doc->arena) });
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

static struct cell conditions_cell(const struct ceiling_conditions *c, struct arena *arena)
{
	static const char *const sources[] = { "sysfs", "library", "assumed" };

	return object_cell(
		arena, MEMBERS({ "cpu", text_cell(c->cpu) }, { "microcode", text_cell(c->microcode) },
			       { "kernel", text_cell(c->kernel) }, { "governor", text_cell(c->governor) },
			       { "cpus", text_cell(c->cpus) }, { "measured", text_cell(c->measured) },
			       { "version", text_cell(c->version) }, { "took_s", number_cell(c->took_s) },
			       { "nominal_hz", number_cell(c->nominal_hz) }, { "nominal_of", text_cell(c->nominal_of) },
			       { "quota_cpus", number_cell(c->quota_cpus) }, { "load", number_cell(c->load) },
			       { "steal", number_cell(c->steal) }, { "waited", number_cell(c->waited) },
			       { "smt_on", truth_cell(c->smt_on) }, { "l1_bytes", known_cell((size_t)c->l1) },
			       { "l2_bytes", known_cell((size_t)c->l2) }, { "l3_bytes", known_cell((size_t)c->l3) },
			       { "l3_cpus", known_cell(c->l3_cpus) }, { "sizes", text_cell(sources[c->sizes]) }));
}

static void ceilings_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct ceilings_shown *shown = what;

	json_members(writer, MEMBERS({ "format", text_cell("topdown-roofline") }, { "version", whole_cell(1) },
				     { "kept", text_cell(shown->kept) }, { "stale", text_cell(shown->stale) },
				     { "conditions", conditions_cell(&shown->ceilings->conditions, arena) },
				     { "ceilings", rows_cell(all_rows(shown->ceilings, arena)) }));
}

static void ceilings_csv(struct sheet *sheet, const void *what)
{
	const struct ceilings_shown *shown = what;

	csv_grid(sheet, all_rows(shown->ceilings, sheet->arena));
}

const struct view ceilings_view = {
	.document = ceilings_document, .page = ceilings_page, .json = ceilings_json, .csv = ceilings_csv
};
