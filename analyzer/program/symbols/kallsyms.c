/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "common/base/sorted.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "program/symbols/build_id.h"
#include "program/symbols/lookup.h"

#define MOST_SIZE 0x10000 /* of a function; behind the last one of a kernel module is nothing */

/*
 * "ffffffff81000000 T _stext", and of a kernel module "... t name\t[module]" (Linux: kernel/kallsyms.c, s_show). Code
 * is t, T, w and W (nm). Parsing fails on other lines, and on addresses of 0, which is all that most users see
 * (Documentation/admin-guide/sysctl/kernel.rst).
 */
struct kernel_line {
	uint64_t begin;
	char kind;
	char *name; /* as long as strcspn(name, "\t \n") */
};

/* -1: none. */
static int digit_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static bool parse_line(char *line, struct kernel_line *parsed)
{
	char *at = line;

	parsed->begin = 0;
	for (int digit; (digit = digit_of(*at)) >= 0; at++)
		parsed->begin = parsed->begin << 4 | (uint64_t)digit;
	if (!parsed->begin || at[0] != ' ' || !at[1] || !strchr("tTwW", at[1]) || at[2] != ' ')
		return false;
	parsed->kind = at[1];
	parsed->name = at + 3;
	return *parsed->name != '$'; /* AArch64: code or data follows */
}

/*
 * What lies between an address that is asked for and the one before it. Of a hundred thousand functions only the last
 * one there matters, which has the address, and the first one, where what is before it ends.
 */
struct gap {
	uint64_t first, last; /* where functions begin; last 0: there is none */
};

/* The gap that the address ends, or is in. */
static size_t gap_of(const struct lookup *lookup, uint64_t address)
{
	return sorted_below(SORTED_NUMBERS(lookup->addresses, lookup->count), address);
}

static char *line_after(char *line)
{
	char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* One for each address, and one behind all; NULL: the text shows no address. */
static struct gap *find_gaps(const struct lookup *lookup, char *text, struct arena *arena)
{
	struct gap *gaps = arena_alloc(arena, (lookup->count + 1) * sizeof(*gaps));
	struct kernel_line parsed;
	bool is_shown = false;

	for (size_t i = 0; i <= lookup->count; i++)
		gaps[i] = (struct gap){ .first = UINT64_MAX };
	for (char *line = text; *line; line = line_after(line)) {
		struct gap *gap;

		if (!parse_line(line, &parsed))
			continue;
		is_shown = true;
		gap = &gaps[gap_of(lookup, parsed.begin)];
		gap->first = parsed.begin < gap->first ? parsed.begin : gap->first;
		gap->last = parsed.begin > gap->last ? parsed.begin : gap->last;
	}
	return is_shown ? gaps : NULL;
}

static void add_line(struct symbol_table *table, const struct kernel_line *parsed)
{
	uint64_t most = parsed->begin + MOST_SIZE;

	parsed->name[strcspn(parsed->name, "\t \n")] = '\0';
	symbol_table_add(table, &(struct table_symbol){ .begin = parsed->begin,
							.end = most > parsed->begin ? most : UINT64_MAX,
							.is_open = true,
							.is_local = parsed->kind == 't',
							.is_weak = (parsed->kind | 0x20) == 'w',
							.name = parsed->name });
}

static bool read_symbols(struct symbol_table *table, const struct lookup *lookup, char *text)
{
	const struct gap *gaps = find_gaps(lookup, text, table->arena);
	struct kernel_line parsed;

	for (char *line = text, *next; gaps && *line; line = next) {
		next = line_after(line);
		if (parse_line(line, &parsed)) {
			const struct gap *gap = &gaps[gap_of(lookup, parsed.begin)];

			if (parsed.begin == gap->first || parsed.begin == gap->last)
				add_line(table, &parsed);
		}
	}
	return gaps;
}

/* The profile may come from another machine, or from before a restart. */
static bool is_other_kernel(const struct profile *profile, const char *sysroot, struct arena *arena)
{
	const char *path = arena_printf(arena, "%s/sys/kernel/notes", sysroot), *notes, *wanted = NULL;
	struct error err = { .text = "" };
	char build_id[2 * BUILD_ID_MOST + 1];
	size_t length;

	for (uint32_t i = 0; i < profile->nmodules; i++)
		if (profile->modules[i].kind == MODULE_KERNEL && profile->modules[i].build_id)
			wanted = profile->modules[i].build_id;
	notes = wanted ? file_read(path, &length, arena, &err) : NULL;
	if (!notes)
		return false;
	build_id_of_notes(build_id, (const unsigned char *)notes, length);
	return *build_id && !is_same_name(build_id, wanted);
}

void kallsyms_lookup(const struct lookup *lookup, struct answer *answer, struct arena *arena)
{
	const char *sysroot = lookup->request->sysroot ? lookup->request->sysroot : "";
	struct error err = { .text = "" };
	struct symbol_table table;
	size_t length;
	char *text;

	if (is_other_kernel(lookup->profile, sysroot, arena)) {
		answer->state = ANSWER_OTHER;
		return;
	}
	answer->state = ANSWER_HIDDEN;
	text = file_read(arena_printf(arena, "%s/proc/kallsyms", sysroot), &length, arena, &err);
	symbol_table_init(&table, arena);
	if (!text || !read_symbols(&table, lookup, text))
		return;
	symbol_table_sort(&table);
	for (size_t i = 0; i < lookup->count; i++)
		(void)lookup_add_symbol(&table, lookup->addresses[i], (uint32_t)i, answer);
	answer->state = ANSWER_COMPLETE;
}
