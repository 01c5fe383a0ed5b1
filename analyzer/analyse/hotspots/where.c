/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/where.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

struct share share_of_amount(const struct weighing *weighing, struct amount amount)
{
	return share_of_weight(weighing, amount.weight, amount.samples);
}

void amount_add(struct amount *sum, struct amount more)
{
	sum->weight += more.weight;
	sum->samples += more.samples;
}

struct amount row_amount(const struct weighing *weighing, const struct profile *profile, uint32_t row)
{
	double weight = weighing->weights[row];

	/* Rows of other events weigh nothing here. */
	return (struct amount){ weight, weighing->is_exact || !(weight > 0) ? 0 : profile->rows[row].samples };
}

/* ---- the order of rows ---- */

static int compare_rows(const void *first, const void *second)
{
	const struct where_row *a = first, *b = second;
	int order = (a->self.percent < b->self.percent) - (a->self.percent > b->self.percent);

	if (!order)
		order = (a->total.percent < b->total.percent) - (a->total.percent > b->total.percent);
	if (!order)
		order = compare_texts(a->module, b->module);
	if (!order)
		order = compare_texts(a->function, b->function);
	if (!order)
		order = compare_texts(a->file, b->file);
	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	if (!order)
		order = compare_texts(a->into, b->into);
	if (!order)
		order = compare_texts(a->at_file, b->at_file);
	return order ? order : (a->at_line > b->at_line) - (a->at_line < b->at_line);
}

void where_sort(struct where_rows *rows)
{
	if (rows->count)
		qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
}

/* ---- filters ---- */

static bool is_number(const char *text, uint32_t number)
{
	uint64_t value;

	return text_u64(text, &value) && value == number;
}

static bool is_thread(const struct profile_task *task, const char *thread)
{
	return is_number(thread, task->tid) || (task->name && is_same_name(task->name, thread));
}

static bool is_process(const struct profile_task *task, const char *process)
{
	return is_number(process, task->pid) ||
	       (task->program &&
		(!strcmp(task->program, process) || is_same_name(module_base_name(task->program), process)));
}

static uint32_t module_of(const struct profile *profile, const struct profile_row *row)
{
	return profile->places[profile->stacks[row->stack].place].module;
}

/* Exact counts may be of no thread in particular. */
static const struct profile_task *task_of(const struct profile *profile, const struct profile_row *row)
{
	static const struct profile_task nobody;

	return row->task < profile->ntasks ? &profile->tasks[row->task] : &nobody;
}

static bool is_passed(const struct profile_filter *filter, const struct profile *profile, const struct profile_row *row)
{
	return (!filter->thread || is_thread(task_of(profile, row), filter->thread)) &&
	       (!filter->process || is_process(task_of(profile, row), filter->process)) &&
	       (!filter->module || is_module(&profile->modules[module_of(profile, row)], filter->module));
}

static int fail_filter(const struct profile_filter *filter, const struct profile *profile, struct arena *arena,
		       struct error *err)
{
	const char **names = arena_array(arena, (size_t)profile->ntasks * 2 + profile->nmodules + 1, sizeof(*names));
	const char *typed = filter->module ? filter->module : filter->thread ? filter->thread : filter->process, *near;
	size_t count = 0;

	for (uint32_t i = 0; i < profile->nmodules && filter->module; i++)
		if (profile->modules[i].path)
			names[count++] = module_base_name(profile->modules[i].path);
	for (uint32_t i = 0; i < profile->ntasks && !filter->module; i++) {
		const struct profile_task *task = &profile->tasks[i];
		const char *name = filter->thread ? task->name : module_base_name(task->program);

		if (name)
			names[count++] = name;
	}
	near = nearest_names(arena, typed, names, count);
	if (near)
		return error_set(err, "nothing was recorded in '%s'; did you mean %s?", typed, near);
	return error_set(err, "nothing was recorded in '%s'; {by} thread (process, module) lists all", typed);
}

/* Which rows are shown. NULL and err: none is. */
static bool *filter_rows(const struct where_request *request, const struct profile *profile, struct arena *arena,
			 struct error *err)
{
	const struct profile_filter *filter = request->filter;
	bool *is_kept = arena_array(arena, (size_t)profile->nrows + 1, sizeof(*is_kept)), is_any = false;

	for (uint32_t i = 0; i < profile->nrows; i++) {
		is_kept[i] = is_passed(filter, profile, &profile->rows[i]);
		is_any |= is_kept[i];
	}
	if (!is_any && (filter->thread || filter->process || filter->module)) {
		(void)fail_filter(filter, profile, arena, err);
		return NULL;
	}
	return is_kept;
}

/* ---- functions ---- */

/* Where a stack's own weight is: waits are elsewhere than what runs. */
static uint32_t *own_places(const struct where_sums *sums)
{
	const struct profile *profile = sums->functions->profile;
	uint32_t *places = arena_array(sums->arena, (size_t)profile->nstacks + 1, sizeof(*places));

	for (uint32_t i = 0; i < profile->nstacks; i++)
		places[i] = profile->stacks[i].place;
	for (uint32_t i = 0; i < profile->nrows; i++)
		if (sums->weighing->weights[i] > 0)
			places[profile->rows[i].stack] = row_place(profile, i);
	return places;
}

static struct amount *stack_amounts(const struct where_sums *sums)
{
	const struct profile *profile = sums->functions->profile;
	struct amount *stacks = arena_array(sums->arena, (size_t)profile->nstacks + 1, sizeof(*stacks));

	for (uint32_t i = 0; i < profile->nrows; i++)
		if (sums->is_kept[i] && sums->weighing->weights[i] > 0)
			amount_add(&stacks[profile->rows[i].stack], row_amount(sums->weighing, profile, i));
	return stacks;
}

/* Self and total of each function. */
struct function_amount {
	struct amount self, total;
	uint32_t above; /* frames of it on the way to the stack that is looked at */
};

/* Stacks as a tree, from the callers to what they called. */
struct stack_tree {
	uint32_t *first, *next; /* of each stack the first that it called, and the next with its caller */
	uint32_t root;		/* the first stack that nobody called */
};

static struct stack_tree tree_of(const struct profile *profile, struct arena *arena)
{
	struct stack_tree tree = { .root = PROFILE_NONE };

	tree.first = arena_array(arena, (size_t)profile->nstacks + 1, sizeof(*tree.first));
	tree.next = arena_array(arena, (size_t)profile->nstacks + 1, sizeof(*tree.next));
	for (uint32_t i = 0; i < profile->nstacks; i++)
		tree.first[i] = PROFILE_NONE;
	for (uint32_t i = profile->nstacks; i-- > 0;) {
		uint32_t caller = profile->stacks[i].caller;
		uint32_t *list = caller < profile->nstacks ? &tree.first[caller] : &tree.root;

		tree.next[i] = *list;
		*list = i;
	}
	return tree;
}

/* The functions of the stack's place: are on the way now (step 1), or no more (-1). */
static void step_frames(struct function_amount *amounts, const struct functions *functions, uint32_t stack, int step)
{
	uint32_t place = functions->profile->stacks[stack].place;

	for (size_t slot = functions->first[place]; slot < functions->first[place + 1]; slot++)
		amounts[functions->of[slot]].above += (uint32_t)step;
}

/* On the way back: what the stack and all that it called have goes to the functions that are there first. */
static void leave_stack(struct function_amount *amounts, const struct where_sums *sums, struct amount *below,
			uint32_t stack)
{
	const struct functions *functions = sums->functions;
	const struct profile_stack *s = &functions->profile->stacks[stack];

	amount_add(&below[stack], sums->stacks[stack]);
	amount_add(&amounts[functions->of[functions->first[sums->places[stack]]]].self, sums->stacks[stack]);
	for (size_t slot = functions->first[s->place + 1]; slot-- > functions->first[s->place];) {
		struct function_amount *amount = &amounts[functions->of[slot]];

		if (--amount->above == 0)
			amount_add(&amount->total, below[stack]);
	}
	if (s->caller != PROFILE_NONE)
		amount_add(&below[s->caller], below[stack]);
}

/* Each stack once, without recursion: stacks are as deep as programs like. */
static struct function_amount *sum_functions(const struct where_sums *sums)
{
	const struct profile *profile = sums->functions->profile;
	struct function_amount *amounts = arena_array(sums->arena, sums->functions->count + 1, sizeof(*amounts));
	struct amount *below = arena_array(sums->arena, (size_t)profile->nstacks + 1, sizeof(*below));
	const struct stack_tree tree = tree_of(profile, sums->arena);
	uint32_t stack = tree.root;

	while (stack != PROFILE_NONE) {
		step_frames(amounts, sums->functions, stack, 1);
		if (tree.first[stack] != PROFILE_NONE) {
			stack = tree.first[stack];
			continue;
		}
		leave_stack(amounts, sums, below, stack);
		while (tree.next[stack] == PROFILE_NONE && profile->stacks[stack].caller != PROFILE_NONE) {
			stack = profile->stacks[stack].caller;
			leave_stack(amounts, sums, below, stack);
		}
		stack = tree.next[stack];
	}
	return amounts;
}

/* The same of the base, where there is one. */
static const struct function_amount *sum_base(const struct where_sums *sums, const struct weighing *base)
{
	struct where_sums of_base = *sums;

	if (!base)
		return NULL;
	of_base.weighing = base;
	of_base.stacks = stack_amounts(&of_base);
	return sum_functions(&of_base);
}

static struct share unknown_share(void)
{
	return share_exact(NOT_COUNTED, NOT_COUNTED);
}

static const char *module_path(const struct functions *functions, uint32_t module)
{
	return functions->profile->modules[module].path;
}

static void fill_functions(struct where *where, const struct where_sums *sums)
{
	const struct functions *functions = sums->functions;
	const struct function_amount *amounts = sum_functions(sums), *base = sum_base(sums, where->base);
	struct where_rows *rows = &where->functions;

	rows->items = arena_array(sums->arena, functions->count + 1, sizeof(*rows->items));
	for (size_t i = 0; i < functions->count; i++) {
		if (!(amounts[i].total.weight > 0))
			continue;
		rows->items[rows->count++] = (struct where_row){
			.function = functions->items[i].name,
			.module = module_path(functions, functions->items[i].module),
			.self = share_of_amount(sums->weighing, amounts[i].self),
			.total = share_of_amount(sums->weighing, amounts[i].total),
			.base = base ? share_of_amount(where->base, base[i].self) : unknown_share(),
		};
	}
	where_sort(rows);
}

/* ---- lines ---- */

/* A place with what was seen there. */
struct seen_place {
	uint32_t function, into; /* into: PROFILE_NONE: the function is not inlined */
	const char *file, *at_file;
	uint32_t line, at_line;
	struct amount amount, base;
};

static int compare_places(const void *first, const void *second)
{
	const struct seen_place *a = first, *b = second;
	int order = (a->function > b->function) - (a->function < b->function);

	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	if (!order)
		order = (a->into > b->into) - (a->into < b->into);
	if (!order)
		order = (a->at_line > b->at_line) - (a->at_line < b->at_line);
	if (!order)
		order = compare_texts(a->at_file, b->at_file);
	return order ? order : compare_texts(a->file, b->file);
}

static struct seen_place where_place_of(const struct functions *functions, uint32_t number)
{
	const struct profile_place *place = &functions->profile->places[number];
	const uint32_t *of = &functions->of[functions->first[number]];
	struct seen_place seen = { .function = of[0], .into = PROFILE_NONE };

	if (place->nframes > 1) {
		const struct profile_frame *outermost = &place->frames[place->nframes - 1];

		seen.into = of[place->nframes - 1];
		seen.at_file = outermost->line ? outermost->file : NULL;
		seen.at_line = seen.at_file ? outermost->line : 0;
	}
	if (place->nframes) {
		seen.file = place->frames[0].line ? place->frames[0].file : NULL;
		seen.line = seen.file ? place->frames[0].line : 0;
	}
	return seen;
}

static struct seen_place *see_places(const struct where *where, const struct where_sums *sums)
{
	const struct profile *profile = where->profile;
	struct seen_place *seen = arena_array(sums->arena, (size_t)profile->nplaces + 1, sizeof(*seen));

	for (uint32_t i = 0; i < profile->nplaces; i++)
		seen[i] = where_place_of(sums->functions, i);
	for (uint32_t i = 0; i < profile->nrows; i++) {
		struct seen_place *place = &seen[sums->places[profile->rows[i].stack]];

		if (!sums->is_kept[i])
			continue;
		amount_add(&place->amount, row_amount(sums->weighing, profile, i));
		if (where->base)
			amount_add(&place->base, row_amount(where->base, profile, i));
	}
	if (profile->nplaces)
		qsort(seen, profile->nplaces, sizeof(*seen), compare_places);
	return seen;
}

static struct where_row line_row(const struct where *where, const struct functions *functions,
				 const struct seen_place *place)
{
	const struct profile_function *function = &functions->items[place->function];

	return (struct where_row){
		.function = function->name,
		.module = module_path(functions, function->module),
		.file = place->file,
		.line = place->line,
		.into = place->into == PROFILE_NONE ? NULL : functions->items[place->into].name,
		.at_file = place->at_file,
		.at_line = place->at_line,
		.self = share_of_amount(where->weighing, place->amount),
		.total = unknown_share(),
		.base = where->base ? share_of_amount(where->base, place->base) : unknown_share(),
	};
}

/* The profile's pairs of the kinds that the node is about, as lines. */
struct line_pairs {
	struct seen_place *places;
	struct where_partner *partners;
	bool *is_row; /* room for partners_fill */
	size_t count;
};

static struct line_pairs find_pairs(const struct where *where, const struct where_sums *sums)
{
	const struct profile *profile = where->profile;
	unsigned kinds = partners_kinds(where);
	struct line_pairs pairs = { .count = 0 };

	if (!kinds)
		return pairs;
	pairs.places = arena_array(sums->arena, (size_t)profile->npairs + 1, sizeof(*pairs.places));
	pairs.partners = arena_array(sums->arena, (size_t)profile->npairs + 1, sizeof(*pairs.partners));
	pairs.is_row = arena_array(sums->arena, (size_t)profile->npairs + 1, sizeof(*pairs.is_row));
	for (uint32_t i = 0; i < profile->npairs; i++) {
		const struct profile_pair *pair = &profile->pairs[i];
		struct seen_place partner = where_place_of(sums->functions, pair->partner);
		struct where_row row = line_row(where, sums->functions, &partner);

		if (pair->kind >= SHARING_END || !(kinds >> pair->kind & 1))
			continue;
		pairs.places[pairs.count] = where_place_of(sums->functions, pair->place);
		pairs.partners[pairs.count++] = (struct where_partner){ .function = row.function,
									.module = row.module,
									.file = row.file,
									.line = row.line,
									.kind = (enum sharing_kind)pair->kind,
									.transfers = pair->transfers };
	}
	return pairs;
}

static void take_partners(struct where_row *row, const struct line_pairs *pairs, const struct seen_place *place,
			  struct arena *arena)
{
	for (size_t i = 0; i < pairs->count; i++)
		pairs->is_row[i] = compare_places(&pairs->places[i], place) == 0;
	partners_fill(row, pairs->partners, pairs->is_row, pairs->count, arena);
}

static void fill_lines(struct where *where, const struct where_sums *sums)
{
	struct seen_place *seen = see_places(where, sums);
	const struct line_pairs pairs = find_pairs(where, sums);
	struct where_rows *rows = &where->lines;
	size_t last = 0;

	rows->items = arena_array(sums->arena, (size_t)where->profile->nplaces + 1, sizeof(*rows->items));
	for (size_t i = 0; i < where->profile->nplaces; i++) {
		bool is_end = i + 1 == where->profile->nplaces || compare_places(&seen[i], &seen[i + 1]) != 0;

		if (i > last) {
			amount_add(&seen[last].amount, seen[i].amount);
			amount_add(&seen[last].base, seen[i].base);
		}
		if (!is_end)
			continue;
		if (seen[last].amount.weight > 0) {
			rows->items[rows->count] = line_row(where, sums->functions, &seen[last]);
			take_partners(&rows->items[rows->count++], &pairs, &seen[last], sums->arena);
		}
		last = i + 1;
	}
	where_sort(rows);
}

/* ---- threads, processes, modules, intervals ---- */

struct seen_part {
	const char *name;
	uint32_t number; /* of the thread or process; of a module 0 */
	struct amount amount, base;
};

static int compare_parts(const void *first, const void *second)
{
	const struct seen_part *a = first, *b = second;
	int order = (a->number > b->number) - (a->number < b->number);

	return order ? order : compare_texts(a->name, b->name);
}

static struct seen_part where_part_of(const struct where *where, uint32_t row)
{
	const struct profile *profile = where->profile;
	const struct profile_task *task = task_of(profile, &profile->rows[row]);
	struct seen_part part = { .amount = row_amount(where->weighing, profile, row) };

	if (where->base)
		part.base = row_amount(where->base, profile, row);
	switch (where->by) {
	case BY_MODULE: part.name = profile->modules[module_of(profile, &profile->rows[row])].path; break;
	case BY_THREAD: part.name = task->name, part.number = task->tid; break;
	case BY_PROCESS: part.name = task->program, part.number = task->pid; break;
	case BY_INTERVAL:
	case BY_NOTHING: break;
	}
	return part;
}

/* "worker (4711)"; of a module its path. */
static struct where_row part_row(const struct where *where, const struct seen_part *part, struct arena *arena)
{
	struct where_row row = { .self = share_of_amount(where->weighing, part->amount),
				 .total = unknown_share(),
				 .from_s = NOT_COUNTED,
				 .to_s = NOT_COUNTED,
				 .base = where->base ? share_of_amount(where->base, part->base) : unknown_share() };
	const char *name = part->name ? part->name : "[unknown]";

	if (where->by == BY_MODULE)
		row.module = name;
	else
		row.function = arena_printf(arena, "%s (%u)", name, part->number);
	return row;
}

static void fill_parts(struct where *where, const struct where_sums *sums)
{
	size_t count = 0, last = 0;
	struct seen_part *seen = arena_array(sums->arena, (size_t)where->profile->nrows + 1, sizeof(*seen));
	struct where_rows *rows = &where->parts;

	for (uint32_t i = 0; i < where->profile->nrows; i++)
		if (sums->is_kept[i])
			seen[count++] = where_part_of(where, i);
	if (count)
		qsort(seen, count, sizeof(*seen), compare_parts);
	rows->items = arena_array(sums->arena, count + 1, sizeof(*rows->items));
	for (size_t i = 0; i < count; i++) {
		if (i > last) {
			amount_add(&seen[last].amount, seen[i].amount);
			amount_add(&seen[last].base, seen[i].base);
		}
		if (i + 1 < count && compare_parts(&seen[i], &seen[i + 1]) == 0)
			continue;
		if (seen[last].amount.weight > 0 || seen[last].base.weight > 0)
			rows->items[rows->count++] = part_row(where, &seen[last], sums->arena);
		last = i + 1;
	}
	where_sort(rows);
}

int where_fill(struct where *where, const struct profile *profile, const struct where_request *request,
	       struct arena *arena, struct error *err)
{
	struct functions functions = functions_of(profile, arena);
	struct where_sums sums = { .functions = &functions, .weighing = request->weighing, .arena = arena };
	bool *subject = arena_array(arena, functions.count + 1, sizeof(*subject));

	functions.weights = request->weighing->weights;
	*where = (struct where){ .weighing = request->weighing,
				 .base = request->base,
				 .profile = profile,
				 .by = request->filter->by,
				 .limit = request->filter->limit };
	if (request->weighing->event != PROFILE_NONE)
		where->event = &profile->events[request->weighing->event];
	sums.is_kept = filter_rows(request, profile, arena, err);
	if (!sums.is_kept)
		return -1;
	if (request->callers && functions_match(subject, &functions, request->callers, arena, err) < 0)
		return -1;
	sums.stacks = stack_amounts(&sums);
	sums.places = own_places(&sums);
	fill_functions(where, &sums);
	fill_lines(where, &sums);
	if (request->filter->by == BY_INTERVAL)
		where_fill_intervals(where, &sums);
	else if (request->filter->by != BY_NOTHING)
		fill_parts(where, &sums);
	if (request->callers)
		where_fill_calls(&where->calls, &sums, subject);
	where_fill_left(where, &sums);
	return 0;
}
