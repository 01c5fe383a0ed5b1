/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_events.c - events on their way in: the keys that say something, the encodings that the
 * kernel takes, what is ours to add.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/import/importer.h"

enum key_kind {
	KEY_TEXT,
	KEY_HEX,
	KEY_CODE /* hex, there even if 0 */,
	KEY_COUNTER /* here 0 is the first counter */,
	KEY_LOWER
};

static const struct key_row {
	const char *key;
	enum key_kind kind;
} keys[] = {
	/* clang-format off */
	{ "EventName",        KEY_TEXT },
	{ "EventCode",        KEY_CODE },
	{ "UMask",            KEY_HEX },
	{ "UMaskExt",         KEY_HEX },
	{ "CounterMask",      KEY_TEXT },
	{ "Invert",           KEY_TEXT },
	{ "EdgeDetect",       KEY_TEXT },
	{ "AnyThread",        KEY_TEXT },
	{ "Equal",            KEY_TEXT },
	{ "Counter",          KEY_COUNTER },
	{ "CounterHTOff",     KEY_COUNTER },
	{ "MSRIndex",         KEY_LOWER },
	{ "MSRValue",         KEY_HEX },
	{ "TakenAlone",       KEY_TEXT },
	{ "PEBS",             KEY_TEXT },
	{ "Data_LA",          KEY_TEXT },
	{ "SampleAfterValue", KEY_TEXT },
	{ "Errata",           KEY_TEXT },
	{ "Deprecated",       KEY_TEXT },
	{ "KernelEvent",      KEY_TEXT },
	{ "BriefDescription", KEY_TEXT },
	/* clang-format on */
};

/*
 * The encodings that Linux' jevents.py puts in place of the fixed counters' pseudo codes, and the counters that they
 * are.
 */
static const struct fixed_row {
	const char *name, *code, *umask, *any;
	unsigned counter;
} fixed_rows[] = {
	/* clang-format off */
	{ "INST_RETIRED.ANY",            "0xc0", "",     NULL, 0 },
	{ "CPU_CLK_UNHALTED.THREAD",     "0x3c", "",     NULL, 1 },
	{ "CPU_CLK_UNHALTED.CORE",       "0x3c", "",     NULL, 1 },
	{ "CPU_CLK_UNHALTED.THREAD_ANY", "0x3c", "",     "1",  1 },
	{ "CPU_CLK_UNHALTED.REF_TSC",    "0x00", "0x03", NULL, 2 },
	{ "CPU_CLK_UNHALTED.REF",        "0x00", "0x03", NULL, 2 },
	{ "TOPDOWN.SLOTS",               "0x00", "0x04", NULL, 3 },
	/* Efficient cores from Skymont on: the architecture's codes, as older kernels count 0 for the pseudo codes. */
	{ "TOPDOWN_BAD_SPECULATION.ALL", "0x73", "",     NULL, 4 },
	{ "TOPDOWN_FE_BOUND.ALL",        "0x9c", "0x01", NULL, 5 },
	{ "TOPDOWN_RETIRING.ALL",        "0xc2", "0x02", NULL, 6 },
	/* clang-format on */
};

static const char fixed_prefix[] = "Fixed counter ";

static const char *trimmed(const char *text, struct arena *arena)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length && strchr(" \t\r\n", text[length - 1]))
		length--;
	return arena_strndup(arena, text, length);
}

/* All ways in which the files say nothing. */
static bool is_present(const char *text)
{
	static const char *const absent[] = { "", "0", "0x0", "0x00", "na", "#na", "null", "none", "false" };

	for (size_t i = 0; i < COUNT_OF(absent); i++)
		if (is_same_name(text, absent[i]))
			return false;
	return true;
}

/* The first code of a list, in lower case with at least two digits; NULL when there is no number. */
static const char *hex_code(const char *text, struct arena *arena)
{
	const char *digits = trimmed(text, arena), *end;
	unsigned long long code;
	char *rest;

	digits += digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 2 : 0;
	end = digits + strspn(digits, "0123456789abcdefABCDEF");
	code = strtoull(digits, &rest, 16);
	if (rest == digits || rest != end || (*end && !strchr(", ", *end)))
		return NULL;
	return arena_printf(arena, "0x%02llx", code);
}

static const char *clean(const struct key_row *key, const char *raw, struct arena *arena)
{
	const char *text = trimmed(raw, arena);
	bool is_said = is_present(text);

	switch (key->kind) {
	case KEY_CODE: return hex_code(text, arena);
	case KEY_HEX: return is_said ? hex_code(text, arena) : NULL;
	case KEY_COUNTER: return is_said || !strcmp(text, "0") ? text : NULL;
	case KEY_LOWER: return is_said ? text_lower(arena, text) : NULL;
	case KEY_TEXT:
	default: break;
	}
	if (!strcmp(key->key, "Deprecated") && is_same_name(text, "true"))
		return "1";
	return is_said ? text : NULL;
}

struct row event_raw(const struct import *import, const struct bulk_object *object)
{
	struct row raw = { .count = 0 };
	const char *text;

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		text = bulk_get(object, keys[i].key);
		if (!text && !strcmp(keys[i].key, "PEBS"))
			text = bulk_get(object, "Precise");
		if (text && (strcmp(keys[i].key, "BriefDescription") != 0 || import->request->with_text))
			row_add(&raw, keys[i].key, arena_strdup(import->arena, text), import->arena);
	}
	return raw;
}

static const struct fixed_row *find_fixed(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(fixed_rows); i++)
		if (is_same_name(fixed_rows[i].name, name))
			return &fixed_rows[i];
	return NULL;
}

/* Which fixed counter an event has is the architecture's; some older files count them from 1, or name the wrong one. */
static const char *fixed_counter(struct import *import, const char *name, const char *counter, bool is_said)
{
	const struct fixed_row *fixed = find_fixed(name);
	const char *right;

	if (!fixed || !counter || !has_name_prefix(counter, fixed_prefix))
		return counter;
	right = arena_printf(import->arena, "%s%u", fixed_prefix, fixed->counter);
	if (is_said && strcmp(right, counter) != 0)
		import_say(import, "%s: is '%s', not '%s'", name, right, counter);
	return right;
}

static uint64_t raw_hex(const struct row *raw, const char *key)
{
	const char *text = row_get(raw, key);

	return text ? strtoull(text, NULL, 16) : 0;
}

/* Linux' counters for the event, where cpus.json has some: "0x48=2;0x01c0=1", a code, or a unit mask and a code. */
static const char *kernel_counters(struct import *import, const struct row *raw)
{
	const char *list = import->cpu->counters, *part;
	uint64_t code = raw_hex(raw, "EventCode"), both = raw_hex(raw, "UMask") << 8 | code, wanted;
	size_t length;

	while ((length = text_next(&list, ";", &part)) > 0) {
		const char *end;

		if (text_u64_prefix(part, &end, &wanted) && *end == '=' &&
		    wanted == (end - part > (ptrdiff_t)strlen("0xff") ? both : code))
			return arena_strndup(import->arena, end + 1, length - (size_t)(end + 1 - part));
	}
	return NULL;
}

/* What becomes of Counter, which the log has, and of CounterHTOff. */
static const char *counter_text(struct import *import, const struct row *raw, const char *key, const char *text)
{
	const char *name = row_get(raw, "EventName"), *kernel = text ? kernel_counters(import, raw) : NULL;
	bool is_said = !strcmp(key, "Counter");

	if (!kernel)
		return fixed_counter(import, name, text, is_said);
	if (is_said && strcmp(kernel, text) != 0)
		import_say(import, "%s: Linux counts it on '%s' only, not on '%s'", name, kernel, text);
	return kernel;
}

static const char *raw_text(struct import *import, const struct row *raw, const char *key)
{
	const char *name = row_get(raw, "EventName"), *text = row_get(raw, key), *counter = row_get(raw, "Counter");
	const struct fixed_row *fixed = find_fixed(name);

	if (!strcmp(key, "Counter") || !strcmp(key, "CounterHTOff"))
		return counter_text(import, raw, key, text);
	if (!fixed || (counter && !has_name_prefix(counter, fixed_prefix)))
		return text; /* no pseudo code: efficient cores count CPU_CLK_UNHALTED.REF on general counters */
	if (!strcmp(key, "EventCode"))
		return fixed->code;
	if (!strcmp(key, "UMask"))
		return fixed->umask;
	return !strcmp(key, "AnyThread") && fixed->any ? fixed->any : text;
}

static struct row clean_row(struct import *import, const struct row *raw)
{
	struct row row = { .count = 0 };
	const char *text, *counter = NULL;

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		text = raw_text(import, raw, keys[i].key);
		text = text ? clean(&keys[i], text, import->arena) : NULL;
		if (!strcmp(keys[i].key, "Counter"))
			counter = text;
		if (text && counter && !strcmp(keys[i].key, "CounterHTOff") && !strcmp(text, counter))
			continue;
		row_add(&row, keys[i].key, text, import->arena);
	}
	return row;
}

void event_add(struct import *import, const struct row *raw)
{
	struct import_event event = { .name = row_get(raw, "EventName") };
	size_t before;

	if (!event.name)
		return;
	event.row = clean_row(import, raw);
	event.name = row_get(&event.row, "EventName");
	if (!event.name || !row_get(&event.row, "EventCode"))
		return;
	before = table_get(&import->event_names, event.name);
	if (before != TABLE_NONE) {
		import_say(import, "%s: appears twice; the last one is used", event.name);
		import->events[before] = event;
		return;
	}
	import->events =
		arena_grow(import->arena, import->events, import->nevents, &import->events_capacity, sizeof(event));
	import->events[import->nevents] = event;
	table_set(&import->event_names, event.name, import->nevents++);
}

bool has_import_event(const struct import *import, const char *name)
{
	return table_get(&import->event_names, name) != TABLE_NONE;
}

/* The highest number in "0,1,2,3" or "Fixed counter 2" + 1; 0 where the list is of the other kind. */
static unsigned list_end(const char *list, bool is_fixed)
{
	const char *part;
	unsigned end = 0;

	while (list && text_next(&list, ",", &part) > 0) {
		bool has_prefix = has_name_prefix(part, fixed_prefix);
		const char *digits = has_prefix ? part + strlen(fixed_prefix) : part;
		unsigned long number = strtoul(digits, NULL, 10);

		if (has_prefix == is_fixed && *digits >= '0' && *digits <= '9' && number < 31 && number + 1 > end)
			end = (unsigned)number + 1;
	}
	return end;
}

unsigned counters_used(const struct import *import, const char *key, bool is_fixed)
{
	unsigned end = 0;

	for (size_t i = 0; i < import->nevents; i++) {
		unsigned one = list_end(row_get(&import->events[i].row, key), is_fixed);

		if (one > end)
			end = one;
	}
	return end;
}

/* Fields of the MSR PERF_METRICS: four where level 1 is in it, eight where level 2 is too. */
static void add_perf_metrics(struct import *import)
{
	static const char *const names[] = { "RETIRING",      "BAD_SPECULATION",  "FRONTEND_BOUND",
					     "BACKEND_BOUND", "HEAVY_OPERATIONS", "BRANCH_MISPREDICTS",
					     "FETCH_LATENCY", "MEMORY_BOUND" };
	size_t count = has_import_event(import, "TOPDOWN.MEMORY_BOUND_SLOTS") ? COUNT_OF(names) : 4;

	for (size_t i = 0; i < count && has_import_event(import, "TOPDOWN.SLOTS"); i++) {
		struct row raw = { .count = 0 };
		const char *name = arena_printf(import->arena, "PERF_METRICS.%s", names[i]);

		if (has_import_event(import, name))
			continue;
		row_add(&raw, "EventName", name, import->arena);
		row_add(&raw, "EventCode", "0x00", import->arena);
		row_add(&raw, "UMask", arena_printf(import->arena, "0x%zx", 0x80 + i), import->arena);
		row_add(&raw, "Counter", arena_printf(import->arena, "Metric %zu", i), import->arena);
		event_add(import, &raw);
	}
}

static void add_latencies(struct import *import)
{
	for (size_t i = 0; i < import->nevents; i++) {
		size_t mean = table_get(&import->latencies, import->events[i].name);

		if (mean != TABLE_NONE)
			row_add(&import->events[i].row, "RetireLatency", import->means[mean], import->arena);
	}
}

static int import_events_by_name(const void *a, const void *b)
{
	return strcmp(((const struct import_event *)a)->name, ((const struct import_event *)b)->name);
}

void events_finish(struct import *import)
{
	add_perf_metrics(import);
	add_latencies(import);
	if (import->nevents)
		qsort(import->events, import->nevents, sizeof(*import->events), import_events_by_name);
	for (size_t i = 0; i < import->nevents; i++)
		table_set(&import->event_names, import->events[i].name, i);
}
