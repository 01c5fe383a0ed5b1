/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "load/event.h"
#include "load/pfm.h"
#include "load/spelling.h"

#define GENERIC_ANY GENERAL_COUNTERS /* an event whose counters nobody published */

void event_set_init(struct event_set *set, const struct event_database *database, const struct pmu *pmu, bool smt_on,
		    struct arena *arena)
{
	*set = (struct event_set){
		.arena = arena, .database = database, .pmu = pmu, .smt_on = smt_on, .by_name = TABLE_INIT(arena)
	};
}

/* An event while it is found out: its terms are in an array of the caller's. */
struct draft {
	struct event event;
	struct pmu_term terms[EVENT_TERMS];
};

static void put_term(struct draft *draft, const char *name, uint64_t value)
{
	if (draft->event.nterms < EVENT_TERMS)
		draft->terms[draft->event.nterms++] = (struct pmu_term){ .name = name, .value = value };
}

static void add_term(struct draft *draft, const char *name, uint64_t value)
{
	if (value)
		put_term(draft, name, value);
}

static const struct msr_row {
	unsigned msr;
	const char *term;
} msrs[] = {
	/* clang-format off */
	{ 0x1a6, "offcore_rsp" },
	{ 0x1a7, "offcore_rsp" },
	{ 0x3f6, "ldlat" },
	{ 0x3f7, "frontend" },
	/* clang-format on */
};

static void add_msr(struct draft *draft)
{
	for (size_t i = 0; i < COUNT_OF(msrs); i++)
		if (msrs[i].msr == draft->event.msr)
			add_term(draft, msrs[i].term, draft->event.msr_value);
}

/*
 * Where the row may be counted. A fixed counter can't filter, so a modified event goes to the general ones; and a fixed event
 * that has an event code of its own is counted there too when its fixed counter is taken (the kernel adds the general counters
 * to such constraints: arch/x86/events/intel/core.c, intel_pmu_check_event_constraints).
 */
static uint64_t row_counters(const struct event_set *set, const struct event_row *row, bool is_modified)
{
	uint64_t counters = !set->smt_on && row->counters_smt_off ? row->counters_smt_off : row->counters;

	if (row->is_metric)
		return 0;
	if (!counters)
		return GENERIC_ANY;
	if (!(counters & ~GENERAL_COUNTERS))
		return counters;
	if (is_modified)
		return GENERIC_ANY;
	return row->code ? counters | GENERAL_COUNTERS : counters;
}

static enum event_kind row_kind(const struct event_set *set, const struct event_row *row)
{
	const char *slots = set->database->slots_event;

	if (row->is_metric)
		return EVENT_METRIC;
	return slots && is_same_name(slots, row->name) ? EVENT_SLOTS : EVENT_CORE;
}

static bool is_plain(const struct spelling *s)
{
	return !s->has_umask && !s->cmask && !s->edge && !s->invert && !s->any && !s->equal && !s->has_msr_value &&
	       !s->is_retire_latency && !s->user_only && !s->kernel_only;
}

/* The canonical name: what differs from the row, in a fixed order. */
static const char *row_event_name(const struct event_row *row, const struct spelling *s, struct arena *arena)
{
	struct string name;

	if (is_plain(s))
		return row->name;
	name = STRING_INIT(arena);
	string_add(&name, row->name);
	if (s->has_umask && s->umask != row->umask)
		string_printf(&name, ":u0x%llx", (unsigned long long)s->umask);
	if (s->cmask && s->cmask != row->counter_mask)
		string_printf(&name, ":c%llu", (unsigned long long)s->cmask);
	if (s->edge && !row->edge)
		string_add(&name, ":e1");
	if (s->invert && !row->invert)
		string_add(&name, ":i1");
	if (s->any && !row->any)
		string_add(&name, ":any");
	if (s->equal && !row->equal)
		string_add(&name, ":eq1");
	if (s->has_msr_value && s->msr_value != row->msr_value)
		string_printf(&name, ":ocr_msr_val=0x%llx", (unsigned long long)s->msr_value);
	if (s->is_retire_latency)
		string_add(&name, ":retire_latency");
	string_add(&name, s->user_only ? ":u" : s->kernel_only ? ":k" : "");
	return name.text;
}

static void row_event(struct draft *draft, struct event_set *set, const struct event_row *row, const struct spelling *s)
{
	bool edge = row->edge || s->edge, invert = row->invert || s->invert;
	bool has_other_umask = s->has_umask && s->umask != row->umask;
	uint64_t cmask = s->cmask ? s->cmask : row->counter_mask;

	draft->event = (struct event){
		.name = row_event_name(row, s, set->arena),
		.row = row,
		.kind = row_kind(set, row),
		.counters = row_counters(set, row, edge || invert || cmask || s->any || s->equal || has_other_umask),
		.msr = row->msr,
		.nmsr = row->nmsr,
		.msr_value = s->has_msr_value ? s->msr_value : row->msr_value,
		.taken_alone = row->taken_alone,
		.user_only = s->user_only,
		.kernel_only = s->kernel_only,
		.is_retire_latency = s->is_retire_latency,
	};

	put_term(draft, "event", row->code);
	add_term(draft, "umask", s->has_umask ? s->umask : row->umask);
	add_term(draft, "edge", edge);
	add_term(draft, "any", row->any || s->any);
	add_term(draft, "inv", invert);
	add_term(draft, "cmask", cmask);
	add_term(draft, "eq", row->equal || s->equal);
	add_msr(draft);
}

/* Cycles up to the last checkpoint of a transaction are counted on counter 2 only (hsw_get_event_constraints in the kernel). */
static uint64_t terms_counters(const struct spelling *s)
{
	for (size_t i = 0; i < s->nterms; i++)
		if (!strcmp(s->terms[i].name, "in_tx_cp") && s->terms[i].value)
			return 1ull << 2;
	return GENERIC_ANY;
}

/* cpu/event=0xc2,umask=2/, or a sysfs alias's terms. */
static int terms_event(struct draft *draft, struct event_set *set, const struct spelling *s, struct error *err)
{
	struct event *event = &draft->event;
	uint64_t config[4];

	*event = (struct event){ .kind = EVENT_CORE,
				 .counters = terms_counters(s),
				 .user_only = s->user_only,
				 .kernel_only = s->kernel_only };
	for (size_t i = 0; i < s->nterms; i++)
		put_term(draft, s->terms[i].name, s->terms[i].value);
	if (s->has_umask)
		add_term(draft, "umask", s->umask);
	add_term(draft, "edge", s->edge);
	add_term(draft, "any", s->any);
	add_term(draft, "inv", s->invert);
	add_term(draft, "cmask", s->cmask);
	if (pmu_pack(config, set->pmu, draft->terms, event->nterms, err) < 0)
		return -1;
	event->terms = draft->terms;
	event->name = event_perf_string(event, set->pmu, s->user_only ? "u" : s->kernel_only ? "k" : "", set->arena);
	return 0;
}

/* A name of events/ below the PMU in sysfs. */
static int alias_event(struct draft *draft, struct event_set *set, const struct spelling *s, struct error *err)
{
	struct spelling terms = *s;
	int count = pmu_parse_terms(pmu_event(set->pmu, s->name), terms.terms, SPELLING_TERMS, set->arena, err);

	if (count < 0)
		return -1;
	terms.nterms = (size_t)count;
	if (terms_event(draft, set, &terms, err) < 0)
		return -1;
	if (!s->has_umask && !s->edge && !s->any && !s->invert && !s->cmask)
		draft->event.name = arena_printf(set->arena, "%s%s", s->name,
						 s->user_only	  ? ":u"
						 : s->kernel_only ? ":k"
								  : "");
	return 0;
}

/* perf's and the kernel's names for what the databases call otherwise (arch/x86/events/intel/core.c, event attributes). */
static const char *generic_name(const struct event_database *database, const char *name)
{
	const struct {
		const char *generic, *row;
	} rows[] = {
		/* clang-format off */
		{ "topdown-retiring",      "PERF_METRICS.RETIRING" },
		{ "topdown-bad-spec",      "PERF_METRICS.BAD_SPECULATION" },
		{ "topdown-fe-bound",      "PERF_METRICS.FRONTEND_BOUND" },
		{ "topdown-be-bound",      "PERF_METRICS.BACKEND_BOUND" },
		{ "topdown-heavy-ops",     "PERF_METRICS.HEAVY_OPERATIONS" },
		{ "topdown-br-mispredict", "PERF_METRICS.BRANCH_MISPREDICTS" },
		{ "topdown-fetch-lat",     "PERF_METRICS.FETCH_LATENCY" },
		{ "topdown-mem-bound",     "PERF_METRICS.MEMORY_BOUND" },
		{ "slots",                 database->slots_event },
		{ "cycles",                database->cycles },
		{ "cpu-cycles",            database->cycles },
		{ "instructions",          database->instructions },
		{ "ref-cycles",            database->reference },
		/* clang-format on */
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].row && is_same_name(rows[i].generic, name))
			return rows[i].row;
	return name;
}

static bool is_tool(const struct spelling *s, struct event *event)
{
	static const struct {
		const char *name, *pmu;
		enum event_kind kind;
	} tools[] = {
		/* clang-format off */
		{ "duration_time", "",    EVENT_DURATION },
		{ "TSC",           "",    EVENT_TSC },
		{ "tsc",           "msr", EVENT_TSC },
		/* clang-format on */
	};

	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		if (!s->name || !is_same_name(tools[i].name, s->name) ||
		    strcmp(s->pmu ? s->pmu : "", tools[i].pmu) != 0)
			continue;
		*event = (struct event){ .name = tools[i].kind == EVENT_TSC ? "TSC" : "duration_time",
					 .kind = tools[i].kind };
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

static int uncore_error(const char *name, const char *unit, struct error *err)
{
	return error_set(err, "needs uncore PMU '%s' for '%s'", unit, name);
}

/* Vendors' names have no '-'; the kernel's have. */
static int unknown_error(const struct event_set *set, const char *name, struct error *err)
{
	if (!strchr(name, '-'))
		return 1;
	return error_set(
		err,
		"needs the kernel's event '%s', which PMU %s does not have (/sys/bus/event_source/devices/%s/events)",
		name, set->pmu->name, set->pmu->name);
}

/* By the database, then sysfs. 0: found; 1: nobody here knows it; -1: known, but not countable on the core PMU. */
static int resolve(struct draft *draft, struct event_set *set, struct spelling *s, struct error *err)
{
	const struct event_row *row = NULL;

	if (is_tool(s, &draft->event))
		return 0;
	if (!s->name && !s->nterms)
		s->name = s->pmu; /* EVENT@cmask=1@ */
	else if (s->pmu && !is_core_pmu(set, s->pmu))
		return uncore_error(s->name ? s->name : "event", s->pmu, err);
	if (!s->name)
		return terms_event(draft, set, s, err);
	if (s->nterms)
		return error_set(err, "term '%s' of event '%s' is not understood", s->terms[0].name, s->name);
	row = event_database_find(set->database, generic_name(set->database, s->name));
	if (row && row->unit)
		return uncore_error(row->name, row->unit, err);
	if (row) {
		row_event(draft, set, row, s);
		return 0;
	}
	return pmu_event(set->pmu, s->name) ? alias_event(draft, set, s, err) : unknown_error(set, s->name, err);
}

/* The event that the draft is filled with borrows its terms. */
static int find_event(struct draft *draft, struct event_set *set, const char *spelling, struct error *err)
{
	struct error local = { 0 };
	struct spelling parts;
	int found = spelling_parse(&parts, spelling, set->arena, &local);

	draft->event = (struct event){ .name = NULL };
	if (found == 0)
		found = resolve(draft, set, &parts, &local);
	draft->event.terms = draft->terms;
	if (found == 0)
		return 0;
	if (pfm_event(&draft->event, set, spelling))
		return 0;
	if (found > 0)
		error_set(&local, "unknown event '%s'", spelling);
	return error_set(err, "%s", local.text);
}

static size_t add_event(struct event_set *set, const struct event *event)
{
	struct pmu_term *terms = arena_array(set->arena, event->nterms, sizeof(*terms));

	if (event->nterms)
		memcpy(terms, event->terms, event->nterms * sizeof(*terms));
	set->events = arena_grow(set->arena, set->events, set->count, &set->capacity, sizeof(*event));
	set->events[set->count] = *event;
	set->events[set->count].terms = terms;
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
		number = add_event(set, &draft.event);
	table_set(&set->by_name, arena_strdup(set->arena, spelling), number);
	return number;
}

static bool has_encoding(const struct event_set *set, const struct event *event, const uint64_t config[4])
{
	struct error unused = { .text = "" };
	uint64_t own[4];

	if (event->kind == EVENT_DURATION || event->kind == EVENT_TSC || event->is_retire_latency)
		return false;
	return pmu_pack(own, set->pmu, event->terms, event->nterms, &unused) == 0 && !memcmp(own, config, sizeof(own));
}

/* An event that was spelled by its terms may be in the set under its name. */
static size_t find_encoding(const struct event_set *set, const struct event *event)
{
	struct error unused = { .text = "" };
	uint64_t config[4];

	if (event->row || !event->nterms || pmu_pack(config, set->pmu, event->terms, event->nterms, &unused) < 0)
		return TABLE_NONE;
	for (size_t i = 0; i < set->count; i++)
		if (set->events[i].user_only == event->user_only && set->events[i].kernel_only == event->kernel_only &&
		    has_encoding(set, &set->events[i], config))
			return i;
	return TABLE_NONE;
}

/* Resolves without adding; *number is TABLE_NONE when the event is not in the set. False: nothing knows it. */
static bool look_up(const struct event_set *set, const char *spelling, size_t *number)
{
	struct arena scratch;
	struct error err = { 0 };
	struct event_set copy = *set;
	struct draft draft;
	bool has;

	arena_init(&scratch);
	copy.arena = &scratch;
	has = find_event(&draft, &copy, spelling, &err) == 0;
	*number = has ? table_get(&set->by_name, draft.event.name) : TABLE_NONE;
	if (has && *number == TABLE_NONE)
		*number = find_encoding(set, &draft.event);
	arena_release(&scratch);
	return has;
}

size_t event_set_find(const struct event_set *set, const char *spelling)
{
	size_t number = table_get(&set->by_name, spelling);

	if (number == TABLE_NONE)
		(void)look_up(set, spelling, &number);
	return number;
}

bool event_set_has(const struct event_set *set, const char *spelling)
{
	size_t number;

	return look_up(set, spelling, &number);
}

char *event_perf_string(const struct event *event, const struct pmu *pmu, const char *modifier, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (event->kind == EVENT_DURATION || event->kind == EVENT_TSC)
		return arena_strdup(arena, event->kind == EVENT_TSC ? "msr/tsc/" : "duration_time");
	string_printf(&text, "%s/", pmu->name);
	for (size_t i = 0; i < event->nterms; i++)
		string_printf(&text, "%s%s=0x%llx", i ? "," : "", event->terms[i].name,
			      (unsigned long long)event->terms[i].value);
	string_printf(&text, "/%s", modifier);
	return text.text;
}
