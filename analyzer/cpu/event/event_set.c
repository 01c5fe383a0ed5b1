/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/event/event_internal.h"
#include "cpu/identify/tracepoint.h"

void event_set_init(struct event_set *set, const struct event_database *database, const struct pmu *pmu, bool smt_on,
		    struct arena *arena)
{
	*set = (struct event_set){
		.arena = arena, .database = database, .pmu = pmu, .smt_on = smt_on, .by_name = TABLE_INIT(arena)
	};
}

/* The events that no PMU counts: times, the time stamp counter, and what the kernel counts by itself. */
static bool find_tool_event(const struct spelling *s, struct event *event)
{
	static const struct {
		const char *name, *pmu;
		enum event_kind kind;
		const char *canonical;
	} tools[] = {
		/* clang-format off */
		{ "duration_time", "",    EVENT_DURATION, "duration_time" },
		{ "TSC",           "",    EVENT_TSC,      "TSC" },
		{ "tsc",           "msr", EVENT_TSC,      "TSC" },
		{ "cpu_time",      "",    EVENT_CPU_TIME, "cpu_time" },
		{ "task-clock",       "", EVENT_SOFTWARE, "task-clock" },
		{ "user_time",        "", EVENT_SOFTWARE, "user_time" },
		{ "system_time",      "", EVENT_SOFTWARE, "system_time" },
		{ "context-switches", "", EVENT_SOFTWARE, "context-switches" },
		{ "cs",               "", EVENT_SOFTWARE, "context-switches" },
		{ "cpu-migrations",   "", EVENT_SOFTWARE, "cpu-migrations" },
		{ "migrations",       "", EVENT_SOFTWARE, "cpu-migrations" },
		{ "page-faults",      "", EVENT_SOFTWARE, "page-faults" },
		{ "faults",           "", EVENT_SOFTWARE, "page-faults" },
		{ "minor-faults",     "", EVENT_SOFTWARE, "minor-faults" },
		{ "major-faults",     "", EVENT_SOFTWARE, "major-faults" },
		{ "alignment-faults", "", EVENT_SOFTWARE, "alignment-faults" },
		{ "emulation-faults", "", EVENT_SOFTWARE, "emulation-faults" },
		{ "read_bytes",       "", EVENT_SOFTWARE, "read_bytes" },
		{ "written_bytes",    "", EVENT_SOFTWARE, "written_bytes" },
		/* clang-format on */
	};

	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		if (!s->name || !is_same_name(tools[i].name, s->name) ||
		    strcmp(s->pmu ? s->pmu : "", tools[i].pmu) != 0)
			continue;
		*event = (struct event){ .name = tools[i].canonical, .kind = tools[i].kind };
		return true;
	}
	return false;
}

static bool is_core_pmu(const struct event_set *set, const char *pmu)
{
	static const char *const names[] = { "cpu", "cpu_core", "cpu_atom" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!strcmp(names[i], pmu))
			return true;
	return !strcmp(pmu, set->pmu->name) || has_name_prefix(pmu, "armv8_") || has_name_prefix(pmu, "armv9_");
}

/* "cha" names the same PMUs as "uncore_cha". */
static bool is_unit_of(const char *pmu, const char *unit)
{
	static const char prefix[] = "uncore_";

	return is_same_name(pmu, unit) || (has_name_prefix(unit, prefix) && is_same_name(pmu, unit + strlen(prefix)));
}

/* "pcu" of "pcu_0". */
static const char *without_number(const char *pmu, struct arena *arena)
{
	size_t length = strlen(pmu);

	while (length && pmu[length - 1] >= '0' && pmu[length - 1] <= '9')
		length--;
	return length && pmu[length] && pmu[length - 1] == '_' ? arena_strndup(arena, pmu, length - 1) : pmu;
}

/* The row of PMU/NAME/: by its name, or by the kernel's, of which "power/energy-pkg/" comes before Intel's own name. */
static const struct event_row *unit_row(const struct event_set *set, const struct spelling *s)
{
	const struct event_row *row = s->name ? event_database_find(set->database, s->name) : NULL, *found = NULL;

	if (row && row->unit && is_unit_of(without_number(s->pmu, set->arena), row->unit))
		return row;
	for (size_t i = 0; s->name && i < set->database->count; i++) {
		row = &set->database->rows[i];
		if (row->unit && row->kernel_event && is_same_name(row->kernel_event, s->name) &&
		    is_unit_of(s->pmu, row->unit) && (!found || has_name_prefix(row->name, row->unit)))
			found = row;
	}
	return found;
}

static int kernel_error(const struct event_set *set, const char *name, struct error *err)
{
	return error_set(
		err,
		"needs the kernel's event '%s', which PMU %s does not have (/sys/bus/event_source/devices/%s/events)",
		name, set->pmu->name, set->pmu->name);
}

/* What an event that no database has may be meant to be. */
static const char *const clocks[] = { "cycles", "cpu-clock", "task-clock", "context-switches", "page-faults" };

/* Vendors' names have no '-'; the kernel's have. */
static int unknown_error(const struct event_set *set, const char *name, struct error *err)
{
	return strchr(name, '-') ? kernel_error(set, name, err) : 1;
}

/* The machine's own terms in place of the row's; with modifiers, the row's as they were spelled. */
static int take_kernel_terms(struct draft *draft, const struct event_set *set, const struct spelling *s,
			     struct error *err)
{
	const char *name = draft->event.row->kernel_event, *text = pmu_event(set->pmu, name);
	struct pmu_term terms[SPELLING_TERMS];
	int count;

	if (!text)
		return kernel_error(set, name, err);
	count = pmu_parse_terms(text, terms, SPELLING_TERMS, set->arena, err);
	if (count < 0 || !spelling_is_unmodified(s))
		return count < 0 ? -1 : 0;
	memcpy(draft->terms, terms, (size_t)count * sizeof(*terms));
	draft->event.nterms = (size_t)count;
	return 0;
}

/* perf's r1c2: the bits of config in hexadecimal. */
static const char *raw_terms(const char *name, struct arena *arena)
{
	size_t digits = *name == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;

	return digits && digits <= 16 && !name[1 + digits] ? arena_printf(arena, "config=0x%s", name + 1) : NULL;
}

/*
 * By the database, then sysfs, then what perf and the kernel know of themselves. 0: found; 1: nobody here knows it; -1:
 * known, but not countable on the core PMU.
 */
static int event_set_resolve(struct draft *draft, struct event_set *set, struct spelling *s, struct error *err)
{
	const struct event_row *row = NULL;
	const char *terms;

	if (find_tool_event(s, &draft->event) &&
	    (draft->event.kind != EVENT_SOFTWARE || !event_database_find(set->database, s->name)))
		return 0;
	if (!s->name && s->pmu && (!s->nterms || event_database_find(set->database, s->pmu)))
		s->name = s->pmu; /* EVENT@cmask=1@ */
	else if (s->pmu && !is_core_pmu(set, s->pmu))
		return draft_unit(draft, set, unit_row(set, s), s, err);
	if (!s->name)
		return draft_terms(draft, set, s, err);
	row = event_database_find(set->database, kernel_event_row(set->database, s->name));
	if (row && row->unit)
		return draft_unit(draft, set, row, s, err);
	if (s->is_one_unit || s->nterms)
		return error_set(err, "term '%s' of event '%s' is not understood",
				 s->nterms ? s->terms[0].name : "one_unit", s->name);
	if (row) {
		draft_row(draft, set, row, s);
		return row->kernel_event && set->pmu->is_real ? take_kernel_terms(draft, set, s, err) : 0;
	}
	terms = pmu_event(set->pmu, s->name);
	if (!terms)
		terms = raw_terms(s->name, set->arena);
	if (!terms)
		terms = kernel_event_terms(set->database, s->name);
	return terms ? draft_alias(draft, set, s, terms, err) : unknown_error(set, s->name, err);
}

static bool has_code(const char *codes, uint64_t code)
{
	const char *part, *end;
	uint64_t one;

	while (codes && text_next(&codes, ",", &part) > 0)
		if (text_u64_prefix(part, &end, &one) && one == code)
			return true;
	return false;
}

/* The event code among the terms: AMD's has its upper bits in bits 32 to 35 of config. */
static bool find_code(const struct event *event, uint64_t *code)
{
	for (size_t i = 0; i < event->nterms; i++) {
		*code = event->terms[i].value;
		if (!strcmp(event->terms[i].name, "event"))
			return true;
		if (!strcmp(event->terms[i].name, "config")) {
			*code = (*code & 0xff) | (*code >> 24 & 0xf00);
			return true;
		}
	}
	return false;
}

/* What the kernel makes of an event by its code, however it was spelled. */
static void apply_code_rules(struct event *event, const struct event_set *set)
{
	uint64_t code;

	if (event->kind != EVENT_CORE || !find_code(event, &code))
		return;
	event->is_exclusive = set->smt_on && has_code(set->database->exclusive, code);
	event->is_paired = has_code(set->database->paired, code);
}

/* What looks like an event of the CPU with a modifier is none: "cycles:x" is a slip. */
static bool is_tracepoint(const struct event_set *set, const char *spelling)
{
	const char *kind;

	if (!is_tracepoint_name(spelling))
		return false;
	kind = arena_strndup(set->arena, spelling, strcspn(spelling, ":"));
	return !event_database_find(set->database, kernel_event_row(set->database, kind)) &&
	       !kernel_event_terms(set->database, kind) &&
	       !find_tool_event(&(struct spelling){ .name = kind }, &(struct event){ .name = NULL });
}

/* The event that the draft is filled with borrows its terms. */
static int find_event(struct draft *draft, struct event_set *set, const char *spelling, struct error *err)
{
	struct error local = { 0 };
	struct spelling parts;
	int found = spelling_parse(&parts, spelling, set->arena, &local);

	draft->event = (struct event){ .name = NULL };
	if (found < 0 && is_tracepoint(set, spelling)) {
		draft->event = (struct event){ .name = arena_strdup(set->arena, spelling), .kind = EVENT_SOFTWARE };
		return 0;
	}
	if (found == 0)
		found = event_set_resolve(draft, set, &parts, &local);
	draft->event.terms = draft->terms;
	if (found == 0 || pfm_event(&draft->event, set, spelling)) {
		apply_code_rules(&draft->event, set);
		return 0;
	}
	if (found > 0)
		error_set(&local, "unknown event '%s'", spelling);
	return error_set(err, "%s", local.text);
}

int event_set_suggest(const struct event_set *set, const char *spelling, struct error *err)
{
	const char **names = arena_array(set->arena, set->database->count + COUNT_OF(clocks), sizeof(*names)), *near;
	const struct error said = *err;
	struct error unread = { .text = "" };
	struct spelling parts;
	size_t count = 0;

	if (spelling_parse(&parts, spelling, set->arena, &unread) < 0 || !parts.name ||
	    event_database_find(set->database, parts.name))
		return -1;
	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		names[count++] = clocks[i];
	for (size_t i = 0; i < set->database->count; i++)
		names[count++] = set->database->rows[i].name;
	near = nearest_names(set->arena, parts.name, names, count);
	err->text[0] = '\0';
	return near ? error_set(err, "%s; did you mean %s?", said.text, near)
		    : error_set(err, "%s; `topdown list events` has all", said.text);
}

/* Each of the event's terms that is not 0 is one of the other's. */
static bool has_terms(const struct event *other, const struct event *event)
{
	for (size_t i = 0; i < event->nterms; i++) {
		const struct pmu_term *term = &event->terms[i];
		size_t k = 0;

		while (k < other->nterms && strcmp(other->terms[k].name, term->name) != 0)
			k++;
		if (term->value != (k < other->nterms ? other->terms[k].value : 0))
			return false;
	}
	return true;
}

/* "uncore_cha_0" is the one unit that is meant where one of "uncore_cha" is. */
static size_t kind_length(const struct event *event)
{
	size_t length = strlen(event->unit);

	return event->is_one_unit && length > 2 && !strcmp(event->unit + length - 2, "_0") ? length - 2 : length;
}

/* What sysfs names has its name there; two of the vendor's names for it count in one unit. */
static bool is_same_alias(const struct event *event, const struct event *other)
{
	if (!event->alias || !other->alias)
		return !event->alias && !other->alias;
	return !strcmp(event->alias, other->alias) && event->row && other->row &&
	       !(event->unit_scale < other->unit_scale) && !(event->unit_scale > other->unit_scale);
}

static bool is_same_of_unit(const struct event *event, const struct event *other)
{
	size_t length = kind_length(event);

	return event->is_one_unit == other->is_one_unit && length == kind_length(other) &&
	       !strncasecmp(event->unit, other->unit, length) && is_same_alias(event, other) &&
	       has_terms(event, other) && has_terms(other, event);
}

static size_t first_same(const struct event_set *set, const struct event *event)
{
	for (size_t i = 0; event->kind == EVENT_UNIT && i < set->count; i++)
		if (set->events[i].kind == EVENT_UNIT && is_same_of_unit(event, &set->events[i]))
			return i;
	return set->count;
}

static size_t event_set_add_event(struct event_set *set, const struct event *event)
{
	size_t same_as = first_same(set, event);
	struct pmu_term *terms = arena_array(set->arena, event->nterms, sizeof(*terms));

	if (event->nterms)
		memcpy(terms, event->terms, event->nterms * sizeof(*terms));
	set->events = arena_grow(set->arena, set->events, set->count, &set->capacity, sizeof(*event));
	set->events[set->count] = *event;
	set->events[set->count].terms = terms;
	set->events[set->count].same_as = same_as;
	table_set(&set->by_name, event->name, set->count);
	return set->count++;
}

size_t event_set_add(struct event_set *set, const char *spelling, struct error *err)
{
	size_t number = table_get(&set->by_name, spelling);
	struct draft draft;

	if (number != TABLE_NONE)
		return number;
	if (find_event(&draft, set, spelling, err) < 0)
		return TABLE_NONE;
	number = table_get(&set->by_name, draft.event.name);
	if (number == TABLE_NONE)
		number = event_set_add_event(set, &draft.event);
	table_set(&set->by_name, arena_strdup(set->arena, spelling), number);
	return number;
}

/* Of an event that a counter counts; false for all others. */
static bool encode(uint64_t config[4], const struct event_set *set, const struct event *event)
{
	struct error unused = { .text = "" };

	if (is_beside_core(event->kind) || event->is_retire_latency || event->is_percore || !event->nterms)
		return false;
	return pmu_pack(config, set->pmu, event->terms, event->nterms, &unused) == 0;
}

static bool is_same_event(const struct event_set *set, const struct event *event, const struct event *other)
{
	uint64_t config[4], own[4];

	if (event->kind == EVENT_UNIT && other->kind == EVENT_UNIT)
		return is_same_of_unit(event, other);
	return other->user_only == event->user_only && other->kernel_only == event->kernel_only &&
	       encode(config, set, event) && encode(own, set, other) && !memcmp(own, config, sizeof(own));
}

/*
 * An event may be in the set under another of its names: vendors rename events, and what one spells with modifiers has
 * a name elsewhere.
 */
static size_t find_encoding(const struct event_set *set, const struct event *event)
{
	for (size_t i = 0; i < set->count; i++)
		if (is_same_event(set, event, &set->events[i]))
			return i;
	return TABLE_NONE;
}

bool event_set_encode(uint64_t config[4], const struct event_set *set, size_t number)
{
	return encode(config, set, &set->events[number]);
}

/*
 * Resolves without adding; *number is TABLE_NONE when the event is not in the set, and NULL where nobody asks which it
 * is. False: nothing knows it.
 */
static bool event_set_look_up(const struct event_set *set, const char *spelling, size_t *number)
{
	struct arena scratch;
	struct error err = { 0 };
	struct event_set copy = *set;
	struct draft draft;
	bool has;

	arena_init(&scratch);
	copy.arena = &scratch;
	has = find_event(&draft, &copy, spelling, &err) == 0;
	if (number)
		*number = has ? table_get(&set->by_name, draft.event.name) : TABLE_NONE;
	if (number && has && *number == TABLE_NONE)
		*number = find_encoding(set, &draft.event);
	arena_release(&scratch);
	return has;
}

size_t event_set_find(const struct event_set *set, const char *spelling)
{
	size_t number = table_get(&set->by_name, spelling);

	if (number == TABLE_NONE)
		(void)event_set_look_up(set, spelling, &number);
	return number;
}

bool event_set_has(const struct event_set *set, const char *spelling)
{
	return event_set_look_up(set, spelling, NULL);
}

/* "NAME_P" of general counters, by Intel's naming; NULL: there is none. */
static const struct event_row *general_twin(const struct event_database *database, const struct event_row *row,
					    struct arena *arena)
{
	const struct event_row *twin = event_database_find(database, arena_printf(arena, "%s_P", row->name));

	return twin && twin->counters && !(twin->counters & ~GENERAL_COUNTERS) ? twin : NULL;
}

void event_set_use_general(struct event_set *set, uint64_t fixed)
{
	for (size_t i = 0; i < set->count; i++) {
		struct event *event = &set->events[i];
		const struct event_row *twin;
		struct draft draft;

		if (!event->row || event->kind != EVENT_CORE || !event->counters ||
		    event->counters & (GENERAL_COUNTERS | fixed))
			continue;
		twin = general_twin(set->database, event->row, set->arena);
		if (!twin)
			continue;
		draft_row(&draft, set, twin, &(struct spelling){ .name = twin->name });
		event->terms = memcpy(arena_array(set->arena, EVENT_TERMS, sizeof(*draft.terms)), draft.terms,
				      draft.event.nterms * sizeof(*draft.terms));
		event->nterms = draft.event.nterms;
		event->counters = draft.event.counters;
	}
}

/* perf adds up all units of a name. Those of caches always have numbers; a PMU that a socket has once has none. */
static bool is_first_of_many(const struct event *event)
{
	return event->is_one_unit && event->row && event->unit &&
	       (!strcmp(event->unit, "uncore_cha") || !strcmp(event->unit, "uncore_cbox"));
}

char *event_perf_string(const struct event *event, const struct pmu *pmu, const char *modifier, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (event->kind == EVENT_SOFTWARE)
		return arena_strdup(arena, event->name);
	if (is_clock(event->kind))
		return arena_strdup(arena, event->kind == EVENT_TSC	   ? "msr/tsc/"
					   : event->kind == EVENT_CPU_TIME ? "task-clock"
									   : "duration_time");
	string_printf(&text, "%s%s/%s", event->unit ? event->unit : pmu->name, is_first_of_many(event) ? "_0" : "",
		      event->alias ? event->alias : "");
	for (size_t i = 0; i < event->nterms; i++)
		string_printf(&text, "%s%s=0x%llx", i || event->alias ? "," : "", event->terms[i].name,
			      (unsigned long long)event->terms[i].value);
	string_printf(&text, "/%s", modifier);
	return text.text;
}
