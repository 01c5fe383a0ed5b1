/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_raw.c - events that an arm64 core's formulas spell by PMU and code ("armv8_pmuv3_0@event\=0x201d@"): no list has
 * them, so they become events of the CPU's file.
 */
#include <string.h>

#include "common/base/text.h"
#include "cpu/import/importer.h"

/* The code of such a spelling. */
static bool raw_code(uint64_t *code, const char *name)
{
	static const char before[] = "@event\\=";
	const char *at = strchr(name, '@'), *end;

	return has_name_prefix(name, "armv8_") && has_name_prefix(at ? at : "", before) &&
	       text_u64_prefix(at + strlen(before), &end, code) && !strcmp(end, "@");
}

static const char *event_of_code(const struct import *import, uint64_t wanted)
{
	uint64_t code;

	for (size_t i = 0; i < import->nevents; i++) {
		const char *text = row_get(&import->events[i].row, "EventCode");

		if (text && text_u64(text, &code) && code == wanted)
			return import->events[i].name;
	}
	return NULL;
}

/* Under the name by which perf takes the code alone: r201d. */
static const char *raw_event(struct import *import, uint64_t code)
{
	const char *name = event_of_code(import, code);
	struct row raw = { .count = 0 };

	if (name)
		return name;
	name = arena_printf(import->arena, "R%llX", (unsigned long long)code);
	row_add(&raw, "EventName", name, import->arena);
	row_add(&raw, "EventCode", arena_printf(import->arena, "0x%llx", (unsigned long long)code), import->arena);
	row_add(&raw, "Counter", ARM_COUNTERS, import->arena);
	event_add(import, &raw);
	import_say(import, "%s: a formula has its code only, so that is its name", name);
	return name;
}

static const char *with_named(struct import *import, const char *expr)
{
	struct string text = STRING_INIT(import->arena);
	const char *rest = expr, *name;
	size_t length;

	while ((length = formula_next_name(&rest, &name)) > 0) {
		const char *spelled = arena_strndup(import->arena, name, length);
		uint64_t code;

		string_addn(&text, expr, (size_t)(name - expr));
		string_add(&text, raw_code(&code, spelled) ? raw_event(import, code) : spelled);
		expr = rest;
	}
	string_add(&text, expr);
	return text.text;
}

void perf_name_raw(struct import *import)
{
	for (size_t i = 0; i < import->nmetrics; i++)
		import->metrics[i].expr = with_named(import, import->metrics[i].expr);
}
