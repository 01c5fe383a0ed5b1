/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbols.h"

#ifdef TOPDOWN_DW
#include "program/symbols/elf_symbols.h"

#include <dwarf.h>
#include <string.h>

#include "program/symbols/intervals.h"

#define MOST_DEPTH 256 /* of DIEs in DIEs */

/* A call that was inlined into a function. */
struct inlined {
	Dwarf_Die die;
	uint32_t outer; /* that it is in; INTERVAL_NONE: the function itself */
	uint32_t text;	/* name */
};

struct debug_function {
	Dwarf_Die die;
	uint32_t text;
	bool is_named, is_read;
	struct inlined *inlined;
	size_t ninlined, room;
	struct intervals ranges; /* of inlined calls */
};

struct debug_unit {
	Dwarf_Die lines_die, die; /* the second one is in another file where DWARF is split */
	bool is_read, is_deep;
	Dwarf_Lines *lines;
	size_t nlines;
	Dwarf_Files *files;
	size_t nfiles;
	struct debug_function *functions;
	size_t nfunctions, room;
	struct intervals ranges; /* of functions */
};

struct debug_info {
	struct arena *arena;
	struct answer *answer;
	Dwarf_Addr bias;
	uint64_t text_begin;
	struct debug_unit *units;
	size_t nunits, room;
	struct intervals ranges; /* of units */
};

/*
 * Functions that the linker left out have their ranges at 0, before all code: then they would seem to be where others
 * are.
 */
static void add_ranges(const struct debug_info *info, struct intervals *ranges, Dwarf_Die *die, size_t number)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0)
		if (begin + info->bias >= info->text_begin)
			intervals_add(ranges, begin, end, (uint32_t)number);
}

/* ---- units ---- */

static void add_unit(struct debug_info *info, Dwarf_Die *die, Dwarf_Die *split)
{
	info->units = arena_grow(info->arena, info->units, info->nunits, &info->room, sizeof(*info->units));
	info->units[info->nunits] = (struct debug_unit){ .lines_die = *die,
							 .die = split->cu ? *split : *die,
							 .ranges = INTERVALS_INIT(info->arena) };
	add_ranges(info, &info->ranges, die, info->nunits);
	info->nunits++;
}

struct debug_info *debug_info_new(Dwarf *dwarf, Dwarf_Addr bias, uint64_t text_begin, struct arena *arena)
{
	struct debug_info *info = arena_alloc(arena, sizeof(*info));
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die, split;

	*info = (struct debug_info){
		.arena = arena, .bias = bias, .text_begin = text_begin, .ranges = INTERVALS_INIT(arena)
	};
	memset(&split, 0, sizeof(split));
	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(info, &die, &split);
		memset(&split, 0, sizeof(split));
	}
	intervals_sort(&info->ranges);
	return info;
}

/* ---- a unit's functions ---- */

static void debug_info_add_function(const struct debug_info *info, struct debug_unit *unit, Dwarf_Die *die)
{
	size_t before = unit->ranges.count;

	add_ranges(info, &unit->ranges, die, unit->nfunctions);
	if (unit->ranges.count == before)
		return;
	unit->functions =
		arena_grow(info->arena, unit->functions, unit->nfunctions, &unit->room, sizeof(*unit->functions));
	unit->functions[unit->nfunctions++] =
		(struct debug_function){ .die = *die, .ranges = INTERVALS_INIT(info->arena) };
}

static bool has_functions(int tag, bool is_deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block: return is_deep; /* functions in functions: Fortran, Ada, GNU C */
	default: return false;
	}
}

static void find_functions(const struct debug_info *info, struct debug_unit *unit, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > MOST_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			debug_info_add_function(info, unit, &die);
		if (has_functions(tag, unit->is_deep))
			find_functions(info, unit, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void read_functions(const struct debug_info *info, struct debug_unit *unit)
{
	unit->nfunctions = unit->room = 0;
	unit->functions = NULL;
	unit->ranges = INTERVALS_INIT(info->arena);
	find_functions(info, unit, &unit->die, 0);
	intervals_sort(&unit->ranges);
}

static void debug_info_read_unit(const struct debug_info *info, struct debug_unit *unit)
{
	unit->is_read = true;
	if (dwarf_getsrclines(&unit->lines_die, &unit->lines, &unit->nlines) != 0)
		unit->nlines = 0;
	if (dwarf_getsrcfiles(&unit->lines_die, &unit->files, &unit->nfiles) != 0)
		unit->nfiles = 0;
	read_functions(info, unit);
}

/* The function that the address is in, and where it begins and ends there; NULL: in none. */
static const struct interval *function_range(const struct debug_info *info, struct debug_unit *unit, Dwarf_Addr address)
{
	const struct interval *range = intervals_find(&unit->ranges, address);

	if (range || unit->is_deep)
		return range;
	unit->is_deep = true;
	read_functions(info, unit);
	return intervals_find(&unit->ranges, address);
}

/* ---- a function's inlined calls ---- */

/* What is in the part of a function that `outer` is of. */
struct part {
	const struct debug_info *info;
	struct debug_function *function;
	uint32_t outer;
	unsigned depth;
};

static uint32_t add_inlined(const struct part *part, Dwarf_Die *die)
{
	struct debug_function *function = part->function;
	size_t number = function->ninlined++;

	function->inlined =
		arena_grow(part->info->arena, function->inlined, number, &function->room, sizeof(*function->inlined));
	function->inlined[number] = (struct inlined){ .die = *die, .outer = part->outer };
	add_ranges(part->info, &function->ranges, die, number);
	return (uint32_t)number;
}

static void find_inlined(const struct part *part, Dwarf_Die *parent)
{
	struct part inner = { .info = part->info, .function = part->function, .depth = part->depth + 1 };
	Dwarf_Die die;

	if (part->depth > MOST_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		inner.outer = tag == DW_TAG_inlined_subroutine ? add_inlined(part, &die) : part->outer;
		find_inlined(&inner, &die);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void read_function(const struct debug_info *info, struct debug_function *function)
{
	const struct part part = { .info = info, .function = function, .outer = INTERVAL_NONE };

	function->is_read = true;
	find_inlined(&part, &function->die);
	intervals_sort(&function->ranges);
}

/* ---- names, lines ---- */

static const char *linkage_name(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (dwarf_attr_integrate(die, names[i], &attribute))
			return dwarf_formstring(&attribute);
	return NULL;
}

static uint32_t debug_info_name_of(const struct debug_info *info, Dwarf_Die *die)
{
	const char *linkage = linkage_name(die);
	Dwarf_Attribute attribute;

	if (linkage)
		return answer_text(info->answer, symbol_demangle(linkage, info->arena));
	if (!dwarf_attr_integrate(die, DW_AT_name, &attribute))
		return ANSWER_NO_TEXT;
	return answer_text(info->answer, dwarf_formstring(&attribute));
}

/* The last row at or before the address; NULL: none, or the address is behind the end of what was compiled. */
static Dwarf_Line *line_of(const struct debug_unit *unit, Dwarf_Addr address)
{
	size_t low = 0, high = unit->nlines;
	Dwarf_Addr at;
	Dwarf_Line *line;
	bool is_end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(unit->lines, middle), &at) == 0 && at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	line = low ? dwarf_onesrcline(unit->lines, low - 1) : NULL;
	return line && dwarf_lineendsequence(line, &is_end) == 0 && !is_end ? line : NULL;
}

static void set_line(const struct debug_info *info, const struct debug_unit *unit, Dwarf_Addr address,
		     struct answer_frame *frame)
{
	Dwarf_Line *line = line_of(unit, address);
	int number = 0;

	if (!line)
		return;
	frame->file = answer_text(info->answer, dwarf_linesrc(line, NULL, NULL));
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		frame->line = (uint32_t)number;
}

static Dwarf_Word debug_info_number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

/* Where an inlined function was called: the line of the frame around it. */
static void set_call(const struct debug_info *info, const struct debug_unit *unit, Dwarf_Die *inlined,
		     struct answer_frame *frame)
{
	Dwarf_Word file = debug_info_number_of(inlined, DW_AT_call_file),
		   line = debug_info_number_of(inlined, DW_AT_call_line);

	frame->file = ANSWER_NO_TEXT;
	if (file < unit->nfiles)
		frame->file = answer_text(info->answer, dwarf_filesrc(unit->files, (size_t)file, NULL, NULL));
	frame->line = line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* ---- frames ---- */

/* What is asked for. */
struct spot {
	const struct debug_unit *unit;
	Dwarf_Addr address;
	uint32_t place;
};

/*
 * Instructions that compilers make of several lines, or of none, have the line 0; optimised Rust is full of them. Where
 * their function was inlined they are of the line that called it.
 */
static void set_missing_line(const struct debug_info *info, const struct debug_unit *unit, Dwarf_Die *inlined,
			     struct answer_frame *frame)
{
	if (frame->file != ANSWER_NO_TEXT && !frame->line)
		set_call(info, unit, inlined, frame);
}

/* The frames of the inlined calls, innermost first; frame is then the one around them. */
static void add_inlined_frames(const struct debug_info *info, const struct spot *spot, struct debug_function *function,
			       struct answer_frame *frame)
{
	const struct interval *range = intervals_find(&function->ranges, spot->address);
	uint32_t number = range ? range->value : INTERVAL_NONE;

	while (number != INTERVAL_NONE) {
		struct inlined *call = &function->inlined[number];

		if (!call->text)
			call->text = debug_info_name_of(info, &call->die);
		frame->function = call->text;
		set_missing_line(info, spot->unit, &call->die, frame);
		if (!answer_add(info->answer, spot->place, frame))
			return;
		set_call(info, spot->unit, &call->die, frame);
		number = call->outer;
	}
}

static struct debug_unit *unit_of(const struct debug_info *info, Dwarf_Addr address)
{
	const struct interval *range = intervals_find(&info->ranges, address);
	struct debug_unit *unit = range ? &info->units[range->value] : NULL;

	if (unit && !unit->is_read)
		debug_info_read_unit(info, unit);
	return unit;
}

bool debug_info_frames(struct debug_info *info, uint64_t address, uint32_t place, struct debug_function_name outermost,
		       struct answer *answer)
{
	Dwarf_Addr at = address - info->bias;
	struct answer_frame frame = { .function = ANSWER_NO_TEXT };
	const struct interval *range;
	struct debug_function *function;
	struct debug_unit *unit;

	info->answer = answer;
	unit = unit_of(info, at);
	if (!unit)
		return false;
	set_line(info, unit, at, &frame);
	range = function_range(info, unit, at);
	if (range) {
		function = &unit->functions[range->value];
		if (!function->is_read)
			read_function(info, function);
		add_inlined_frames(info, &(struct spot){ unit, at, place }, function, &frame);
		if (!outermost.text && !function->is_named) {
			function->is_named = true;
			function->text = debug_info_name_of(info, &function->die);
		}
		if (!outermost.text)
			outermost = (struct debug_function_name){ function->text, range->begin + info->bias,
								  range->end - range->begin };
	}
	if (!range && !outermost.text && !frame.file)
		return false;
	frame.function = outermost.text;
	frame.begin = outermost.begin;
	frame.size = outermost.size;
	return answer_add(answer, place, &frame);
}

#endif
