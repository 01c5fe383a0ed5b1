/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/code/profile_loops.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/sorted.h"
#include "common/base/text.h"
#include "program/code/disassembly.h"

#define NOTEWORTHY 0.05		       /* of the weight */
#define MOST_BYTES ((uint64_t)1 << 20) /* of a function: larger ones are left out, as machine-made code may be */

/* A function of the profile, by where it begins. */
struct looped_function {
	uint32_t module;
	uint64_t begin, size;
	double weight;
	struct disassembly code;
	struct code_loops loops;
};

struct loop_search {
	struct profile *profile;
	const struct loop_request *request;
	struct looped_function *functions; /* the most weight first */
	size_t count;
	struct profile lines; /* of all instructions in loops, with their names */
	double whole;	      /* weight */
	const char *reason;   /* why a function has no loops */
	struct arena *arena;
};

/* ---- which functions ---- */

static const struct profile_frame *outermost(const struct profile_place *place)
{
	return place->nframes ? &place->frames[place->nframes - 1] : NULL;
}

static int compare_begins(const void *first, const void *second)
{
	const struct looped_function *a = first, *b = second;
	int order = (a->module > b->module) - (a->module < b->module);

	return order ? order : (a->begin > b->begin) - (a->begin < b->begin);
}

static int compare_weights(const void *first, const void *second)
{
	const struct looped_function *a = first, *b = second;
	int order = (a->weight < b->weight) - (a->weight > b->weight);

	return order ? order : compare_begins(first, second);
}

/* What is next to nothing is not worth a note. */
static void keep_reason(struct loop_search *search, double weight, const char *reason)
{
	if (!search->reason && weight > NOTEWORTHY * search->whole)
		search->reason = reason;
}

/* One for each place at first, then those of the same function together. */
static void find_functions(struct loop_search *search)
{
	const struct profile *profile = search->profile;
	double nowhere = 0;
	size_t count = 0;

	search->functions = arena_array(search->arena, profile->nplaces + 1u, sizeof(*search->functions));
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		const struct profile_frame *frame = outermost(&profile->places[i]);

		search->whole += search->request->weights[i];
		nowhere += frame && frame->begin ? 0 : search->request->weights[i];
		if (frame && frame->begin && search->request->weights[i] > 0)
			search->functions[count++] = (struct looped_function){ .module = profile->places[i].module,
									       .begin = frame->begin,
									       .size = frame->size,
									       .weight = search->request->weights[i] };
	}
	keep_reason(search, nowhere,
		    arena_printf(search->arena, "the code with %.0f %% of the cycles is not a function of a file",
				 100 * nowhere / search->whole));
	if (count)
		qsort(search->functions, count, sizeof(*search->functions), compare_begins);
	for (size_t i = 0; i < count; i++) {
		struct looped_function *last = search->count ? &search->functions[search->count - 1] : NULL;

		if (last && compare_begins(last, &search->functions[i]) == 0)
			last->weight += search->functions[i].weight;
		else
			search->functions[search->count++] = search->functions[i];
	}
	if (search->count)
		qsort(search->functions, search->count, sizeof(*search->functions), compare_weights);
	search->count = search->count < search->request->most ? search->count : search->request->most;
}

/* ---- their instructions ---- */

static void read_code(struct loop_search *search, struct looped_function *function)
{
	const struct profile_module *module = &search->profile->modules[function->module];
	const struct disassembly_range range = { function->begin, function->begin + function->size, 0 };
	const struct disassembly_request request = {
		.sysroot = search->request->symbols->sysroot, .module = function->module, .ranges = &range, .nranges = 1
	};
	struct error err = { .text = "" };

	if (module->kind != MODULE_FILE)
		keep_reason(search, function->weight,
			    arena_printf(search->arena, "%s is not a file with instructions", module->path));
	else if (!function->size || function->size > MOST_BYTES)
		keep_reason(search, function->weight,
			    arena_printf(search->arena, "the size of a function at 0x%llx of %s is %s",
					 (unsigned long long)function->begin, module->path,
					 function->size ? "above 1 MiB" : "not known"));
	else if (disassembly_read(&function->code, search->profile, &request, search->arena, &err) < 0)
		keep_reason(search, function->weight, arena_strdup(search->arena, err.text));
	code_loops_find(&function->loops, function->code.instructions, function->code.count, search->arena);
}

/* ---- their lines ---- */

static void find_lines(struct loop_search *search)
{
	struct error ignored = { .text = "" };
	bool has_any = false;

	profile_init(&search->lines, search->arena);
	for (size_t i = 0; i < search->count; i++) {
		const struct looped_function *function = &search->functions[i];
		uint32_t module = profile_module(&search->lines, &search->profile->modules[function->module]);

		for (size_t k = 0; k < function->code.count; k++)
			if (function->loops.of[k] != NO_LOOP) {
				(void)profile_place(&search->lines, module, function->code.instructions[k].address);
				has_any = true;
			}
	}
	if (has_any && symbols_resolve(&search->lines, search->request->symbols, &ignored) < 0)
		keep_reason(search, search->whole, arena_strdup(search->arena, ignored.text));
}

/* What is known of an instruction: its frames, those that are inlined first; none: nothing. */
static const struct profile_place *place_at(struct loop_search *search, const struct looped_function *function,
					    size_t at)
{
	uint32_t module = profile_module(&search->lines, &search->profile->modules[function->module]);

	return &search->lines.places[profile_place(&search->lines, module, function->code.instructions[at].address)];
}

/* A frame by its number from the outside: 0 is the function itself. */
static const struct profile_frame *frame_at(const struct profile_place *place, size_t depth)
{
	return &place->frames[place->nframes - 1 - depth];
}

/* So many frames, from the outside, are the same of both: the same functions, called from the same lines. */
static size_t common_frames(const struct profile_place *a, const struct profile_place *b)
{
	size_t most = a->nframes < b->nframes ? a->nframes : b->nframes, depth = most ? 1 : 0;

	for (; depth < most; depth++) {
		const char *one = frame_at(a, depth)->function, *other = frame_at(b, depth)->function;

		if (!one || !other || strcmp(one, other) != 0 ||
		    frame_at(a, depth - 1)->line != frame_at(b, depth - 1)->line)
			break;
	}
	return depth;
}

#define MOST_INLINED 32	 /* functions in each other that are distinguished */
#define MOSTLY	     0.9 /* of a loop's instructions: compilers move others there */

/* The lines of a loop; that of the jump back is where its statement says how often, mostly in its head. */
struct loop_lines {
	const struct profile_place *place;  /* of the jump back */
	size_t depth;			    /* of the frame whose loop it is; 0: the function's own */
	uint32_t shared[MOST_INLINED], all; /* instructions that have so many frames of the jump back, and one more */
	const char *inlined, *file;
	uint32_t first, last, latch; /* 0: unknown */
};

/* Calls a function for each instruction whose frames are known, and each loop around it. */
static void for_each_inside(struct loop_search *search, const struct looped_function *function,
			    struct loop_lines *lines,
			    void (*take)(struct loop_lines *lines, const struct profile_place *place))
{
	const struct code_loops *loops = &function->loops;

	for (size_t k = 0; k < function->code.count; k++) {
		const struct profile_place *place = loops->of[k] == NO_LOOP ? NULL : place_at(search, function, k);

		for (uint32_t i = loops->of[k]; place && place->nframes && i != NO_LOOP; i = loops->items[i].parent)
			take(&lines[i], place);
	}
}

static void count_shared(struct loop_lines *lines, const struct profile_place *place)
{
	size_t common = common_frames(lines->place, place);

	lines->all++;
	for (size_t depth = 0; depth < common && depth < MOST_INLINED; depth++)
		lines->shared[depth]++;
}

/* The innermost function that nearly all of the loop is in: it may be inlined, and so may be what the loop calls. */
static void choose_function(struct loop_lines *lines)
{
	const struct profile_frame *latch;

	while (lines->depth + 1 < MOST_INLINED && lines->shared[lines->depth + 1] > MOSTLY * lines->all)
		lines->depth++;
	latch = lines->depth < lines->place->nframes ? frame_at(lines->place, lines->depth) : NULL;
	if (!latch || !latch->file || !latch->line)
		return;
	lines->inlined = lines->depth ? latch->function : NULL;
	lines->file = latch->file;
	lines->first = lines->last = lines->latch = latch->line;
}

static void profile_loops_widen(struct loop_lines *lines, const struct profile_place *place)
{
	const struct profile_frame *frame;

	if (!lines->latch || common_frames(lines->place, place) <= lines->depth)
		return;
	frame = frame_at(place, lines->depth);
	if (!frame->file || !frame->line || strcmp(lines->file, frame->file) != 0)
		return;
	lines->first = frame->line < lines->first ? frame->line : lines->first;
	lines->last = frame->line > lines->last ? frame->line : lines->last;
}

/* Each with the lines of the loops in it. */
static struct loop_lines *profile_loops_lines_of(struct loop_search *search, const struct looped_function *function)
{
	const struct code_loops *loops = &function->loops;
	struct loop_lines *lines = arena_array(search->arena, loops->count + 1u, sizeof(*lines));

	for (uint32_t i = 0; i < loops->count; i++)
		lines[i].place = place_at(search, function, loops->items[i].latch);
	for_each_inside(search, function, lines, count_shared);
	for (uint32_t i = 0; i < loops->count; i++)
		choose_function(&lines[i]);
	for_each_inside(search, function, lines, profile_loops_widen);
	return lines;
}

/* ---- one loop of the source ---- */

static uint32_t profile_loops_parent_of(const struct code_loops *loops, const uint32_t *first, uint32_t loop)
{
	return loops->items[loop].parent == NO_LOOP ? NO_LOOP : first[loops->items[loop].parent];
}

/* Do they stand in one function, and is their jump back of one line? */
static bool is_same_source(const struct loop_lines *a, const struct loop_lines *b)
{
	return a->latch && a->latch == b->latch && !strcmp(a->file, b->file) && !a->inlined == !b->inlined &&
	       (!a->inlined || !strcmp(a->inlined, b->inlined));
}

/* The first loop of the code that is the same one of the source, or itself. Those before it and around it are known. */
static uint32_t same_before(const struct code_loops *loops, const struct loop_lines *lines, const uint32_t *first,
			    uint32_t loop)
{
	for (uint32_t i = 0; i < loop; i++)
		if (first[i] == i && is_same_source(&lines[i], &lines[loop]) &&
		    profile_loops_parent_of(loops, first, i) == profile_loops_parent_of(loops, first, loop))
			return i;
	return loop;
}

/* Of each loop, the first one that is the same of the source. */
static uint32_t *profile_loops_join(struct loop_lines *lines, const struct code_loops *loops, struct arena *arena)
{
	uint32_t *first = arena_array(arena, loops->count + 1u, sizeof(*first));

	for (uint32_t i = 0; i < loops->count; i++)
		first[i] = i;
	for (uint32_t i = 0; i < loops->count; i++) {
		uint32_t one = first[i] = same_before(loops, lines, first, i);

		lines[one].first = lines[i].first < lines[one].first ? lines[i].first : lines[one].first;
		lines[one].last = lines[i].last > lines[one].last ? lines[i].last : lines[one].last;
	}
	return first;
}

/*
 * Compilers move instructions with their lines into loops, from before them. So a loop whose jump back is not of its
 * last line begins with that of the jump.
 */
static struct profile_loop profile_loops_describe(const struct looped_function *function, uint32_t loop,
						  const struct loop_lines *lines)
{
	bool is_for = lines->last > lines->latch;

	return (struct profile_loop){ .offset = function->loops.items[loop].header - function->begin,
				      .inlined = lines->inlined,
				      .file = lines->file,
				      .line = is_for ? lines->latch : lines->first,
				      .last_line = lines->last };
}

static uint32_t add_loop(struct profile *profile, struct profile_loop loop, size_t *room)
{
	profile->loops = arena_grow(profile->arena, profile->loops, profile->nloops, room, sizeof(loop));
	loop.inlined = loop.inlined ? arena_strdup(profile->arena, loop.inlined) : NULL;
	loop.file = loop.file ? arena_strdup(profile->arena, loop.file) : NULL;
	profile->loops[profile->nloops] = loop;
	return ++profile->nloops;
}

/* The loop of the instruction that has the address; NO_LOOP: it is in none. */
static uint32_t loop_at(const struct looped_function *function, uint64_t address)
{
	const struct instruction *instructions = function->code.instructions;
	size_t at = sorted_up_to(SORTED_BY(struct instruction, address, instructions, function->code.count), address);

	return at ? function->loops.of[at - 1] : NO_LOOP;
}

static void give_loops(struct loop_search *search, struct looped_function *function, size_t *room)
{
	struct profile *profile = search->profile;
	struct loop_lines *lines = profile_loops_lines_of(search, function);
	const uint32_t *first = profile_loops_join(lines, &function->loops, search->arena);
	uint32_t *numbers = arena_array(search->arena, function->loops.count + 1u, sizeof(*numbers));

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		struct profile_place *place = &profile->places[i];
		const struct profile_frame *frame = outermost(place);
		uint32_t loop;

		if (!frame || place->module != function->module || frame->begin != function->begin)
			continue;
		loop = loop_at(function, place->address);
		if (loop == NO_LOOP)
			continue;
		if (!numbers[first[loop]])
			numbers[first[loop]] = add_loop(
				profile, profile_loops_describe(function, first[loop], &lines[first[loop]]), room);
		place->loop = numbers[first[loop]];
	}
}

void profile_loops_find(struct profile *profile, const struct loop_request *request)
{
	struct loop_search search = { .profile = profile, .request = request };
	struct arena arena;
	size_t room = 0;

	arena_init(&arena);
	search.arena = &arena;
	find_functions(&search);
	for (size_t i = 0; i < search.count; i++)
		read_code(&search, &search.functions[i]);
	find_lines(&search);
	for (size_t i = 0; i < search.count; i++)
		give_loops(&search, &search.functions[i], &room);
	profile->no_loops = search.reason ? arena_strdup(profile->arena, search.reason) : NULL;
	arena_release(&arena);
}
