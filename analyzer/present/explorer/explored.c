/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/explorer/explored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/timeline.h"
#include "common/base/cells.h"
#include "common/base/finder.h"

/* While it is filled. */
struct filling {
	struct explored *explored;
	const struct profile *profile;
	struct call_tree tree;
	uint32_t *kept; /* [calls of the tree]: its number among the explored ones, or that of what it is merged into */
	double *row;	/* [nvalues] */
	struct arena *arena;
};

static double *values_new(const struct filling *f)
{
	return arena_array(f->arena, f->explored->nvalues, sizeof(double));
}

/* What a weighing has of the row, in parts of `of`. */
static double part_of(const struct weighing *weighing, uint32_t row, double of)
{
	double whole = fmax(weighing->whole, weighing->total);

	return whole > 0 ? weighing->weights[row] / whole * of : 0;
}

/* Is anything of it in the row? */
static bool take_row(const struct filling *f, uint32_t row)
{
	const struct explored *e = f->explored;
	bool has_any;

	f->row[EXPLORED_BASE] = e->base ? part_of(e->base, row, 100) : 0;
	has_any = f->row[EXPLORED_BASE] > 0;
	for (size_t i = 0; i < e->subject->nnodes; i++) {
		const struct export_node *node = &e->subject->nodes[i];

		f->row[EXPLORED_NODES + i] =
			node->weighing == PROFILE_NONE
				? 0
				: part_of(&e->subject->weighings->items[node->weighing], row, node->slots);
		has_any = has_any || f->row[EXPLORED_NODES + i] > 0;
	}
	return has_any;
}

static void add_values(const struct filling *f, double *to, const double *from)
{
	for (size_t i = 0; i < f->explored->nvalues; i++)
		to[i] += from[i];
}

double explored_size(const struct explored *explored, const double *values)
{
	double size = values[EXPLORED_BASE];

	for (size_t i = EXPLORED_NODES; i < explored->nvalues; i++)
		size = fmax(size, values[i]);
	return size;
}

/* ---- functions and lines ---- */

struct sized {
	double size;
	uint32_t number;
};

static int compare_sized(const void *first, const void *second)
{
	const struct sized *a = first, *b = second;
	int order = (a->size < b->size) - (a->size > b->size);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The larger ones first; those that are too small, or too many, are the rest. Returns the number of those that stay. */
static size_t keep_largest(struct sized *sized, size_t count, struct explored_rest *rest, const double *bases)
{
	size_t kept = 0;

	if (count)
		qsort(sized, count, sizeof(*sized), compare_sized);
	while (kept < count && kept < EXPLORED_MOST && sized[kept].size > 0 &&
	       (kept < EXPLORED_ROWS || sized[kept].size >= EXPLORED_LEAST))
		kept++;
	for (size_t i = kept; i < count && sized[i].size > 0; i++) {
		rest->count++;
		rest->base += bases[sized[i].number];
	}
	return kept;
}

/* The innermost function of a row, inlined or not. */
static uint32_t innermost_of(const struct filling *f, uint32_t row)
{
	const struct export_frames *frames = &f->explored->functions_of;
	uint32_t place = row_place(f->profile, row);

	return frames->frames[frames->first[place + 1] - 1].function;
}

static void explore_functions(struct filling *f)
{
	struct explored *e = f->explored;
	const uint32_t count = e->functions_of.count;
	double **all = arena_array(f->arena, count + (size_t)1, sizeof(*all));
	struct sized *sized = arena_array(f->arena, count + (size_t)1, sizeof(*sized));
	double *bases = arena_array(f->arena, count + (size_t)1, sizeof(*bases));

	for (uint32_t row = 0; row < f->profile->nrows; row++) {
		uint32_t function = innermost_of(f, row);

		if (!take_row(f, row))
			continue;
		if (!all[function])
			all[function] = values_new(f);
		add_values(f, all[function], f->row);
	}
	for (uint32_t i = 0; i < count; i++) {
		sized[i] = (struct sized){ all[i] ? explored_size(e, all[i]) : 0, i };
		bases[i] = all[i] ? all[i][EXPLORED_BASE] : 0;
	}
	e->nfunctions = keep_largest(sized, count, &e->more_functions, bases);
	e->functions = arena_array(f->arena, e->nfunctions + 1, sizeof(*e->functions));
	for (size_t i = 0; i < e->nfunctions; i++)
		e->functions[i] = (struct explored_function){ sized[i].number, all[sized[i].number] };
}

/* The source line that a place is of. */
struct line_key {
	uint32_t function, line;
	const char *file;
};

static bool is_same_line(const void *owner, uint32_t number, const void *wanted)
{
	const struct explored_line *line = &((const struct explored_line *)owner)[number];
	const struct line_key *key = wanted;

	return line->function == key->function && line->line == key->line && !strcmp(line->file, key->file);
}

/* False: it is not known. */
static bool line_of(struct line_key *key, const struct filling *f, uint32_t row)
{
	const struct profile_place *place = &f->profile->places[row_place(f->profile, row)];

	if (!place->nframes || !place->frames[0].line || !place->frames[0].file)
		return false;
	*key = (struct line_key){ innermost_of(f, row), place->frames[0].line, place->frames[0].file };
	return true;
}

static uint32_t add_lines(struct filling *f, struct explored_line *lines)
{
	struct finder finder = { .count = 0 };
	uint32_t count = 0;

	for (uint32_t row = 0; row < f->profile->nrows; row++) {
		struct line_key key;
		bool is_new;
		uint32_t number;

		if (!line_of(&key, f, row) || !take_row(f, row))
			continue;
		number = finder_take(
			&finder,
			&(struct finder_key){
				hash_numbers((const uint64_t[]){ key.function, key.line, hash_text(key.file) }, 3),
				is_same_line, lines, &key },
			&count, &is_new, f->arena);
		if (is_new)
			lines[number] = (struct explored_line){ key.function, key.file, key.line, values_new(f) };
		add_values(f, lines[number].values, f->row);
	}
	return count;
}

static void explore_lines(struct filling *f)
{
	struct explored *e = f->explored;
	struct explored_line *all = arena_array(f->arena, f->profile->nrows + (size_t)1, sizeof(*all));
	uint32_t count = add_lines(f, all);
	struct sized *sized = arena_array(f->arena, count + (size_t)1, sizeof(*sized));
	double *bases = arena_array(f->arena, count + (size_t)1, sizeof(*bases));

	for (uint32_t i = 0; i < count; i++) {
		sized[i] = (struct sized){ explored_size(e, all[i].values), i };
		bases[i] = all[i].values[EXPLORED_BASE];
	}
	e->nlines = keep_largest(sized, count, &e->more_lines, bases);
	e->lines = arena_array(f->arena, e->nlines + 1, sizeof(*e->lines));
	for (size_t i = 0; i < e->nlines; i++) {
		e->lines[i] = all[sized[i].number];
		e->lines[i].file = cells_safe(f->arena, e->lines[i].file, true);
	}
}

/* ---- instructions ---- */

static bool is_same_instruction(const void *owner, uint32_t number, const void *wanted)
{
	const struct explored_instruction *one = &((const struct explored_instruction *)owner)[number], *key = wanted;

	return one->module == key->module && one->address == key->address;
}

/* The outermost frame's code holds it. False: it is a whole line, or nobody knows where the code begins and ends. */
static bool instruction_of(struct explored_instruction *key, const struct filling *f, uint32_t row)
{
	const struct export_frames *frames = &f->explored->functions_of;
	uint32_t number = f->profile->stacks[f->profile->rows[row].stack].place;
	const struct profile_place *place = &f->profile->places[number];
	const struct profile_frame *outer = place->nframes ? &place->frames[place->nframes - 1] : NULL;

	if (!outer || !outer->size || place->address - outer->begin >= outer->size)
		return false;
	*key = (struct explored_instruction){ .function = frames->frames[frames->first[number]].function,
					      .module = place->module,
					      .address = place->address,
					      .file = place->frames[0].file,
					      .line = place->frames[0].line };
	return true;
}

/* Its place among the functions; SIZE_MAX: it is not one of the first. */
static size_t rank_of_code(const struct explored *e, uint32_t function)
{
	for (size_t i = 0; i < e->nfunctions && i < EXPLORED_CODES; i++)
		if (e->functions[i].number == function)
			return i;
	return SIZE_MAX;
}

static int compare_instructions(const void *first, const void *second)
{
	const struct explored_instruction *a = first, *b = second;

	return a->function != b->function ? (a->function > b->function) - (a->function < b->function)
					  : (a->address > b->address) - (a->address < b->address);
}

static void explore_instructions(struct filling *f)
{
	struct explored *e = f->explored;
	struct explored_instruction key;
	struct finder finder = { .count = 0 };
	uint32_t count = 0;

	e->instructions = arena_array(f->arena, f->profile->nrows + (size_t)1, sizeof(*e->instructions));
	for (uint32_t row = 0; row < f->profile->nrows; row++) {
		uint32_t number;
		bool is_new;

		if (!instruction_of(&key, f, row) || rank_of_code(e, key.function) == SIZE_MAX || !take_row(f, row))
			continue;
		number = finder_take(
			&finder,
			&(struct finder_key){ hash_numbers((const uint64_t[]){ key.module, key.address }, 2),
					      is_same_instruction, e->instructions, &key },
			&count, &is_new, f->arena);
		if (is_new) {
			e->instructions[number] = key;
			e->instructions[number].file = key.file ? cells_safe(f->arena, key.file, true) : NULL;
			e->instructions[number].values = values_new(f);
		}
		add_values(f, e->instructions[number].values, f->row);
	}
	e->ninstructions = count;
	if (count)
		qsort(e->instructions, count, sizeof(*e->instructions), compare_instructions);
}

/* ---- calls ---- */

static uint32_t add_call(struct filling *f, uint32_t function, uint32_t parent)
{
	struct explored *e = f->explored;

	e->calls[e->ncalls] = (struct explored_call){ function, parent, values_new(f) };
	return e->ncalls++;
}

/* Those that are wide enough, and beside them one of all that are not. A call stands behind its caller in the tree. */
static void keep_calls(struct filling *f)
{
	const struct call_tree *tree = &f->tree;
	uint32_t *merged = arena_array(f->arena, tree->count + (size_t)1, sizeof(*merged));
	bool *is_merged = arena_array(f->arena, tree->count + (size_t)1, sizeof(*is_merged));
	unsigned *depth = arena_array(f->arena, tree->count + (size_t)1, sizeof(*depth));

	f->kept[0] = add_call(f, PROFILE_NONE, PROFILE_NONE);
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct call *call = &tree->calls[i];
		uint32_t above = call->parent;

		if (is_merged[above]) {
			f->kept[i] = f->kept[above];
			is_merged[i] = true;
			continue;
		}
		depth[i] = depth[above] + 1;
		if (call->total * 100 >= EXPLORED_NARROW * tree->calls[0].total && depth[i] < EXPLORED_DEEPEST) {
			f->kept[i] = add_call(f, call->function, f->kept[above]);
			continue;
		}
		if (!merged[above])
			merged[above] = add_call(f, PROFILE_NONE, f->kept[above]);
		f->kept[i] = merged[above];
		is_merged[i] = true;
	}
}

static uint32_t call_of(const struct filling *f, uint32_t row)
{
	uint32_t leaf = f->tree.leaf[row];

	return f->kept[leaf != PROFILE_NONE ? leaf : call_tree_find(&f->tree, row)];
}

/* What the tree is made of: the base, or what was located first. */
static const struct weighing *weighing_of_tree(const struct explored *e)
{
	return e->base ? e->base : &e->subject->weighings->items[0];
}

static void explore_calls(struct filling *f)
{
	struct explored *e = f->explored;

	call_tree_init(&f->tree, e->subject, weighing_of_tree(e), &e->functions_of, f->arena);
	f->kept = arena_array(f->arena, f->tree.count + (size_t)1, sizeof(*f->kept));
	e->calls = arena_array(f->arena, 2 * (size_t)f->tree.count + 1, sizeof(*e->calls));
	keep_calls(f);
	for (uint32_t row = 0; row < f->profile->nrows; row++)
		if (take_row(f, row))
			add_values(f, e->calls[call_of(f, row)].values, f->row);
}

/* ---- when ---- */

static bool is_same_part(const void *owner, uint32_t number, const void *wanted)
{
	const struct explored_part *part = &((const struct explored_part *)owner)[number], *key = wanted;

	return part->moment == key->moment && part->call == key->call;
}

static int compare_parts(const void *first, const void *second)
{
	const struct explored_part *a = first, *b = second;

	return a->moment != b->moment ? (a->moment > b->moment) - (a->moment < b->moment)
				      : (a->call > b->call) - (a->call < b->call);
}

/* Intervals of a moment: as the timeline has it, so that both fit. */
static size_t intervals_each(const struct explored *e, const struct profile *profile)
{
	size_t each = e->timeline ? e->timeline->each : 1;

	while (!e->timeline && profile->nintervals > each * TIMELINE_POINTS)
		each *= 2;
	return each;
}

static void fill_moments(struct filling *f, size_t each)
{
	struct explored *e = f->explored;
	const struct profile *profile = f->profile;

	e->nmoments = (profile->nintervals + each - 1) / each;
	e->moments = arena_array(f->arena, e->nmoments + 1, sizeof(*e->moments));
	for (size_t i = 0; i < e->nmoments; i++) {
		size_t last = (i + 1) * each < profile->nintervals ? (i + 1) * each - 1 : profile->nintervals - 1U;

		e->moments[i][0] = profile->intervals[i * each].from_s;
		e->moments[i][1] = profile->intervals[last].to_s;
	}
}

/* Of a profile without -I: so many of its own as make the parts no more than a page should have. */
static size_t moments_each(const struct profile *profile)
{
	size_t each = 1;

	while (profile->nmoments / each > EXPLORED_PARTS && each < PROFILE_MOMENTS / EXPLORED_FEWEST)
		each *= 2;
	return each;
}

static void fill_equal_moments(struct filling *f, size_t each)
{
	struct explored *e = f->explored;
	double length = f->profile->moment_s * (double)each, end = f->profile->moments_s;

	while (e->nmoments < PROFILE_MOMENTS && (double)e->nmoments * length < end)
		e->nmoments++;
	e->moments = arena_array(f->arena, e->nmoments + 1, sizeof(*e->moments));
	for (size_t i = 0; i < e->nmoments; i++) {
		e->moments[i][0] = (double)i * length;
		e->moments[i][1] = fmin((double)(i + 1) * length, end);
	}
}

/* times: of the row's values. */
static void add_part(struct filling *f, struct finder *finder, const struct explored_part *wanted, double times)
{
	struct explored *e = f->explored;
	bool is_new;
	uint32_t number =
		finder_take(finder,
			    &(struct finder_key){ hash_numbers((const uint64_t[]){ wanted->moment, wanted->call }, 2),
						  is_same_part, e->parts, wanted },
			    &e->nparts, &is_new, f->arena);

	if (is_new) {
		e->parts[number] = *wanted;
		e->parts[number].values = values_new(f);
	}
	for (size_t i = 0; i < e->nvalues; i++)
		e->parts[number].values[i] += f->row[i] * times;
}

static void fill_interval_parts(struct filling *f, struct finder *finder)
{
	const struct profile *profile = f->profile;
	size_t each = intervals_each(f->explored, profile);

	fill_moments(f, each);
	f->explored->parts = arena_array(f->arena, profile->nrows + (size_t)1, sizeof(*f->explored->parts));
	for (uint32_t row = 0; row < profile->nrows; row++)
		if (profile->rows[row].interval < profile->nintervals && take_row(f, row))
			add_part(f, finder,
				 &(struct explored_part){ .moment = (uint32_t)(profile->rows[row].interval / each),
							  .call = call_of(f, row) },
				 1);
}

static void fill_moment_parts(struct filling *f, struct finder *finder)
{
	const struct profile *profile = f->profile;
	size_t each = moments_each(profile);

	fill_equal_moments(f, each);
	f->explored->parts = arena_array(f->arena, profile->nmoments + (size_t)1, sizeof(*f->explored->parts));
	for (uint32_t i = 0; i < profile->nmoments; i++) {
		const struct profile_moment *part = &profile->moments[i];
		double weight = profile->rows[part->row].weight;

		if (part->number / each < f->explored->nmoments && weight > 0 && take_row(f, part->row))
			add_part(f, finder,
				 &(struct explored_part){ .moment = (uint32_t)(part->number / each),
							  .call = call_of(f, part->row) },
				 part->weight / weight);
	}
}

static void fill_parts(struct filling *f)
{
	struct explored *e = f->explored;
	struct finder finder = { .count = 0 };

	if (f->profile->nintervals >= 2)
		fill_interval_parts(f, &finder);
	else if (f->profile->nmoments && !e->timeline)
		fill_moment_parts(f, &finder);
	if (e->nparts)
		qsort(e->parts, e->nparts, sizeof(*e->parts), compare_parts);
}

/* ---- all of it ---- */

/* Cycles or time; what was sampled for a node is no base. */
static const struct weighing *base_of(const struct export_subject *subject)
{
	const struct weighing *chosen =
		subject->chosen < subject->weighings->count ? &subject->weighings->items[subject->chosen] : NULL;

	return chosen && !chosen->node ? chosen : NULL;
}

void explored_fill(struct explored *explored, const struct export_subject *subject, const struct timeline *timeline,
		   struct arena *arena)
{
	struct filling f = { .explored = explored, .profile = subject->profile, .arena = arena };

	*explored = (struct explored){ .subject = subject,
				       .base = base_of(subject),
				       .nvalues = EXPLORED_NODES + subject->nnodes,
				       .timeline = timeline };
	f.row = values_new(&f);
	if (subject->profile && subject->weighings->count) {
		frames_init(&explored->functions_of, subject->profile, arena);
		explore_functions(&f);
		explore_lines(&f);
		explore_instructions(&f);
		explore_calls(&f);
		fill_parts(&f);
	}
	explored_fill_phases(explored, arena);
}
