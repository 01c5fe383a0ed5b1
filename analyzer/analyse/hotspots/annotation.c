/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/annotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/sorted.h"
#include "common/base/text.h"

#define MOST_REMARKS 8
#define WHOLE_BYTES  8192 /* of code that is shown whole; more is cut around its hot places */
#define HOT_PLACES   20	  /* of a cut function */
#define AROUND_BYTES 128  /* before and behind each */
#define AROUND_LINES 4
#define WHOLE_LINES  80
#define BEYOND_BYTES 16 /* the longest instruction of x86, where a function's end is unknown */

void annotation_remark(struct annotation *annotation, const char *sentence)
{
	if (annotation->nremarks < MOST_REMARKS)
		annotation->remarks[annotation->nremarks++] = sentence;
}

/* ---- what is in the function ---- */

/* A place in the function, with what was seen there. */
struct place_amount {
	uint32_t place;
	const struct profile_frame *frame; /* of the function */
	bool is_outermost;		   /* it is the function's own code, not a copy that is inlined elsewhere */
	struct amount amount;
};

struct sight {
	struct place_amount *places;
	size_t count;
};

static void annotation_add(struct amount *sum, struct amount more)
{
	sum->weight += more.weight;
	sum->samples += more.samples;
}

/* The outermost of the function's frames at a place; NULL: it is not there. */
static const struct profile_frame *frame_of(const struct functions *functions, uint32_t number, const bool *found,
					    bool *is_outermost)
{
	const struct profile_place *place = &functions->profile->places[number];

	for (size_t i = place->nframes; i-- > 0;)
		if (found[functions->of[functions->first[number] + i]]) {
			*is_outermost = i + 1 == place->nframes;
			return &place->frames[i];
		}
	return NULL;
}

static struct sight annotation_see(const struct functions *functions, const struct weighing *weighing,
				   const bool *found, struct arena *arena)
{
	const struct profile *profile = functions->profile;
	struct amount *amounts = arena_array(arena, (size_t)profile->nplaces + 1, sizeof(*amounts));
	struct sight sight = { .places = arena_array(arena, (size_t)profile->nplaces + 1, sizeof(*sight.places)) };

	for (uint32_t i = 0; i < profile->nrows; i++)
		if (weighing->weights[i] > 0)
			annotation_add(&amounts[profile->stacks[profile->rows[i].stack].place],
				       (struct amount){ weighing->weights[i],
							weighing->is_exact ? 0 : profile->rows[i].samples });
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		struct place_amount place = { .place = i, .amount = amounts[i] };

		place.frame = amounts[i].weight > 0 ? frame_of(functions, i, found, &place.is_outermost) : NULL;
		if (place.frame)
			sight.places[sight.count++] = place;
	}
	return sight;
}

static int compare_hot(const void *first, const void *second)
{
	const struct place_amount *a = first, *b = second;
	int order = (a->amount.weight < b->amount.weight) - (a->amount.weight > b->amount.weight);

	return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* Several functions may have the name: its code is that with the most. */
static void choose_code(struct annotation *a, const struct sight *sight, struct arena *arena)
{
	double most = -1, elsewhere = 0;

	for (size_t i = 0; i < sight->count; i++) {
		const struct place_amount *place = &sight->places[i];

		if (!place->is_outermost || !(place->amount.weight > most) || !place->frame->begin)
			continue;
		most = place->amount.weight;
		a->module_number = a->profile->places[place->place].module;
		a->begin = place->frame->begin;
		a->end = place->frame->size ? place->frame->begin + place->frame->size : 0;
	}
	for (size_t i = 0; i < sight->count; i++) {
		const struct place_amount *place = &sight->places[i];
		const struct profile_place *p = &a->profile->places[place->place];

		if (place->is_outermost && p->module == a->module_number && place->frame->begin == a->begin) {
			if (!place->frame->size && p->address + BEYOND_BYTES > a->end)
				a->end = p->address + BEYOND_BYTES;
		} else {
			elsewhere += place->amount.weight;
		}
	}
	if (most > 0 && elsewhere > 0)
		annotation_remark(a, arena_printf(arena,
						  "%.1f %% of it is where the function is inlined elsewhere, or has "
						  "another copy: that has lines here, but no instructions.",
						  100 * elsewhere / a->amount.weight));
	a->end = most > 0 ? a->end : 0;
}

/* The function around the hottest place, where none of the places is code of the function's own. */
static void find_host(struct annotation *a, const struct sight *sight)
{
	const struct profile_place *hottest = &a->profile->places[sight->places[0].place];

	for (size_t i = 0; i < sight->count; i++)
		if (sight->places[i].is_outermost)
			return;
	a->into = hottest->frames[hottest->nframes - 1].function;
}

static bool is_in_code(const struct annotation *a, uint32_t place)
{
	const struct profile_place *p = &a->profile->places[place];

	return p->module == a->module_number && p->address >= a->begin && p->address < a->end;
}

/* ---- what is disassembled ---- */

static int compare_ranges(const void *first, const void *second)
{
	const struct annotated_range *a = first, *b = second;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

static void add_range(struct annotation *a, uint64_t address)
{
	struct annotated_range range = { .begin = a->begin, .end = a->end, .known = address };

	if (address - a->begin > AROUND_BYTES)
		range.begin = address - AROUND_BYTES;
	if (a->end - address > AROUND_BYTES)
		range.end = address + AROUND_BYTES;
	range.known = range.begin == a->begin ? 0 : address;
	a->ranges[a->nranges++] = range;
}

/* Those that touch become one. */
static void join_ranges(struct annotation *a)
{
	size_t count = 0;

	qsort(a->ranges, a->nranges, sizeof(*a->ranges), compare_ranges);
	for (size_t i = 0; i < a->nranges; i++) {
		struct annotated_range *last = count ? &a->ranges[count - 1] : NULL;

		if (!last || a->ranges[i].begin > last->end)
			a->ranges[count++] = a->ranges[i];
		else if (a->ranges[i].end > last->end)
			last->end = a->ranges[i].end;
	}
	a->nranges = count;
}

/* sight: the hottest first. */
static void choose_ranges(struct annotation *a, const struct sight *sight, struct arena *arena)
{
	a->ranges = arena_array(arena, HOT_PLACES + 1, sizeof(*a->ranges));
	if (a->end - a->begin <= WHOLE_BYTES) {
		a->ranges[a->nranges++] = (struct annotated_range){ a->begin, a->end, 0 };
		return;
	}
	a->is_cut = true;
	for (size_t i = 0; i < sight->count && a->nranges < HOT_PLACES; i++)
		if (is_in_code(a, sight->places[i].place))
			add_range(a, a->profile->places[sight->places[i].place].address);
	join_ranges(a);
}

/* ---- source lines ---- */

static int compare_lines(const void *first, const void *second)
{
	const struct annotated_line *a = first, *b = second;

	return (a->line > b->line) - (a->line < b->line);
}

/* The file that most of the function's lines are in; what is in others is left out of the lines. */
static void choose_lines(struct annotation *a, const struct sight *sight, struct arena *arena)
{
	size_t count = 0;

	for (size_t i = 0; i < sight->count && !a->file; i++)
		a->file = sight->places[i].frame->line ? sight->places[i].frame->file : NULL;
	a->lines = arena_array(arena, sight->count + 1, sizeof(*a->lines));
	for (size_t i = 0; i < sight->count && a->file; i++) {
		const struct profile_frame *frame = sight->places[i].frame;

		if (frame->line && compare_texts(frame->file, a->file) == 0)
			a->lines[count++] =
				(struct annotated_line){ .line = frame->line, .amount = sight->places[i].amount };
	}
	if (count)
		qsort(a->lines, count, sizeof(*a->lines), compare_lines);
	for (size_t i = 0; i < count; i++) {
		if (a->nlines && a->lines[a->nlines - 1].line == a->lines[i].line)
			annotation_add(&a->lines[a->nlines - 1].amount, a->lines[i].amount);
		else
			a->lines[a->nlines++] = a->lines[i];
	}
}

static void name_function(struct annotation *a, const struct functions *functions, const struct sight *sight)
{
	const struct profile_place *hottest = &a->profile->places[sight->places[0].place];

	a->function = sight->places[0].frame->function;
	a->module_number = hottest->module;
	a->module = functions->profile->modules[hottest->module].path;
}

static int fail_empty(const struct where_request *request, struct error *err)
{
	return error_set(err, "nothing of %s was recorded in the code of '%s'; {callers} %s shows what it calls",
			 request->weighing->title, request->callers, request->callers);
}

int annotation_begin(struct annotation *annotation, const struct profile *profile, const struct where_request *request,
		     struct arena *arena, struct error *err)
{
	struct functions functions = functions_of(profile, arena);
	bool *found = arena_array(arena, functions.count + 1, sizeof(*found));
	struct sight sight;

	*annotation = (struct annotation){ .weighing = request->weighing, .profile = profile };
	functions.weights = request->weighing->weights;
	annotation->remarks = arena_array(arena, MOST_REMARKS, sizeof(*annotation->remarks));
	if (functions_match(found, &functions, request->callers, arena, err) < 0)
		return -1;
	sight = annotation_see(&functions, request->weighing, found, arena);
	if (!sight.count)
		return fail_empty(request, err);
	qsort(sight.places, sight.count, sizeof(*sight.places), compare_hot);
	for (size_t i = 0; i < sight.count; i++)
		annotation_add(&annotation->amount, sight.places[i].amount);
	annotation->self = share_of_amount(request->weighing, annotation->amount);
	name_function(annotation, &functions, &sight);
	choose_lines(annotation, &sight, arena);
	choose_code(annotation, &sight, arena);
	find_host(annotation, &sight);
	if (annotation->end)
		choose_ranges(annotation, &sight, arena);
	return 0;
}

/* ---- what is shown ---- */

/* As if the function's part were all. */
static struct share part_share(const struct annotation *a, struct amount amount)
{
	struct weighing part = *a->weighing;

	part.whole = part.total = a->amount.weight;
	part.samples = a->amount.samples;
	return share_of_amount(&part, amount);
}

/* Lines between the hot ones too, as far as they are near. */
static void spread_lines(struct annotation *a, const char *const *source, size_t count, struct arena *arena)
{
	uint32_t first = a->lines[0].line, last = a->lines[a->nlines - 1].line, from, to = 0;
	bool is_whole = last - first <= WHOLE_LINES;
	struct annotated_line *lines =
		arena_array(arena, a->nlines * (2 * AROUND_LINES + 1) + WHOLE_LINES + 1, sizeof(*lines));
	size_t n = 0;

	for (size_t i = 0; i < a->nlines; i++) {
		uint32_t own = a->lines[i].line, next = i + 1 < a->nlines ? a->lines[i + 1].line : 0;
		uint32_t until = own + AROUND_LINES;

		from = own > AROUND_LINES ? own - AROUND_LINES : 1;
		if (is_whole && i)
			from = to + 1;
		from = from > to ? from : to + 1;
		until = next && until >= next ? next - 1 : until;
		for (uint32_t k = from; k <= until && k <= count; k++) {
			struct annotated_line line = { .line = k, .text = source[k - 1] };

			if (k == own)
				line.amount = a->lines[i].amount;
			line.is_behind_a_gap = n && k == from && from > to + 1;
			lines[n++] = line;
			to = k;
		}
	}
	a->lines = lines;
	a->nlines = n;
}

static void end_lines(struct annotation *a, const char *const *source, size_t count, struct arena *arena)
{
	if (a->nlines && count >= a->lines[a->nlines - 1].line)
		spread_lines(a, source, count, arena);
	else if (a->nlines && count)
		annotation_remark(
			a, arena_printf(arena, "%s has only %zu lines: it is not what was compiled.", a->file, count));
	for (size_t i = 0; i < a->nlines; i++)
		a->lines[i].share = part_share(a, a->lines[i].amount);
}

/* The instruction at the address, or the last before it; NULL: none is near. */
static struct annotated_instruction *find_instruction(const struct annotation *a, uint64_t address)
{
	size_t begun = sorted_up_to(SORTED_BY(struct annotated_instruction, address, a->instructions, a->ninstructions),
				    address);

	if (!begun || address - a->instructions[begun - 1].address >= BEYOND_BYTES)
		return NULL;
	return &a->instructions[begun - 1];
}

static void annotation_take_row(struct annotation *a, const struct profile_row *row, double weight)
{
	uint32_t number = a->profile->stacks[row->stack].place;
	const struct profile_place *place = &a->profile->places[number];
	struct annotated_instruction *instruction = is_in_code(a, number) ? find_instruction(a, place->address) : NULL;

	if (!instruction)
		return;
	annotation_add(&instruction->amount, (struct amount){ weight, a->weighing->is_exact ? 0 : row->samples });
	if (place->nframes && place->frames[0].line) {
		instruction->file = place->frames[0].file;
		instruction->line = place->frames[0].line;
	}
}

static bool is_start(const struct annotation *a, uint64_t address)
{
	for (size_t i = 1; i < a->nranges; i++)
		if (address >= a->ranges[i].begin && address < a->ranges[i].end)
			return true;
	return false;
}

/* Which of the ranges the address is in. */
static size_t annotation_range_of(const struct annotation *a, uint64_t address)
{
	size_t i = 0;

	while (i + 1 < a->nranges && address >= a->ranges[i + 1].begin)
		i++;
	return i;
}

static void end_instructions(struct annotation *a)
{
	for (uint32_t i = 0; i < a->profile->nrows; i++)
		if (a->weighing->weights[i] > 0)
			annotation_take_row(a, &a->profile->rows[i], a->weighing->weights[i]);
	for (size_t i = 0; i < a->ninstructions; i++) {
		struct annotated_instruction *own = &a->instructions[i], *target = NULL;

		own->share = part_share(a, own->amount);
		own->is_behind_a_gap =
			i && is_start(a, own->address) &&
			annotation_range_of(a, own->address) != annotation_range_of(a, a->instructions[i - 1].address);
		if (own->jump_target >= a->begin && own->jump_target < a->end)
			target = find_instruction(a, own->jump_target);
		else
			own->jump_target = 0;
		if (target && target->address == own->jump_target)
			target->is_target = true;
	}
}

void annotation_end(struct annotation *annotation, const char *const *source, size_t count, struct arena *arena)
{
	end_lines(annotation, source, count, arena);
	end_instructions(annotation);
	if (annotation->is_cut && annotation->ninstructions)
		annotation_remark(annotation, arena_printf(arena,
							   "The function has %llu bytes: only what is around its hot "
							   "places is shown.",
							   (unsigned long long)(annotation->end - annotation->begin)));
}

/* ---- skid ---- */

static bool is_timer(const char *event)
{
	return has_name_prefix(event, "cpu-clock") || has_name_prefix(event, "task-clock");
}

/*
 * Intel: linux arch/x86/events/intel/ds.c: PEBS records have the "eventing" address since Haswell; for earlier ones
 * intel_pmu_pebs_fixup_ip finds it through LBR. AMD: arch/x86/events/amd/ibs.c. Arm has no precise sampling but SPE.
 */
const char *skid_sentence(const struct profile_event *event, const char *cpuid)
{
	bool is_intel = cpuid && has_name_prefix(cpuid, "GenuineIntel");
	bool is_amd = cpuid && (has_name_prefix(cpuid, "AuthenticAMD") || has_name_prefix(cpuid, "HygonGenuine"));

	if (is_timer(event->event))
		return "Time is sampled by a timer interrupt: an address is where the program was stopped, often one "
		       "or more instructions after the slow one.";
	if (is_intel && event->precise >= 2)
		return "PEBS reports the instruction that caused the event: directly since Haswell, before that the "
		       "kernel finds it from branch records.";
	if (is_intel && event->precise == 1)
		return "PEBS with precise_ip 1 reports where the program went on: the instruction after the one that "
		       "caused the event.";
	if (is_amd && event->precise)
		return "IBS tags single operations: an address is that of the instruction itself.";
	return "The event is sampled by an interrupt: an address is some instructions after the one that caused it.";
}
